// Package openexercises runs the tests while the reader works on an exercise.
//
// A chapter with functions that are still to be written fails in many places,
// and not only by assertions: code that takes the first of an empty list
// panics, and code that waits for a lock that is never given back waits for
// ever. Either would end the whole run and hide what all other tests have to
// say. So, while an exercise is open:
//
//   - The tests of its chapter say first which one it is, and run in a process
//     that may die: the test that killed it, or that came to no end, fails with
//     a sentence, and the rest are run by the next process.
//   - The tests of all that stands on the chapter wait until it is whole again, and
//     say so; -run runs them all the same.
//   - Everything else, and every book without an open exercise, is tested as ever.
//
// In reading order: open.go (which exercises, and whose tests this is),
// supervise.go (processes that may die) with supervise_process.go and supervise_js.go,
// checks_js.go (what ends one in a page), computed_other.go (slow, or stuck), lines.go
// (what they print), death.go (what killed one), record.go (what clusters recorded).
package openexercises
