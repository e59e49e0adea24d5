// Package tracediff holds two records of a cluster against each other, the reader's and
// the book's: it finds the first step in which they differ, says it in a sentence, and
// serves a page that shows both runs at that step.
//
// In reading order: record.go (what a record has), differ.go (where two differ),
// rests.go (who has to act where one stands still), pair.go (which cluster of a test
// stands beside which), words.go (the sentence), page.go with page.html, page.css and page.js (the page).
package tracediff
