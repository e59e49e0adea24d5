package unix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// shell is a shell that runs.
type shell struct {
	*Process
	name   string // as it was called: what it says begins with it
	runner *interp.Runner
	stdin  *os.File // stands for the process's own in the interpreter
	traps  map[syscall.Signal]string
	caught atomic.Int32 // the signal that is trapped and came, perhaps as the shell ends
	last   int          // the exit code of the last line

	before  uint // how many lines there are before the one that is called the first
	history history

	heard  atomic.Int64       // when it has last read a line from a pipe
	broken sync.Map           // the pipes (pipeEnd) whose readers were gone
	halt   context.CancelFunc // ends what the shell does now

	end   atomic.Pointer[context.CancelFunc] // of the script, or of the line
	wrong atomic.Bool                        // it was ended by giveUp
}

// Shell runs sh, ash or bash: it is a Command. The scripts are interpreted, the
// commands in them are the box's.
func Shell(ctx context.Context, p *Process) int {
	stdin, err := os.Open(os.DevNull)
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s: %v\n", p.Args[0], err)
		return 2
	}
	defer stdin.Close()
	s := &shell{
		Process: p, name: p.Args[0], stdin: stdin,
		traps: map[syscall.Signal]string{},
	}
	script, params, err := s.invocation()
	if err == nil {
		err = s.start(ctx, params)
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s: %v\n", s.name, err)
		return 2
	}
	code := s.run(ctx, script)
	if signal := syscall.Signal(s.caught.Load()); signal != 0 {
		code = s.trapped(ctx, signal)
	}
	return code
}

// invocation reads the arguments: a script, unless it is the standard input,
// and the options and parameters that it has.
func (s *shell) invocation() (script *syntax.File, params []string, err error) {
	args := s.Args[1:]
	command := false
	for len(args) > 0 && args[0] != "" && strings.ContainsAny(args[0][:1], "-+") {
		flag := args[0]
		args = args[1:]
		if flag == "--" || flag == "-" {
			break
		}
		if strings.HasPrefix(flag, "--") {
			continue // --login, --norc
		}
		command = command || flag[0] == '-' && strings.Contains(flag, "c")
		if own := strings.NewReplacer("c", "", "i", "", "l", "", "s", "").
			Replace(flag); len(own) > 1 {
			params = append(params, own)
		}
	}
	source, name := io.Reader(nil), s.Args[0]
	switch {
	case command && len(args) == 0:
		return nil, nil, errors.New("-c requires an argument")
	case command:
		s.before = 1
		source, args = strings.NewReader(args[0]), args[1:]
		if len(args) > 0 {
			name, args = args[0], args[1:]
		}
	case len(args) > 0:
		f, err := s.Box.Files.Open(s.Abs(args[0]))
		if err != nil {
			return nil, nil, fmt.Errorf("can't open '%s': No such file or directory", args[0])
		}
		defer f.Close()
		source, name, args = f, args[0], args[1:]
	}
	params = append(append(params, "--"), args...)
	if source == nil {
		return nil, params, nil
	}
	script, err = s.parse(source, name)
	return script, params, understood(err)
}

// understood returns an error of the parser's in a shell's words, with the
// place where it is.
func understood(err error) error {
	var parse syntax.ParseError
	if errors.As(err, &parse) {
		if strings.Contains(parse.Text, "must be followed by an expression") ||
			strings.Contains(parse.Text, "not a valid arithmetic operator") {
			return errors.New("arithmetic syntax error")
		}
		return fmt.Errorf("line %d: syntax error: %s", parse.Pos.Line(), parse.Text)
	}
	return err
}

func (s *shell) parser() *syntax.Parser {
	return syntax.NewParser(syntax.Variant(syntax.LangBash))
}

func (s *shell) isBash() bool { return path.Base(s.name) == "bash" }

// start makes the interpreter. The interpreter reads, writes, runs and asks for
// things of the box alone, never of this machine.
func (s *shell) start(ctx context.Context, params []string) error {
	runner, err := interp.New(
		interp.Dir("/"),
		interp.Env(hidden(s.Env, s.PID, s.Parent)),
		interp.StdIO(s.stdin, s.Stdout, s.Stderr),
		interp.CallHandler(s.call),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc {
			return s.exec
		}),
		interp.OpenHandler(s.open),
		interp.ReadDirHandler2(s.readDir),
		interp.StatHandler(s.stat),
		interp.AccessHandler(s.access),
	)
	if err != nil {
		return err
	}
	runner.Dir = Abs("/", s.Dir)
	s.runner = runner
	runner.Reset()
	if err := s.restore(ctx); err != nil {
		return err
	}
	return interp.Params(params...)(runner) // -x begins here
}

// run runs a script, or the input line by line, and returns the exit code.
func (s *shell) run(ctx context.Context, script *syntax.File) int {
	ctx, s.halt = context.WithCancel(ctx)
	defer s.halt()
	if script == nil {
		return s.interact(ctx)
	}
	s.end.Store(&s.halt)
	return s.code(s.runner.Run(ctx, script))
}

// code returns the exit code that an error of the interpreter's means.
func (s *shell) code(err error) int {
	var status interp.ExitStatus
	switch {
	case s.wrong.Swap(false):
		return 2
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, ErrNoMemory):
		return 128 + int(SIGKILL)
	case errors.Is(err, context.Canceled):
		return 128 + int(SIGINT)
	}
	fmt.Fprintf(s.Stderr, "%s: %v\n", s.name, err)
	return 2
}

// echo returns a call with its options apart: the interpreter knows -e -n, and
// prints -en.
func echo(args []string) []string {
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
