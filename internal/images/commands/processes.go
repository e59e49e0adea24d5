package commands

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"reconcile/internal/images/unix"
)

func ps(_ context.Context, p *unix.Process) int {
	fmt.Fprintln(p.Stdout, "PID   USER     TIME  COMMAND")
	for _, other := range p.Box.Processes() {
		user := "root"
		if number := other.Box.User; number != 0 {
			user = decimal(number)
		}
		fmt.Fprintf(p.Stdout, "%5d %-8s  0:00 %s\n",
			other.PID, user, strings.Join(other.Title(), " "))
	}
	return 0
}

func kill(_ context.Context, p *unix.Process) int {
	args := p.Args[1:]
	signal := unix.SIGTERM
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		name := args[0][1:]
		args = args[1:]
		if name == "s" && len(args) > 0 {
			name, args = args[0], args[1:]
		}
		known := false
		if number, err := strconv.Atoi(name); err == nil {
			signal, known = syscall.Signal(number), true
		} else {
			signal, known = unix.SignalOf(name)
		}
		if !known {
			return complain(p, "bad signal name '%s'", name)
		}
	}
	if len(args) == 0 {
		return complain(p, "you need to specify whom to kill")
	}
	code := 0
	for _, arg := range args {
		if target := process(p.Box, arg); target != nil {
			target.Signal(signal)
			continue
		}
		code = complain(p, "can't kill pid %s: No such process", arg)
	}
	return code
}

func process(box *unix.Box, pid string) *unix.Process {
	for _, p := range box.Processes() {
		if strconv.Itoa(p.PID) == pid {
			return p
		}
	}
	return nil
}
