package unix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"mvdan.cc/sh/v3/interp"
)

// Names of a script's own: the number of the last job, and of the job that runs
// it. They are not told to commands.
const (
	lastJob = "__job"
	thisJob = "__self"
)

// A shell reads these right after it has begun a job, and the job when it begins.
// The first is followed by the name that the interpreter has for it.
const (
	jobBegun = "/dev/.job."
	jobSelf  = "/dev/.self"
)

// job is what a shell runs in the background: a process, with a number of its own.
type job struct {
	*self
	of      *self  // whose job it is
	order   int    // %1
	text    string // as it was written
	command bool   // it is one command, which takes the process
	name    string // that the interpreter has for it
	end     func() // ends the process
	done    chan struct{}

	calls atomic.Int32 // of commands, by the job itself
	told  bool         // wait has told of its end
}

// jobs are all those of a shell, and of its jobs.
type jobs struct {
	mu  sync.Mutex
	all []*job
}

var errJobKilled = errors.New("the job was killed")

// post makes a job, which does not run yet.
func (s *shell) post(ctx context.Context, hc interp.HandlerContext, text string) *job {
	p := s.Child(s.Title()...)
	ctx, p.cancel = context.WithCancel(ctx)
	p.title = p.Args
	s.Box.seen.enter(p)
	j := &job{self: newSelf(p), of: s.selfOf(hc), done: make(chan struct{})}
	j.gone = ctx.Done()
	j.text, j.command = strings.CutPrefix(text, commandJob)
	j.end = sync.OnceFunc(func() {
		s.Box.seen.leave(p)
		close(j.done)
	})
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	j.order = 1
	for _, other := range s.jobs.all {
		if other.of == j.of && !other.told {
			j.order = max(j.order, other.order+1)
		}
	}
	s.jobs.all = append(s.jobs.all, j)
	return j
}

// jobOf returns the job that makes a call, or nil: the shell itself does.
func (s *shell) jobOf(hc interp.HandlerContext) *job {
	pid := hc.Env.Get(thisJob).String()
	if pid == "" {
		return nil
	}
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	for _, j := range s.jobs.all {
		if strconv.Itoa(j.PID) == pid {
			return j
		}
	}
	return nil
}

func (s *shell) selfOf(hc interp.HandlerContext) *self {
	if j := s.jobOf(hc); j != nil {
		return j.self
	}
	return s.self
}

// own returns the jobs of a process, of whose end none was told.
func (s *shell) own(me *self) (all []*job) {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	for _, j := range s.jobs.all {
		if j.of == me && !j.told {
			all = append(all, j)
		}
	}
	return all
}

// find returns the job that a number, or %1 and the like, names.
func (s *shell) find(me *self, name string) *job {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	for _, j := range s.jobs.all {
		if j.of == me && (strconv.Itoa(j.PID) == name || "%"+strconv.Itoa(j.order) == name && !j.told) {
			return j
		}
	}
	return nil
}

// wait runs the builtin. A signal that is trapped ends it.
func (s *shell) wait(ctx context.Context, hc interp.HandlerContext, me *self, args []string) error {
	own := s.own(me)
	if len(args) > 0 && args[0] == "-n" && s.dialect == dash {
		fmt.Fprintf(hc.Stderr, "%s: Illegal option -n\n", s.where(hc, "wait"))
		return interp.ExitStatus(2)
	}
	if len(args) > 0 && args[0] == "-n" {
		return s.waitNext(ctx, hc, me, own)
	}
	var status error
	for _, j := range own {
		if len(args) == 0 {
			if interrupted := s.waitFor(ctx, me, j); interrupted != nil {
				return interrupted
			}
			if s.isBash() {
				s.markTold(j)
			}
		}
	}
	for _, name := range args {
		j := s.find(me, name)
		if j == nil {
			status = s.notAChild(hc, name)
			continue
		}
		if status = s.waitFor(ctx, me, j); status == nil {
			status = s.statusOf(ctx, hc, j)
		}
	}
	return status
}

