// Package unix is a Unix for one container, in this process: files, processes
// with numbers and signals, terminals, and a shell. Its programs are Commands.
//
// In reading order:
//
//	box.go        what the processes of a container share
//	process.go    one of them; fork.go: how many there may be
//	lookup.go     which command a name means
//	signal.go     signals
//	input.go      a standard input that several read in turn
//	pipe.go       one that another process writes to
//	memory.go     what processes may hold
//	terminal.go   a terminal; editor.go: a line that is typed at it
//	files.go      files; layers.go: over an image's; link.go: links
//	limit.go      how much room; wrong.go: errors
//	mount.go      a directory of this machine (rooted.go), or a file (single_file.go)
//
// The shell:
//
//	shell.go      an invocation
//	dialect.go    which shell it is: bash, ash or dash
//	refuse.go     what ash and dash can't read; bracket.go: [[ and others of bash's
//	possible.go   what none can do here
//	translate.go  a script is changed, so that its shell can count and wait
//	conditions.go [[ a && b ]]; background.go: jobs
//	held.go       what a shell holds
//	here.go       documents in a script
//	call.go       a command is called; builtins.go: those that are done otherwise
//	handlers.go   what the interpreter asks for: files, commands; source.go: scripts
//	redirect.go   the streams of what it does itself
//	device.go     /dev
//	environ.go    the variables that it sees
//	read.go       read; printf.go, test.go: printf, test
//	trap.go       trap
//	jobs.go       jobs, wait
//	trace.go      -x
//	message.go    what is wrong, in each shell's words
//	interact.go   line by line
package unix
