//go:build linux

// Podinit is what the runtime itself runs in a Pod: the pause process, which
// holds the namespaces that the Pod's containers share, and process 1 of each
// of them. The process that starts it holds the other end of a pipe or a
// socket: when that is closed, by the kernel if need be, it ends, and with it
// all it began.
package main

import (
	"io"
	"os"
	"syscall"
)

func main() {
	switch mode := os.Args[1]; mode {
	case "pause":
		pause(os.Args[2])
	default:
		os.Exit(run(os.Args[2:], mode == "terminal"))
	}
}

// pause gives a host name to the namespaces that it was started in, and does
// nothing for as long as it is needed. It says that it is there by closing its
// output, and before that what went wrong.
func pause(hostname string) {
	if err := syscall.Sethostname([]byte(hostname)); err != nil {
		io.WriteString(os.Stdout, err.Error())
	}
	os.Stdout.Close()
	io.Copy(io.Discard, os.Stdin)
}