func (s *shell) notAChild(hc interp.HandlerContext, name string) error {
	switch {
	case s.isBash() && strings.HasPrefix(name, "%"):
		fmt.Fprintf(hc.Stderr, "%s: %s: no such job\n", s.where(hc, "wait"), name)
	case s.isBash():
		fmt.Fprintf(hc.Stderr, "%s: pid %s is not a child of this shell\n", s.where(hc, "wait"), name)
	}
	return interp.ExitStatus(127)
}

// waitNext waits until one of the jobs has ended.
func (s *shell) waitNext(ctx context.Context, hc interp.HandlerContext, me *self, own []*job) error {
	if len(own) == 0 {
		return interp.ExitStatus(127)
	}
	ended := make(chan *job, len(own))
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, j := range own {
		go func() {
			select {
			case <-j.done:
				ended <- j
			case <-stop.Done():
			}
		}()
	}
	select {
	case j := <-ended:
		return s.statusOf(ctx, hc, j)
	case <-me.rung:
		return me.interrupted()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitFor waits until a job has ended, or returns why it stopped to.
func (s *shell) waitFor(ctx context.Context, me *self, j *job) error {
	select {
	case <-j.done:
		return nil
	case <-me.rung:
		return me.interrupted()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// interrupted returns the status of a wait that a signal has ended.
func (me *self) interrupted() error {
	me.mu.Lock()
	defer me.mu.Unlock()
	return interp.ExitStatus(128 + uint8(me.caught[0]))
}

// statusOf returns the status of a job that has ended, of which it tells.
func (s *shell) statusOf(ctx context.Context, hc interp.HandlerContext, j *job) error {
	s.markTold(j)
	status := hc.Builtin(ctx, []string{"wait", j.name})
	j.Process.mu.Lock()
	defer j.Process.mu.Unlock()
	if j.killer != 0 {
		return interp.ExitStatus(128 + uint8(j.killer))
	}
	return status
}

// markTold notes that a job's end was told of.
func (s *shell) markTold(j *job) {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	j.told = true
}

// list runs the builtin jobs. Bash begins with the first one, the others with the last.
func (s *shell) list(hc interp.HandlerContext, me *self, args []string) {
	own := s.own(me)
	if !s.isBash() {
		slices.Reverse(own)
	}
	for i, j := range own {
		if slices.Contains(args, "-p") {
			fmt.Fprintln(hc.Stdout, j.PID)
			continue
		}
		state, end, mark := "Running", " &", " "
		select {
		case <-j.done:
			state, end = "Done", ""
		default:
		}
		if s.isBash() {
			i = len(own) - 1 - i
		}
		if i < 2 {
			mark = "+-"[i : i+1]
		}
		switch s.dialect {
		case bash:
			fmt.Fprintf(hc.Stdout, "[%d]%s  %-24s%s%s\n", j.order, mark, state, j.text, end)
		case ash:
			fmt.Fprintf(hc.Stdout, "[%d]%s  %-27s\n", j.order, mark, state)
		case dash:
			fmt.Fprintf(hc.Stdout, "[%d] %s %-27s\n", j.order, mark, state)
		}
	}
}

// run runs a child of the process. If that is a job which is killed meanwhile, the
// child goes on alone.
func (me *self) run(ctx context.Context, child *Process) (int, error) {
	if me.gone == nil || child == me.Process {
		return child.Run(ctx)
	}
	type result struct {
		code int
		err  error
	}
	ended := make(chan result, 1)
	go func() {
		code, err := child.Run(ctx)
		ended <- result{code, err}
	}()
	select {
	case r := <-ended:
		return r.code, r.err
	case <-me.gone:
		return 0, errJobKilled
	}
}

func (me *self) isGone() bool {
	select {
	case <-me.gone:
		return true
	default:
		return false
	}
}
