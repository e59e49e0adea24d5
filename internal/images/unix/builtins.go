package unix

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

// pwd returns the command that prints where a shell is. The interpreter does
// not know the links on the way there.
func (s *shell) pwd(hc interp.HandlerContext, args []string) []string {
	physical := false
	for _, arg := range args[1:] {
		if arg != "-L" && arg != "-P" {
			return args
		}
		physical = arg == "-P"
	}
	real, err := s.Box.Files.Real(hc.Dir)
	if !physical || err != nil {
		return args[:1]
	}
	return []string{"printf", `%s\n`, real}
}

// echo returns a call with its options apart: the interpreter knows -e -n, and
// prints -en. Dash's knows -n alone, and all escapes.
func (s *shell) echo(_ interp.HandlerContext, args []string) []string {
	if s.dialect == dash {
		end := "\n"
		if args = args[1:]; len(args) > 0 && args[0] == "-n" {
			end, args = "", args[1:]
		}
		return []string{prints, "%b" + end, strings.Join(args, " ")}
	}
	apart := args[:1:1]
	for i, arg := range args[1:] {
		if len(arg) < 2 || arg[0] != '-' || strings.Trim(arg[1:], "neE") != "" {
			return append(apart, args[1+i:]...)
		}
		for _, letter := range arg[1:] {
			apart = append(apart, "-"+string(letter))
		}
	}
	return apart
}

// set returns the call of set, which the interpreter doesn't have without arguments.
func (s *shell) set(hc interp.HandlerContext, args []string) []string {
	if len(args) == 1 {
		return []string{variables}
	}
	if s.dialect != dash && len(args[1]) > 2 && args[1][0] == '-' { // set -Eeuo pipefail: an ERR trap of ours is in no function
		args[1] = strings.Replace(args[1], "E", "", 1)
	}
	if s.dialect == dash && slices.Contains(args, "pipefail") {
		s.giveUp(2, func() { fmt.Fprintf(hc.Stderr, "%s: Illegal option -o pipefail\n", s.where(hc, "set")) })
	}
	return args
}

// exit returns the call of exit.
func (s *shell) exit(hc interp.HandlerContext, args []string) []string {
	if len(args) < 2 || s.isBash() || strings.Trim(args[1], "0123456789") == "" {
		return args
	}
	fmt.Fprintf(hc.Stderr, "%s: Illegal number: %s\n", s.inBuiltin(hc, "exit"), args[1])
	return []string{"exit", "2"}
}

// unset returns the call of unset, if none of the variables is to stay.
func (s *shell) unset(hc interp.HandlerContext, args []string) []string {
	for _, name := range args[1:] {
		if name == "" {
			return []string{"false"}
		}
		if !hc.Env.Get(name).ReadOnly {
			continue
		}
		if s.isBash() {
			fmt.Fprintf(hc.Stderr, "%s: %s: cannot unset: readonly variable\n", s.where(hc, "unset"), name)
			return []string{"false"}
		}
		s.giveUp(2, func() { fmt.Fprintf(hc.Stderr, "%s: %s: is read only\n", s.inBuiltin(hc, "unset"), name) })
	}
	return args
}

// misplaced returns the call of bash's return where there is nothing to return from.
func (s *shell) misplaced(hc interp.HandlerContext, _ []string) []string {
	fmt.Fprintf(hc.Stderr, "%s: can only `return' from a function or sourced script\n", s.where(hc, "return"))
	return []string{failed}
}

// lenient returns the call after which a substitution continues past a command that
// fails. It leaves $? as it was.
func (s *shell) lenient(_ interp.HandlerContext, args []string) []string {
	if args[1] == "0" {
		return []string{"set", "+e"}
	}
	return []string{"eval", "set +e; " + ended + " " + args[1]}
}

// shift returns the call of shift, which has behind it how many parameters there are:
// the interpreter's doesn't fail if there are fewer.
func (s *shell) shift(hc interp.HandlerContext, args []string) []string {
	there, _ := strconv.Atoi(args[1])
	n := 1
	if len(args) > 2 {
		n, _ = strconv.Atoi(args[2])
	}
	switch {
	case n >= 0 && n <= there:
		return append([]string{"shift"}, args[2:]...)
	case s.dialect == dash || s.dialect == ash && n < 0:
		s.giveUp(2, func() { fmt.Fprintf(hc.Stderr, "%s: can't shift that many\n", s.where(hc, "shift")) })
	}
	return []string{"false"}
}

// command returns the call of command.
func (s *shell) command(_ interp.HandlerContext, args []string) []string {
	if len(args) > 1 && len(args[1]) > 1 && strings.Trim(args[1], "vV") == "-" {
		return append([]string{which, args[1][:2]}, args[2:]...)
	}
	return args
}

// execs returns the call of exec.
func (s *shell) execs(_ interp.HandlerContext, args []string) []string {
	if len(args) == 1 {
		return args
	}
	return append([]string{become}, args[1:]...)
}

// kill returns the call of kill, with the numbers of jobs in place of %1. (Dash knows
// them at a terminal only.)
func (s *shell) kill(hc interp.HandlerContext, args []string) []string {
	named := append([]string{"/bin/kill"}, args[1:]...)
	for i, arg := range named {
		if j := s.find(s.selfOf(hc), arg); j != nil && s.dialect != dash {
			named[i] = strconv.Itoa(j.PID)
		}
	}
	return named
}

// brackets returns the call of [[, which ash has as a command.
func (s *shell) brackets(_ interp.HandlerContext, args []string) []string {
	if s.dialect == ash {
		return append([]string{tests}, args...)
	}
	return args
}
