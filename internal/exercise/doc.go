// Package exercise reads the exercises of a chapter and proves them.
//
// An exercise is a Markdown file, exercises/1.2.md, and the functions and tests
// of the chapter whose doc comments are marked //book:exercise 1.2. The text has
// a statement, three hints, and answers that look right and are wrong, each with
// the test that catches it. Nothing of this is believed: Prove runs it.
//
// In reading order: exercise.go (what an exercise is), load.go (from a chapter's
// folder), markdown.go, hints.go and wrong.go (its file), prove.go (what there is to
// prove), claim.go (one thing that must be so), variant.go (a chapter with other
// code in it, built without touching a file), bundle.go (many of them in one
// binary), verdict.go (what a test run says), says.go (by which a wrong answer is known
// again), memory.go (what has been proven before).
//
// Below it: cut (functions without their bodies), trial (tests with other code,
// and what they say in sentences) and workspace (a reader's own state in a copy of
// the book); what tests do meanwhile is package open's.
package exercise
