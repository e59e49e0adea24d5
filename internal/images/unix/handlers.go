package unix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/afero"
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
	if interp.IsBuiltin(args[0]) {
		begins(hc.Stderr)
	}
	if stderr, ok := hc.Stderr.(*errorStream); ok {
		stderr.begun.Store(true)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.isBroken(hc.Stdout) {
		return []string{"exit", strconv.Itoa(128 + int(SIGPIPE))}, nil
	}
	switch args = direct(args); args[0] {
	case "cd":
		return s.cd(hc, args), nil
	case "pwd":
		return s.pwd(hc, args), nil
	case "eval":
		return s.eval(hc, args), nil
	case "echo":
		return echo(args), nil
	case ".", "source":
		if len(args) > 1 {
			return append([]string{args[0], sourced + Abs(hc.Dir, args[1])}, args[2:]...), nil
		}
	case "trap":
		return s.trap(args), nil
	case "read":
		return append([]string{readLine}, args[1:]...), nil
	case readPiped:
		return append([]string{"read"}, args[1:]...), nil
	case "exec":
		if len(args) > 1 {
			return append([]string{become}, args[1:]...), nil
		}
	case "type":
		return append([]string{which, "-V"}, args[1:]...), nil
	case "hash":
		return append([]string{hash}, args[1:]...), nil
	case "command":
		if len(args) > 1 && len(args[1]) > 1 && strings.Trim(args[1], "vV") == "-" {
			return append([]string{which, args[1][:2]}, args[2:]...), nil
		}
	case "kill", "umask", "ulimit", "mapfile", "readarray":
		return append([]string{"/bin/" + args[0]}, args[1:]...), nil
	}
	return args, nil
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

// exec implements interp.ExecHandlerFunc.
func (s *shell) exec(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	switch args[0] {
	case readLine:
		return s.read(ctx, hc, args[1:])
	case which:
		return s.which(hc, args[1], args[2:])
	case hash:
		if len(args) > 1 && strings.HasPrefix(args[1], "-") {
			return nil // nothing is remembered, so there is nothing to forget
		}
		hc.Stdout = io.Discard
		return s.which(hc, "", args[1:])
	case failed:
		return interp.ExitStatus(2)
	}
	if args[0] == become {
		return s.become(ctx, hc, args[1:])
	}
	child := s.Child(args...)
	child.Env, child.Dir = exported(hc.Env), hc.Dir
	child.Stdin, child.Stdout, child.Stderr = s.input(hc), s.captured(hc), stream(hc.Stderr)
	s.Box.seen.number(child)
	begins(hc.Stderr)
	code, err := child.Run(ctx)
	if errors.Is(err, syscall.EAGAIN) {
		return s.cannotFork(hc)
	}
	if code = s.result(hc, args[0], code, err); code != 0 {
		return interp.ExitStatus(code)
	}
	return nil
}

// become runs the builtin exec: the shell's own process goes on as another
// command, which gets its signals.
func (s *shell) become(
	ctx context.Context, hc interp.HandlerContext, args []string,
) error {
	s.Env, s.Dir = exported(hc.Env), hc.Dir
	s.Stdin, s.Stdout, s.Stderr = s.input(hc), stream(hc.Stdout), stream(hc.Stderr)
	s.Catch(nil)
	code, err := s.Become(ctx, args)
	code = s.result(hc, args[0], code, err)
	return hc.Builtin(ctx, []string{"exit", strconv.Itoa(code)})
}

// which prints what type and command -v say.
func (s *shell) which(hc interp.HandlerContext, how string, names []string) error {
	p := s.Child()
	p.Env, p.Dir = exported(hc.Env), hc.Dir
	var failed error
	for _, name := range names {
		file, err := p.Which(name)
		switch {
		case interp.IsBuiltin(name) && how == "-v":
			fmt.Fprintln(hc.Stdout, name)
		case interp.IsBuiltin(name):
			fmt.Fprintf(hc.Stdout, "%s is a shell builtin\n", name)
		case err == nil && how == "-v":
			fmt.Fprintln(hc.Stdout, file)
		case err == nil:
			fmt.Fprintf(hc.Stdout, "%s is %s\n", name, file)
		default:
			if how != "-v" {
				fmt.Fprintf(hc.Stderr, "%s: not found\n", name)
			}
			failed = interp.ExitStatus(127)
		}
	}
	return failed
}

// sourced is the path at which a script that is to be sourced is opened.
const sourced = "/dev/.source"

// source returns a script that is to be sourced, translated.
func (s *shell) source(name string) (io.ReadWriteCloser, error) {
	file, err := s.Box.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := s.again(file)
	if err != nil {
		return nil, &fs.PathError{Op: "source", Path: name, Err: err}
	}
	return device{strings.NewReader(text), io.Discard}, nil
}

// eval returns the command that evaluates arguments, translated.
func (s *shell) eval(hc interp.HandlerContext, args []string) []string {
	text, err := s.again(strings.NewReader(strings.Join(args[1:], " ")))
	if err != nil {
		fmt.Fprintf(hc.Stderr, "%s: %v\n", s.where(hc, "eval"), err)
		return []string{"false"}
	}
	return []string{"eval", text}
}

// open implements interp.OpenHandlerFunc.
func (s *shell) open(
	ctx context.Context, name string, flag int, mode os.FileMode,
) (io.ReadWriteCloser, error) {
	hc := interp.HandlerCtx(ctx)
	switch name {
	case errorsFirst:
		return s.errors(ctx, hc)
	case forks, posts, takes:
		return s.fork(ctx, hc, name)
	case follows:
		return follow(hc)
	case ownOutput:
		return s.through(ctx, hc.Stdout), nil
	}
	if text, ok := strings.CutSuffix(name, hereLast); ok {
		return s.feed(ctx, device{strings.NewReader(text), io.Discard}), nil
	}
	if file, ok := strings.CutPrefix(name, sourced); ok {
		return s.source(file)
	}
	asked := name
	name = Abs(hc.Dir, name)
	if device := s.device(ctx, hc, name); device != nil {
		return s.feed(ctx, device), nil
	}
	file, err := s.Box.Files.OpenFile(name, flag, mode)
	if err != nil {
		return nil, s.notOpened(hc, asked, flag, err)
	}
	return s.feed(ctx, file), nil
}

// stat implements interp.StatHandlerFunc.
func (s *shell) stat(
	_ context.Context, name string, follow bool,
) (fs.FileInfo, error) {
	if !follow {
		return s.Box.Files.Lstat(name)
	}
	return s.Box.Files.Stat(name)
}

// access implements interp.AccessHandlerFunc: every process is root's.
func (s *shell) access(
	_ context.Context, name string, mode interp.AccessMode,
) error {
	info, err := s.Box.Files.Stat(name)
	if err != nil {
		return err
	}
	if mode == interp.AccessExec && !info.IsDir() && info.Mode()&0o111 == 0 {
		return ErrPermission
	}
	return nil
}

// readDir implements interp.ReadDirHandlerFunc2.
func (s *shell) readDir(_ context.Context, name string) ([]fs.DirEntry, error) {
	infos, err := afero.ReadDir(s.Box.Files, name)
	if err != nil {
		return nil, err
	}
	entries := make([]fs.DirEntry, len(infos))
	for i, info := range infos {
		entries[i] = fs.FileInfoToDirEntry(info)
	}
	return entries, nil
}
