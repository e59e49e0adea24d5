package unix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/afero"
	"mvdan.cc/sh/v3/interp"
)

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
	case absent:
		return interp.ExitStatus(uint8(s.result(hc, args[1], 0, ErrNotFound)))
	case become:
		return s.become(ctx, hc, args[1:])
	}
	me := s.selfOf(hc)
	switch args[0] {
	case waits:
		return s.after(ctx, hc, me, s.wait(ctx, hc, me, args[1:]))
	case prints:
		return s.printf(ctx, hc, args[1:])
	case tests:
		return s.after(ctx, hc, me, s.test(hc, args[1:]))
	case status:
		code, _ := strconv.Atoi(args[1])
		if code == 0 {
			return nil
		}
		return interp.ExitStatus(uint8(code))
	case variables:
		s.printVariables(hc)
		return nil
	case lists:
		s.list(hc, me, args[1:])
		return nil
	case traps:
		s.printTraps(hc, me)
		return nil
	}
	return s.after(ctx, hc, me, s.spawn(ctx, hc, me, args))
}

// spawn runs a command in a process of its own. A job that is one command has that
// process already.
func (s *shell) spawn(
	ctx context.Context, hc interp.HandlerContext, me *self, args []string,
) error {
	child := s.Child(args...)
	if j := s.jobOf(hc); j != nil && j.command && j.calls.Load() == 1 {
		child = j.Process
		child.Args = args
	}
	child.Env, child.Dir = exported(hc.Env), hc.Dir
	child.Stdin, child.Stdout, child.Stderr = s.input(hc), s.captured(hc), stream(hc.Stderr)
	s.Box.seen.number(child)
	begins(hc.Stderr)
	code, err := me.run(ctx, child)
	switch {
	case errors.Is(err, syscall.EAGAIN):
		return s.cannotFork(hc)
	case errors.Is(err, errJobKilled):
		return err
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
	name := args[0]
	if err != nil {
		name = strings.TrimPrefix(s.inBuiltin(hc, "exec"), s.where(hc, "")) + ": " + name
	}
	if err != nil && s.isBash() && !errors.Is(err, ErrPermission) {
		fmt.Fprintf(hc.Stderr, "%s: not found\n", s.where(hc, name))
		code, err = 127, nil
	}
	code = s.result(hc, name, code, err)
	if err := hc.Builtin(ctx, []string{"trap", "-", "EXIT"}); err != nil {
		return err
	}
	return hc.Builtin(ctx, []string{"exit", strconv.Itoa(code)})
}

// open implements interp.OpenHandlerFunc.
func (s *shell) open(
	ctx context.Context, name string, flag int, mode os.FileMode,
) (io.ReadWriteCloser, error) {
	hc := interp.HandlerCtx(ctx)
	switch name {
	case forks, takes:
		return s.fork(ctx, hc, name)
	case jobSelf:
		return s.feed(ctx, device{strings.NewReader(strconv.Itoa(jobHere(hc).PID) + "\n"), io.Discard}), nil
	case follows:
		return follow(hc)
	case nests:
		return s.nest(ctx, hc, 1), nil
	case inner:
		return s.nest(ctx, hc, 0), nil
	case ownOutput:
		return s.through(ctx, hc.Stdout), nil
	}
	if line, ok := strings.CutPrefix(name, errorsFirst); ok {
		return s.errors(ctx, hc, line)
	}
	if strings.HasPrefix(name, posts) {
		return s.fork(ctx, hc, name)
	}
	if id, ok := strings.CutPrefix(name, jobBegun); ok {
		j := jobHere(hc)
		j.name = id
		return s.feed(ctx, device{strings.NewReader(strconv.Itoa(j.PID) + "\n"), io.Discard}), nil
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
