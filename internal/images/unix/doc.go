// Package unix is a Unix for one container, in this process: files, processes
// with numbers and signals, terminals, and a shell. Its programs are Commands.
//
// In reading order: box.go (what the processes of a container share), process.go
// (one of them), lookup.go (which command a name means), input.go (a standard
// input that several read in turn), terminal.go, files.go (with mount.go and limit.go);
// and the shell:
// shell.go (an invocation), handlers.go (what the interpreter asks for),
// environ.go, device.go, trap.go, interact.go (line by line).
package unix
