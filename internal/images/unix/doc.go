// Package unix is a Unix for one container, in this process: files, processes
// with numbers and signals, terminals, and a shell. Its programs are Commands.
//
// In reading order: box.go (what the processes of a container share), process.go
// (one of them), lookup.go (which command a name means), signal.go, input.go (a
// standard input that several read in turn), pipe.go (one that another process writes to),
// memory.go (what processes may hold),
// terminal.go and editor.go, files.go (with wrong.go, link.go, limit.go, and
// mount.go: a directory, rooted.go, or a file, lone.go, of this machine); and
// the shell: shell.go (an invocation), translate.go (what is changed in a script,
// so that it asks before it takes memory) and expansion.go (what it is told),
// here.go (documents in a script), handlers.go (what the interpreter asks for),
// redirect.go (the streams of what it does itself), read.go, message.go (what is wrong, in ash's
// words), environ.go, device.go, trap.go, interact.go (line by line).
package unix
