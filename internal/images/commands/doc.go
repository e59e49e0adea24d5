// Package commands has the commands of busybox, as far as the book, or a tutorial on
// the list in docs/typed.md, types them: cat, ls, ps, wget and so on. Each does what
// its manual says of the options that it knows, and refuses others.
//
// The table in commands.go names them all. A command is in a file by its name, or
// by what it is about: those that filter text are in filter.go.
package commands
