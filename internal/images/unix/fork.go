package unix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// MaxProcesses is how many processes a container can have: the pids.max of its
// control group. A job of a shell's, or a side of a pipe, is one beside those that
// it runs.
const MaxProcesses = 1_000

var errNoFork = errors.New("can't fork")

// fork makes room for one more process, until leave is called.
func (b *Box) fork() (leave func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.forked == MaxProcesses {
		return nil, syscall.EAGAIN
	}
	b.forked++
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.forked--
	}), nil
}

// The interpreter runs a job, or one side of a pipe, in a goroutine, where a
// shell has a process. To count these as processes, their standard error is
// first redirected to one of the paths below, and they count until they close
// it.
const (
	forks = "/dev/.fork"      // a pipe's process, which is about to begin
	posts = "/dev/.post/"     // a job's process, which is about to begin; its text follows
	takes = "/dev/.post.take" // the job takes it, and has it until it ends
)

// follows is the path to which the right side of a pipe first redirects its
// standard error. Opening it waits until the left side has begun, because a
// shell forks from left to right.
const follows = "/dev/.follow"

// forked is the standard error of a process of a shell's.
type forked struct {
	io.Reader
	io.Writer
	leave func()
	job   *job          // whose process it is, or nil
	begun chan struct{} // closed when the left side's first command begins, by begin
	begin func()
}

// right is the standard error of a pipe's right side.
type right struct{ *forked }

// Close implements io.Closer.
func (f *forked) Close() error {
	f.leave()
	return nil
}

// Close implements io.Closer. The process is the pipe's.
func (right) Close() error { return nil }

// posted is the standard error of a process that its shell leaves to a job.
type posted struct{ *forked }

// Close implements io.Closer. The process is the job's now.
func (posted) Close() error { return nil }

// fork opens what forks and its like mean.
func (s *shell) fork(
	ctx context.Context, hc interp.HandlerContext, name string,
) (io.ReadWriteCloser, error) {
	if post, ok := hc.Stderr.(posted); ok && name == takes {
		return post.forked, nil
	}
	leave, err := s.Box.fork()
	if err != nil {
		return nil, s.cannotFork(hc)
	}
	begun := make(chan struct{})
	process := &forked{
		Reader: eof{}, Writer: s.through(ctx, beneath(hc.Stderr)).Writer, leave: leave,
		begun: begun, begin: sync.OnceFunc(func() { close(begun) }),
	}
	text, isJob := strings.CutPrefix(name, posts)
	if !isJob {
		return process, nil
	}
	process.job = s.post(ctx, hc, read(text))
	end := func() { leave(); process.job.end() }
	begins := context.AfterFunc(ctx, end) // or never
	process.leave = func() { begins(); end() }
	return posted{process}, nil
}

// cannotFork ends a shell that has no room for another process, with all that
// it has begun. (A real one would try again.)
func (s *shell) cannotFork(hc interp.HandlerContext) error {
	what := "can't fork"
	if s.isBash() {
		what = "fork"
	}
	s.giveUp(2, func() {
		fmt.Fprintf(hc.Stderr, "%s: %s: %s\n", s.name, what, Reason(syscall.EAGAIN))
	})
	return errNoFork
}

// begins is called when a command begins whose standard error is known: one of the
// shell's own, or a process with a number. A pipe has begun when its last command
// has.
func begins(stderr io.Writer) {
	in := beneath(stderr)
	if side, ok := in.(right); ok {
		in = side.Writer
	}
	if process, ok := in.(*forked); ok {
		process.begin()
	}
}

// follow opens follows. It waits for a nanosecond at most, because a left side
// whose standard error goes elsewhere can't tell when it begins.
func follow(hc interp.HandlerContext) (io.ReadWriteCloser, error) {
	pipe, ok := hc.Stderr.(*forked)
	if !ok {
		return nil, errNoFork
	}
	select {
	case <-pipe.begun:
	case <-time.After(time.Nanosecond):
	}
	return right{pipe}, nil
}

// asProcess has the right side of a pipe run in a shell of its own, as the left one
// does: what it sets is gone when it ends. The interpreter would run it itself.
func asProcess(pipe *syntax.BinaryCmd) {
	pipe.Y = &syntax.Stmt{
		Position: pipe.Y.Pos(), Cmd: &syntax.Subshell{Stmts: []*syntax.Stmt{pipe.Y}},
	}
}

// asFollow makes the right side of a pipe wait until the left side has begun,
// before it asks for anything itself.
func asFollow(pipe *syntax.BinaryCmd) {
	pipe.Y.Redirs = append([]*syntax.Redirect{to("2", follows)}, pipe.Y.Redirs...)
}

// jobHere returns the job that is about to begin or has just begun, by the standard
// error that asJob gave it.
func jobHere(hc interp.HandlerContext) *job {
	switch process := beneath(hc.Stderr).(type) {
	case posted:
		return process.job
	case *forked:
		return process.job
	}
	return nil
}

// isPosted reports whether a statement is a job that asJob has made.
func isPosted(stmt *syntax.Stmt) bool {
	return len(stmt.Redirs) > 0 && stmt.Redirs[0].Word.Lit() == takes
}

// asFork makes a pipe ask for a process for one side; the other is the shell's.
// The pipe stands in a block, because the printer would otherwise attach the
// redirection to its last command.
func (t *translation) asFork(stmt *syntax.Stmt) {
	pipe, ok := stmt.Cmd.(*syntax.BinaryCmd)
	if !ok || pipe.Op != syntax.Pipe && pipe.Op != syntax.PipeAll || t.forked[stmt] {
		return
	}
	inner := &syntax.Stmt{Position: stmt.Position, Cmd: pipe}
	t.forked[inner] = true
	stmt.Cmd = &syntax.Block{Stmts: []*syntax.Stmt{inner}}
	stmt.Redirs = append([]*syntax.Redirect{to("2", forks)}, stmt.Redirs...)
}
