// Package commands has the commands of busybox, as far as people use them in
// containers: cat, ls, ps, wget and so on. Each does what its manual says of
// the options that it knows, and refuses others.
//
// commands.go names them all; options.go reads their arguments, complain.go
// says what is wrong. Then, by what they are about: text.go, filter.go, grep.go,
// sed.go, files.go, link.go, list.go, archive.go, system.go, processes.go, top.go, run.go,
// web.go, wget.go, curl.go, netcat.go, ip.go, ping.go.
package commands
