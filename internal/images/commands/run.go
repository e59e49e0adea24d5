package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"reconcile/internal/images/unix"
)

// run runs a command in place of p, or says why it cannot, and returns the exit
// code.
func run(ctx context.Context, p *unix.Process, child *unix.Process) int {
	code, err := child.Run(ctx)
	switch {
	case errors.Is(err, syscall.EAGAIN):
		complain(p, "vfork: %s", unix.Reason(err))
		return 1
	case errors.Is(err, unix.ErrPermission):
		complain(p, "can't execute '%s': Permission denied", child.Args[0])
		return 126
	case err != nil:
		complain(p, "can't execute '%s': No such file or directory", child.Args[0])
		return 127
	}
	return code
}

// env prints the variables, or runs a command with more or fewer of them.
func env(ctx context.Context, p *unix.Process) int {
	o, err := parse(p, "+iu:")
	if err != nil {
		return complain(p, "%v", err)
	}
	vars := variables(p)
	if o.has('i') {
		vars = nil
	}
	for _, name := range o.given['u'] {
		vars = without(vars, name)
	}
	args := o.args
	for len(args) > 0 && strings.Contains(args[0], "=") {
		name, _, _ := strings.Cut(args[0], "=")
		vars = append(without(vars, name), args[0])
		args = args[1:]
	}
	if len(args) > 0 {
		child := p.Child(args...)
		child.Env = vars
		return run(ctx, p, child)
	}
	for _, v := range vars {
		fmt.Fprintln(p.Stdout, v)
	}
	return 0
}

// variables returns the variables of a process, each once, as it was set last.
func variables(p *unix.Process) []string {
	var vars []string
	for _, v := range p.Env {
		name, _, _ := strings.Cut(v, "=")
		vars = append(without(vars, name), v)
	}
	return vars
}

func without(vars []string, name string) []string {
	var left []string
	for _, v := range vars {
		if !strings.HasPrefix(v, name+"=") {
			left = append(left, v)
		}
	}
	return left
}

func printenv(_ context.Context, p *unix.Process) int {
	code := 0
	for _, v := range variables(p) {
		if len(p.Args) == 1 {
			fmt.Fprintln(p.Stdout, v)
		}
	}
	for _, name := range p.Args[1:] {
		before := code
		code = 1
		for _, v := range p.Env {
			if strings.HasPrefix(v, name+"=") {
				code = before
			}
		}
		if code == before {
			fmt.Fprintln(p.Stdout, p.Getenv(name))
		}
	}
	return code
}

// timeout runs a command, and asks it to end when it takes too long.
func timeout(ctx context.Context, p *unix.Process) int { return within(ctx, p, 143) }

// Timeout is the command as it is in images of other distributions than busybox'.
func Timeout(ctx context.Context, p *unix.Process) int { return within(ctx, p, 124) }

func within(ctx context.Context, p *unix.Process, late int) int {
	o, err := parse(p, "+s:k:")
	if err != nil || len(o.args) < 2 {
		return complain(p, "usage: timeout SECS COMMAND...")
	}
	limit, err := duration(o.args[0])
	signal, known := unix.SignalOf(o.value('s', "TERM"))
	if err != nil || !known {
		return complain(p, "invalid argument")
	}
	child := p.Child(o.args[1:]...)
	timer := time.AfterFunc(limit, func() { child.Signal(signal) })
	code := run(ctx, p, child)
	if !timer.Stop() && code == 128+int(signal) && signal != unix.SIGKILL {
		return late
	}
	return code
}
