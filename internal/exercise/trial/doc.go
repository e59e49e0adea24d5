// Package trial builds the tests of a chapter with other code in some of its
// files, and reads what they say.
//
// A test that fails prints a dozen lines of which one tells. What a reader wants
// of it is a sentence: what was wanted, what came, and where that stands in the
// test. Read makes these of what a test binary prints, and everything that it
// leaves out is there for whoever asks.
//
// In reading order: build.go (a binary from texts that need not be on disk),
// read.go (the lines of a run, by test), failure.go (the sentences in them) and
// words.go (the name of a test as words).
package trial
