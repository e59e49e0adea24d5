package unix

import (
	"context"
	"strings"
	"syscall"
)

// trap notes what is to be done on a signal, and returns the rest of the
// command for the interpreter, which knows EXIT and ERR only.
func (s *shell) trap(args []string) []string {
	if len(args) < 3 {
		return args
	}
	script, left := args[1], args[:2:2]
	for _, name := range args[2:] {
		signal, ok := SignalOf(name)
		switch {
		case name == "0":
			left = append(left, "EXIT")
		case !ok:
			left = append(left, name)
		case script == "-":
			delete(s.traps, signal)
		default:
			s.traps[signal] = script
		}
	}
	s.catchTraps()
	if len(left) == 2 {
		return []string{"true"}
	}
	return left
}

// catchTraps makes a signal that is trapped end the command that the shell runs
// now. A real shell would let that end first.
func (s *shell) catchTraps() {
	if len(s.traps) == 0 {
		s.Catch(nil)
		return
	}
	trapped := map[syscall.Signal]string{}
	for signal, script := range s.traps {
		trapped[signal] = script
	}
	s.Catch(func(signal syscall.Signal) {
		script, ok := trapped[signal]
		switch {
		case ok && script == "": // it is to be ignored
		case ok:
			s.caught.Store(int32(signal))
			s.halt()
		case s.PID != 1:
			s.kill(signal)
		}
	})
}

// trapped runs the script that was set for a signal that was caught, and returns
// the exit code.
func (s *shell) trapped(ctx context.Context, signal syscall.Signal) int {
	script, err := s.parse(strings.NewReader(s.traps[signal]), s.name)
	if err != nil {
		return 2
	}
	code := s.code(s.runner.Run(ctx, script))
	if s.runner.Exited() {
		return code
	}
	return 128 + int(signal)
}
