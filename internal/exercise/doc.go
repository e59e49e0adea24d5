// Package exercise reads the exercises of a chapter and proves them.
//
// An exercise is a Markdown file, exercises/1c.md, and the functions and tests of the
// chapter whose doc comments are marked //book:exercise 1c. The text has a statement,
// three hints, and answers that look right and are wrong, each with the test that
// catches it. Nothing of this is believed: Prove runs it.
//
// In reading order: exercise.go, kind.go and span.go (what an exercise is), load.go
// (from a chapter's folder, and the packages below it), markdown.go, hints.go,
// wrong.go, predict.go and right.go (its files), prove.go (the proofs of a chapter),
// claim.go (one thing that must be so), prover.go (many of them, about one
// package), variant.go (a chapter with other code in it, built without touching
// a file), bundle.go (many of them in one binary), binary.go (a run of tests),
// verdict.go (what it says of a claim), hear.go and says.go (the words by which
// a wrong answer is known again), reach.go (tests that judge without a
// mark), fault.go (the run of a fault), opened.go (a chapter with exercises open),
// needs.go (which of them others need), tree.go (those that a part of a course
// begins with), module.go (what has been proven before).
//
// Below it: cut (functions without their bodies), trial (tests with other code,
// and what they say in sentences) and workspace (a reader's own state in a copy
// of the book). Package openexercises tells tests what to do meanwhile.
package exercise
