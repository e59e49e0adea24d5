// Package images has the images that simulated nodes run: nginx, busybox,
// alpine, debian, pause and agnhost, each in all the versions that there are,
// and fluentd as Kubernetes' tutorial has it. As with real ones, the output of
// their containers is kept, and can be followed and attached to; commands are
// run in them; their ports are dialled: all in any test's virtual time.
//
// A container is a tiny Unix (package unix): files over its image's, processes,
// signals, terminals, and a POSIX shell whose commands (package commands) are
// Go functions. It touches nothing of this machine but the directories and
// files that are mounted.
//
// The pipes of a shell (a | b) are the operating system's. Commands in one may
// take their time all the same, in a testing/synctest bubble, too: package unix.
//
// In reading order:
//
//	machines.go   the nodes, their network and their registry
//	cable.go      nodes that cannot be reached; link.go: a connection to one
//	registry.go   which images there are
//	node.go       a runtime; host.go: a node's own network
//	container.go  an attempt to run a container; memory.go: what it may hold
//	command.go    what it runs
//	output.go     what it prints; watcher.go: who follows it; log.go: what is shown
//	message.go    what it leaves behind when it ends
//	keyboard.go   what it reads
//	exec.go       other processes in it; gate.go: until when they may write
//	image.go      an image
//	program.go    those of a chapter; chapters.go: the last one's
//	distributions.go  busybox, alpine, debian, pause, and agnhost
//	fluentd.go
//	nginx.go      with webserver.go and webpage.go
package images
