package unix

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

// Under these names, builtins of the interpreter that would look at this
// machine come to exec instead.
const (
	readLine = "\x00read"
	which    = "\x00which"
	hash     = "\x00hash"
	become   = "\x00exec"
	failed   = "\x00failed"
	waits    = "\x00wait"
	tests    = "\x00test"
	prints   = "\x00printf"
	absent   = "\x00absent"
	lists    = "\x00jobs"
	traps    = "\x00trap"

	variables = "\x00set"
	status    = "\x00status"
)

// maxDepth is how many Go functions may be under way in one goroutine. A shell
// function that calls itself for ever must not end this process.
const maxDepth = 5_000

var errTooDeep = errors.New("maximum function nesting level exceeded")

func tooDeep() bool {
	var deep [1]uintptr
	return runtime.Callers(maxDepth, deep[:]) > 0
}

// call implements interp.CallHandlerFunc: it is asked before every command.
func (s *shell) call(ctx context.Context, args []string) ([]string, error) {
	if tooDeep() {
		return nil, errTooDeep
	}
	hc := interp.HandlerCtx(ctx)
	s.unopened.Store(false)
	s.traced(hc, args)
	if interp.IsBuiltin(args[0]) {
		begins(hc.Stderr)
	}
	if stderr, ok := hc.Stderr.(*errorStream); ok {
		stderr.begun.Store(true)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if j := s.jobOf(hc); j != nil {
		j.calls.Add(1)
		if j.isGone() {
			return nil, errJobKilled
		}
	}
	if before := s.trapsFirst(s.selfOf(hc), args); before[0] != args[0] {
		return before, nil
	}
	if s.isBroken(hc.Stdout) {
		return []string{"exit", strconv.Itoa(128 + int(SIGPIPE))}, nil
	}
	if args = direct(args); s.lacks(args[0]) {
		return []string{absent, args[0]}, nil
	}
	if other := insteads[args[0]]; other != nil {
		return other(s, hc, args), s.gone()
	}
	return args, nil
}

// gone returns an error if the script is to end, or the line.
func (s *shell) gone() error {
	if s.wrong.Load() {
		return errNoFork
	}
	return nil
}

// instead returns the call that is made in place of a builtin's.
type instead = func(s *shell, hc interp.HandlerContext, args []string) []string

// insteads are those builtins that the interpreter has, and would answer of this
// machine, or otherwise than the shell.
var insteads = map[string]instead{
	"cd":        (*shell).cd,
	"pwd":       (*shell).pwd,
	"eval":      (*shell).eval,
	"echo":      (*shell).echo,
	"set":       (*shell).set,
	".":         (*shell).dot,
	"source":    (*shell).dot,
	"trap":      (*shell).trap,
	"exit":      (*shell).exit,
	"unset":     (*shell).unset,
	"command":   (*shell).command,
	tracing:     func(*shell, interp.HandlerContext, []string) []string { return []string{"true"} },
	returned:    (*shell).misplaced,
	counted:     (*shell).shift,
	"kill":      (*shell).kill,
	"printf":    runs(prints),
	"test":      runs(tests, "test"),
	"[":         runs(tests, "["),
	"[[":        (*shell).brackets,
	"wait":      runs(waits),
	"jobs":      runs(lists),
	"read":      runs(readLine),
	"type":      runs(which, "-V"),
	"hash":      runs(hash),
	cats:        runs("/bin/cat"),
	readPiped:   runs("read"),
	"umask":     runs("/bin/umask"),
	"ulimit":    runs("/bin/ulimit"),
	"mapfile":   runs("/bin/mapfile"),
	"exec":      (*shell).execs,
	lenient:     (*shell).lenient,
	ended:       func(_ *shell, _ interp.HandlerContext, args []string) []string { return []string{status, args[1]} },
	absentName:  func(_ *shell, _ interp.HandlerContext, args []string) []string { return []string{absent, args[1]} },
	"readarray": runs("/bin/readarray"),
}

// runs returns what calls something else with the same arguments.
func runs(name ...string) instead {
	return func(_ *shell, _ interp.HandlerContext, args []string) []string {
		return append(slices.Clone(name), args[1:]...)
	}
}

// direct returns a call without `builtin` and `command` before a builtin's
// name: with them the call would pass by these handlers.
func direct(args []string) []string {
	for {
		rest := args[1:]
		if args[0] == "command" && len(rest) > 0 && rest[0] == "--" {
			rest = rest[1:]
		}
		if args[0] != "command" && args[0] != "builtin" ||
			len(rest) == 0 || !interp.IsBuiltin(rest[0]) {
			return args
		}
		args = rest
	}
}

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

// lenient returns the call that has a substitution go on behind a command that fails.
// It leaves $? as it was.
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
