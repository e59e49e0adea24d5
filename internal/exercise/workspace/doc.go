// Package workspace is a reader's own state in a copy of the book: which
// exercises are started, the files as they were before, how far the reader has
// come. It lives in the folder .reconcile next to go.mod; git ignores it.
//
// The workspace promises:
//
//   - Nothing that a reader wrote is overwritten before a copy of it is under
//     .reconcile/kept.
//   - A command that is interrupted, at any point, is finished by the next one.
//   - Two commands never write at once.
//   - An exercise is put back without touching the rest of its file.
//   - An exercise that counts as passed was passed by the reader's own code, and
//     judged beside the book's version of every other exercise.
//
// In reading order: workspace.go (open it, and the frame of every command),
// progress.go (the memory of each exercise) with renumber.go, start.go, reset.go, goto.go,
// checkpoint.go, solution.go, hint.go, overview.go, test.go with prepare.go, gotest.go,
// input.go, look.go and glance.go, and watch.go (the commands); then the files that these stand on: catalog.go and book.go (the
// exercises of the book, as the book has them), kinds.go (what each kind is worked
// on in), participant.go (who does), reference.go (a file as the
// book has it), missing.go (files that are gone), kept.go (copies of a reader's
// work), change.go (several writes that happen together), disk.go (one write),
// lock.go (one command at a time) and group_unix.go (the difference between
// systems).
package workspace
