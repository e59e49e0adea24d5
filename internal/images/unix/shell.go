package unix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// shell is a shell that runs.
type shell struct {
	*Process
	dialect
	name   string // as it was called: what it says begins with it
	runner *interp.Runner
	stdin  *os.File // stands for the process's own in the interpreter
	self   *self
	jobs   jobs
	last   int // the exit code of the last line

	mistake     error // what is wrong with the rest of the script
	interactive bool  // ctrl-C ends the script, of process 1 too

	before  uint // how many lines there are before the one that is called the first
	history history

	heard  atomic.Int64 // when it has last read a line from a pipe
	broken sync.Map     // the pipes (pipeEnd) whose readers were gone

	end      atomic.Pointer[context.CancelFunc] // of the script, or of the line
	unopened atomic.Bool                        // a redirection has failed, and no command came since

	wrong atomic.Pointer[chan struct{}] // giveUp ended it; closed when it has said why
	given atomic.Int32                  // with this exit code
}

func interpret(ctx context.Context, p *Process, d dialect) int {
	stdin, err := os.Open(os.DevNull)
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s: %v\n", p.Args[0], err)
		return 2
	}
	defer stdin.Close()
	s := &shell{
		Process: p, dialect: d, name: p.Args[0], stdin: stdin, self: newSelf(p),
	}
	script, params, err := s.invocation()
	if err == nil {
		err = s.start(ctx, params)
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s: %v\n", s.name, err)
		return 2
	}
	return s.run(ctx, script)
}

// invocation reads the arguments: a script, unless it is the standard input,
// and the options and parameters that it has.
func (s *shell) invocation() (script *syntax.File, params []string, err error) {
	command, params, args := s.flags(s.Args[1:])
	source := io.Reader(nil)
	switch {
	case command && len(args) == 0:
		return nil, nil, errors.New("-c requires an argument")
	case command:
		s.before = 1
		source, args = strings.NewReader(args[0]), args[1:]
		if len(args) > 0 {
			s.name, args = args[0], args[1:]
		}
	case len(args) > 0:
		f, err := s.Box.Files.Open(s.Abs(args[0]))
		if err != nil {
			return nil, nil, fmt.Errorf("can't open '%s': No such file or directory", args[0])
		}
		defer f.Close()
		source, s.name, args = f, args[0], args[1:]
	}
	params = append(append(params, "--"), args...)
	if source == nil {
		return nil, params, nil
	}
	script, s.mistake = s.parse(source, s.name)
	renameReturns(script, s.say(returned, "exit", "exit"))
	return script, params, nil
}

// flags reads the options of an invocation. command says that a script is the first of
// the arguments that are left.
func (s *shell) flags(args []string) (command bool, own, left []string) {
	for len(args) > 0 && args[0] != "" && strings.ContainsAny(args[0][:1], "-+") {
		flag := args[0]
		args = args[1:]
		if flag == "--" || flag == "-" {
			break
		}
		if strings.HasPrefix(flag, "--") {
			continue // --login, --norc
		}
		for _, letter := range flag[1:] {
			switch letter {
			case 'c':
				command = true
			case 'i':
				s.interactive = true
			case 'l', 's', 'E':
			case 'o':
				if len(args) > 0 {
					own, args = append(own, flag[:1]+"o", args[0]), args[1:]
				}
			default:
				own = append(own, flag[:1]+string(letter))
			}
		}
	}
	return command, own, args
}

func (s *shell) parser() *syntax.Parser { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }

func (s *shell) isBash() bool { return s.dialect == bash }

// start makes the interpreter. The interpreter reads, writes, runs and asks for
// things of the box alone, never of this machine.
func (s *shell) start(ctx context.Context, params []string) error {
	var begun time.Time
	if s.isBash() {
		begun = time.Now()
	}
	runner, err := interp.New(
		interp.Dir("/"),
		interp.Env(hidden(s.Env, s.PID, s.Parent, begun)),
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
	if script == nil {
		return s.interact(ctx)
	}
	ctx, halt := context.WithCancel(ctx)
	defer halt()
	s.end.Store(&halt)
	if s.interactive && s.Terminal != nil {
		before := s.Terminal.OnInterrupt(func() { s.giveUp(128+int32(SIGINT), func() {}); halt() })
		defer func() { s.Terminal.OnInterrupt(before) }()
	}
	code := s.code(s.runner.Run(ctx, script))
	if code == 1 && s.dialect == dash && s.unopened.Load() {
		code = 2 // the interpreter has 1 for all shells
	}
	if s.mistake == nil || s.runner.Exited() || ctx.Err() != nil {
		return code
	}
	where := s.name + ": "
	if s.isBash() && s.before > 0 {
		where += "-c: "
	}
	fmt.Fprintf(s.Stderr, "%s%v\n", where, s.mistake)
	return 2
}

// code returns the exit code that an error of the interpreter's means.
func (s *shell) code(err error) int {
	if said := s.wrong.Swap(nil); said != nil {
		<-*said
		return int(s.given.Load())
	}
	var status interp.ExitStatus
	switch {
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
