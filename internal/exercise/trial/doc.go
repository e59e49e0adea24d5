// Package trial builds the tests of a chapter with other code in some of its
// files, and reads what they say.
//
// A test that fails prints a dozen lines of which one tells. A reader wants a
// sentence: the wanted value, the one that came, and the line of the test that
// compared them. Read makes these of the output of a test binary, and
// everything that it leaves out can be had for the asking.
//
// In reading order: build.go (a binary from texts that need not be on disk) with
// build_js.go (in a page), overlay.go (such texts, for the go tool), temporary.go
// (where the binary leaves things), obstacle.go (what keeps Go from building anything), read.go (the lines of a
// run, by test), failure.go (the sentences in them), people.go (values in these) and
// words.go (the name of a test as words).
package trial
