// Package stdio is what a container's processes read and print: pipes or a terminal,
// and a log in the form that all of Kubernetes' runtimes write. It keeps a log while
// its container runs, cuts it when it is long, and shows as much of it as kubectl
// asks for.
//
// In reading order: streams.go (those that a command has), pipes.go (what a process
// gets), log.go (what is kept), transcript.go (how it is shown).
package stdio
