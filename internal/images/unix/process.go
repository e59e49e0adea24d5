package unix

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Process is a command that runs, or is about to. The caller fills in the
// exported fields; Run does the rest.
type Process struct {
	Box      *Box
	PID      int // 1 for the first; of the others, given by Run
	Parent   int // the number of the process that started it; 0: none inside
	Args     []string
	Env      []string // "NAME=value", of those with one name the last counts
	Dir      string
	Stdin    io.Reader // nil: it is empty
	Stdout   io.Writer // nil: it is thrown away
	Stderr   io.Writer
	Terminal *Terminal // that Stdin and Stdout are; nil: none

	held int64 // bytes of memory; the box's lock guards it

	mu     sync.Mutex // guards PID and what follows
	title  []string   // the arguments, as others see them
	cancel context.CancelFunc
	killer syscall.Signal // that ended it
	catch  func(syscall.Signal)
}

// Child returns a process with the environment, directory and streams of p.
func (p *Process) Child(args ...string) *Process {
	return &Process{
		Box: p.Box, Parent: p.PID, Args: args, Env: p.Env, Dir: p.Dir, Stdin: p.Stdin,
		Stdout: p.Stdout, Stderr: p.Stderr, Terminal: p.Terminal,
	}
}

// Run runs a process to its end, and returns its exit code: 128 more than the
// signal that killed it, if one did. Its error says why it did not run:
// ErrNotFound, ErrPermission, or syscall.EAGAIN if there are MaxProcesses.
func (p *Process) Run(ctx context.Context) (int, error) {
	run, err := p.Prepare()
	if err != nil {
		return 0, err
	}
	leave, err := p.Box.fork()
	if err != nil {
		return 0, err
	}
	defer leave()
	return run(ctx), nil
}

// Prepare looks for the program that p is to run, and returns a function that
// runs it.
func (p *Process) Prepare() (run func(context.Context) int, err error) {
	command, err := p.lookup()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) int { return p.do(ctx, command) }, nil
}

func (p *Process) do(ctx context.Context, command Command) int {
	select {
	case <-p.Box.ended: // a shell may not have heard of its end yet
		return 128 + int(SIGKILL)
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.setUp(cancel)
	defer p.Box.leave(p)
	defer p.watch(ctx)()
	p.listen(ctx)
	code := p.guarded(ctx, command)
	select {
	case <-p.Box.ended:
		p.kill(SIGKILL)
	default:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killer != 0 {
		return 128 + int(p.killer)
	}
	return code
}

// guarded runs a command, and returns its exit code. A command that panics does
// so alone.
func (p *Process) guarded(ctx context.Context, command Command) (code int) {
	defer func() {
		if broken := recover(); broken != nil {
			fmt.Fprintf(p.Stderr, "%s: %v\n%s", p.Title()[0], broken, debug.Stack())
			code = 128 + int(SIGSEGV)
		}
	}()
	return command(ctx, p)
}

// Become runs another command in the place of the one that p runs, and returns
// its exit code.
func (p *Process) Become(ctx context.Context, args []string) (int, error) {
	before := p.Args
	p.Args = args
	command, err := p.lookup()
	if err != nil {
		p.Args = before
		return 0, err
	}
	p.mu.Lock()
	p.title = slices.Clone(args)
	p.mu.Unlock()
	return command(ctx, p), nil
}

// Leave starts a process that goes on when p has ended, until its box does.
func (p *Process) Leave(command Command) {
	child := p.Child(p.Args...)
	child.Stdin = nil
	go child.do(context.Background(), command)
}

func (p *Process) setUp(cancel context.CancelFunc) {
	if p.Stdin == nil {
		p.Stdin = strings.NewReader("")
	}
	if p.Stdout == nil {
		p.Stdout = io.Discard
	}
	if p.Stderr == nil {
		p.Stderr = io.Discard
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancel = cancel
	p.title = slices.Clone(p.Args)
	p.Box.seen.enter(p)
	if p.killer != 0 { // before it began
		cancel()
	}
}

// Title returns the arguments of a process that may be another's.
func (p *Process) Title() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.title
}

// listen makes reads of the standard input end with ctx, and keeps p from
// waiting for a pipe of the shell's.
func (p *Process) listen(ctx context.Context) {
	own := newLook(ctx, p.PID)
	switch input := p.Stdin.(type) {
	case *Input:
		p.Stdin = input.Until(ctx)
	case until:
		p.Stdin = input.Until(ctx)
	case pipeEnd:
		p.Stdin = pipeReader{input, own}
	case pipeReader:
		p.Stdin = pipeReader{input.file, own}
	}
	for _, out := range []*io.Writer{&p.Stdout, &p.Stderr} {
		switch to := (*out).(type) {
		case pipeEnd:
			*out = pipeWriter{to, newLook(ctx, p.PID)}
		case pipeWriter:
			*out = pipeWriter{to.file, newLook(ctx, p.PID)}
		}
	}
}

// watch kills the process when its box ends. It returns a function that ends
// the watch.
func (p *Process) watch(ctx context.Context) func() {
	done := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case <-p.Box.ended:
			p.kill(SIGKILL)
		case <-ctx.Done():
		case <-done:
		}
	})
	return func() {
		close(done)
		waiting.Wait()
	}
}

// Catch calls f with signals that would end the process otherwise. It must not
// take long. If f is nil, they end the process again.
func (p *Process) Catch(f func(syscall.Signal)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.catch = f
}

// Signal sends a signal to the process. One that is not caught ends the
// process; but not the first of a box, which no process inside can kill.
func (p *Process) Signal(s syscall.Signal) {
	p.mu.Lock()
	catch, pid := p.catch, p.PID
	p.mu.Unlock()
	switch {
	case s == 0: // asks whether it is there
	case catch != nil && s != SIGKILL:
		catch(s)
	case pid != 1:
		p.kill(s)
	}
}

func (p *Process) kill(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killer == 0 {
		p.killer = s
	}
	if p.cancel != nil {
		p.cancel()
	}
}

// Getenv returns a variable, or "".
func (p *Process) Getenv(name string) string {
	for i := len(p.Env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(p.Env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// Abs returns the absolute path of a file that the process names.
func (p *Process) Abs(name string) string { return Abs(p.Dir, name) }
