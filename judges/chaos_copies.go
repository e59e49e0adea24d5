package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"reconcile/judges/chaos"
	"reconcile/judges/servers"
)

// replica is one of two copies of the controllers.
type replica struct {
	name    string // its user, and its log
	from    string // the address by which kube-apiserver knows it
	clock   servers.Clock
	wire    *servers.Wire
	process *servers.Process
	down    bool // killed by a fault, which will start it again
	ended   int  // how often it has by itself
}

// startCopies gives both a user and a wire, and starts them.
func (s *storm) startCopies() (err error) {
	for _, c := range s.copies {
		if err := s.cluster.NewUser(c.name, "system:masters"); err != nil {
			return err
		}
		if c.wire, err = s.cluster.NewWire(c.name, c.from); err != nil {
			return err
		}
		if err := s.startCopy(c); err != nil {
			return err
		}
	}
	return nil
}

func (s *storm) startCopy(c *replica) (err error) {
	program, args := s.lab, slices.Concat(typed, []string{
		"--kubeconfig", s.cluster.Kubeconfig(c.name), "--listen=", "--qps", fmt.Sprint(s.qps), "--burst", fmt.Sprint(s.qps)})
	if s.clocked != "" {
		program = s.clocked
	}
	if s.theirs {
		program, args = s.cluster.ManagerOf(c.name, c.clock != "")
	}
	var environment []string
	if c.clock != "" {
		environment = []string{c.clock.Environment()}
	}
	c.process, err = servers.StartWith(environment, filepath.Join(s.folder, c.name+".log"), s.folder, program, args...)
	c.down = false
	return err
}

// leader returns the copy that has written the lease last.
func (s *storm) leader() *replica {
	s.eyes.Lock()
	defer s.eyes.Unlock()
	for _, c := range s.copies {
		if c.from == s.holders.Holder() {
			return c
		}
	}
	return s.copies[0]
}

// kill ends copies, and starts them again after a while.
func (s *storm) kill(ctx context.Context, f chaos.Fault, copies ...*replica) error {
	s.lives.Lock()
	for _, c := range copies {
		c.down = true
		if err := c.process.Kill(); err != nil {
			s.lives.Unlock()
			return err
		}
	}
	s.lives.Unlock()
	pause(ctx, f.For)
	s.lives.Lock()
	defer s.lives.Unlock()
	for _, c := range copies {
		if err := s.startCopy(c); err != nil {
			return err
		}
	}
	return nil
}

// stopLeader stops the copy that works as a machine does that is suspended.
func (s *storm) stopLeader(ctx context.Context, f chaos.Fault) error {
	leader := s.leader()
	s.lives.Lock()
	p := leader.process
	s.lives.Unlock()
	if err := p.Pause(); err != nil {
		return err
	}
	pause(ctx, f.For)
	return p.Resume()
}

// cut loses what flows one way between a copy and kube-apiserver.
func (s *storm) cut(ctx context.Context, f chaos.Fault) error {
	way := servers.Requests
	if f.Answers {
		way = servers.Answers
	}
	wire := s.copies[f.Copy].wire
	wire.Cut(way)
	pause(ctx, f.For)
	wire.Mend()
	return nil
}

// off sets the clock of a copy, and sets it right again.
func (s *storm) off(ctx context.Context, f chaos.Fault) error {
	clock := s.copies[f.Copy].clock
	if err := clock.Set(f.Off); err != nil {
		return err
	}
	pause(ctx, f.For)
	return clock.Set(0)
}

// revive starts again what has ended by itself: kube-controller-manager does when it
// has lost its lease.
func (s *storm) revive(ctx context.Context) error {
	s.lives.Lock()
	for _, c := range s.copies {
		if c.down || !c.process.HasEnded() {
			continue
		}
		c.ended++
		s.say("%s has ended by itself", c.name)
		if err := s.startCopy(c); err != nil {
			s.lives.Unlock()
			return err
		}
	}
	s.lives.Unlock()
	s.reviveServers(ctx)
	return s.reviveNodes(ctx)
}

// reviveNodes starts the nodes again that found no server when they were started.
func (s *storm) reviveNodes(ctx context.Context) error {
	if !s.dead.TryLock() { // then they are down on purpose
		return nil
	}
	defer s.dead.Unlock()
	if !s.nodesOf.HasEnded() {
		return nil
	}
	s.say("the nodes have ended by themselves")
	s.report.Note("the nodes had ended by themselves, and were started again")
	return s.startNodes(ctx, s.folder)
}

func (s *storm) reviveServers(ctx context.Context) {
	if !s.server.TryLock() {
		return
	}
	defer s.server.Unlock()
	revived, err := s.cluster.Revive(ctx)
	for _, name := range revived {
		s.say("%s has ended by itself", name)
		s.report.Note("%s had ended by itself, and was started again", name)
	}
	if err != nil && ctx.Err() == nil { // it is tried again in a second
		s.say("not started again: %.200s", err)
	}
}

var panics = regexp.MustCompile(`(?m)^(panic: |fatal error: |.*Observed a panic).*$`)

// logs looks into those of the copies.
func (s *storm) logs() {
	for _, c := range s.copies {
		if words := panics.FindString(c.process.Words(1_000_000)); words != "" {
			s.report.Violated(chaos.Violation{Invariant: chaos.Panics, Seen: c.name + ": " + words})
		}
		s.report.Note("the %s copy has ended by itself %d times", c.name, c.ended)
	}
}

// pause waits, or until all shall end.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
