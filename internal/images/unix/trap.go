package unix

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"mvdan.cc/sh/v3/interp"
)

// self is a process that runs a script: a shell, or a job of one.
type self struct {
	*Process
	gone <-chan struct{} // closed when it has been killed; nil: a shell's own ends with its context

	mu     sync.Mutex
	traps  map[syscall.Signal]string
	caught []syscall.Signal // whose scripts are to be run, when what runs now has ended
	rung   chan struct{}    // has a signal when one was caught
}

func newSelf(p *Process) *self {
	return &self{Process: p, traps: map[syscall.Signal]string{}, rung: make(chan struct{}, 1)}
}

// trap notes what is to be done on a signal, and returns the rest of the
// command for the interpreter, which knows EXIT and ERR only.
func (s *shell) trap(hc interp.HandlerContext, args []string) []string {
	me := s.selfOf(hc)
	if len(args) == 1 || len(args) == 2 && args[1] == "-p" {
		return []string{traps}
	}
	if len(args) < 3 {
		return args
	}
	script, left := args[1], args[:2:2]
	me.mu.Lock()
	defer me.mu.Unlock()
	for _, name := range args[2:] {
		signal, ok := SignalOf(name)
		switch {
		case name == "ERR" && s.dialect == dash:
			fmt.Fprintf(hc.Stderr, "%s: bad trap\n", s.where(hc, name))
			return []string{"false"}
		case name == "0":
			left = append(left, "EXIT")
		case !ok:
			left = append(left, name)
		case script == "-":
			delete(me.traps, signal)
		default:
			me.traps[signal] = script
		}
	}
	me.Catch(nil)
	if len(me.traps) > 0 {
		me.Catch(me.signalled)
	}
	if len(left) == 2 {
		return []string{"true"}
	}
	return left
}

// signalled notes a signal that is trapped. Its script runs when the command that
// runs now has ended, as in every shell; only wait ends at once.
func (me *self) signalled(signal syscall.Signal) {
	me.mu.Lock()
	script, trapped := me.traps[signal]
	if trapped && script != "" {
		me.caught = append(me.caught, signal)
	}
	me.mu.Unlock()
	switch {
	case !trapped && me.PID != 1:
		me.kill(signal)
	case script != "":
		select {
		case me.rung <- struct{}{}:
		default:
		}
	}
}

// takeCaught returns the scripts of the signals that were caught, as one.
func (me *self) takeCaught() (script string) {
	me.mu.Lock()
	defer me.mu.Unlock()
	for _, signal := range me.caught {
		script += me.traps[signal] + "\n"
	}
	me.caught = nil
	select {
	case <-me.rung:
	default:
	}
	return script
}

// after runs the scripts of the signals that were caught while a command ran, whose
// status it returns: or another, if one of them ends the shell.
func (s *shell) after(ctx context.Context, hc interp.HandlerContext, me *self, status error) error {
	for {
		script := me.takeCaught()
		if script == "" {
			return status
		}
		text, err := s.again(strings.NewReader(script + ended + " 0\n"))
		if err != nil {
			fmt.Fprintf(hc.Stderr, "%s: %v\n", s.where(hc, "trap"), err)
			continue
		}
		if err := hc.Builtin(ctx, []string{"eval", text}); err != nil {
			return err
		}
	}
}

// trapsFirst returns a call that runs the scripts of signals that were caught, and then
// what was called.
func (s *shell) trapsFirst(me *self, args []string) []string {
	script := me.takeCaught()
	if script == "" {
		return args
	}
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	text, err := s.again(strings.NewReader(script + strings.Join(quoted, " ") + "\n"))
	if err != nil {
		return args
	}
	return []string{"eval", text}
}

// printTraps prints what is trapped, as it would be typed.
func (s *shell) printTraps(hc interp.HandlerContext, me *self) {
	me.mu.Lock()
	defer me.mu.Unlock()
	for _, signal := range slices.Sorted(maps.Keys(me.traps)) {
		name := nameOf(signal)
		if s.isBash() {
			name = "SIG" + name
		}
		fmt.Fprintf(hc.Stdout, "trap -- %s %s\n", quote(me.traps[signal]), name)
	}
}

func nameOf(signal syscall.Signal) string {
	for name, other := range Signals {
		if other == signal {
			return name
		}
	}
	return strconv.Itoa(int(signal))
}
