package unix

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"

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
	if s.wrong.Load() != nil {
		return errNoFork
	}
	return nil
}

// instead returns the call that is made in place of a builtin's.
type instead = func(s *shell, hc interp.HandlerContext, args []string) []string

// insteads are builtins that the interpreter has, but would answer about this
// machine, or otherwise than the shell does.
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
