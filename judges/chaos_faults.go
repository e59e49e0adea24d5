package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"reconcile/judges/chaos"
)

// play plays the plan: each fault at its moment, or as soon as what it is of is whole
// again, and the changes one after the other.
func (s *storm) play(ctx context.Context, cancel context.CancelCauseFunc) error {
	var playing sync.WaitGroup
	for _, f := range s.plan.Faults {
		playing.Go(func() {
			if !pause(ctx, f.At) {
				return
			}
			if err := s.fault(ctx, f); err != nil && ctx.Err() == nil {
				cancel(fmt.Errorf("%s: %w", f, err))
			}
		})
	}
	playing.Go(func() { s.changes(ctx) })
	around, stop := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	keeping.Go(func() {
		for pause(around, time.Second) {
			if err := s.revive(around); err != nil && around.Err() == nil {
				cancel(err)
			}
		}
	})
	keeping.Go(func() {
		for pause(around, 10*time.Second) {
			if err := s.backUp(around); err != nil && around.Err() == nil {
				s.say("no backup: %v", err)
			}
		}
	})
	playing.Wait()
	pause(ctx, s.length-time.Since(s.begun))
	stop()
	keeping.Wait()
	return context.Cause(ctx)
}

// The end may take a minute after the last fault. A watch from a version of the future
// is silent; three minutes without a sound mean that something is wrong.
const (
	settling  = time.Minute
	silence   = 3 * time.Minute
	rereading = 20 * time.Second // what a copy may take that hears that its version has gone
)

// fault plays one.
func (s *storm) fault(ctx context.Context, f chaos.Fault) error {
	s.say("%s", f)
	begun := time.Now()
	s.losing(f.Kind, true)
	if err := s.does(ctx, f); err != nil {
		return err
	}
	s.losing(f.Kind, false)
	if ctx.Err() == nil {
		s.report.Fault(f.Kind, time.Since(begun))
		s.healed(settling)
		s.say("%s is over", f.Kind)
	}
	return nil
}

// losing tells the judge of faults by which answers are lost or late.
func (s *storm) losing(k chaos.Kind, begins bool) {
	switch k {
	case chaos.LeaderKilled, chaos.BothKilled, chaos.NodesKilled, chaos.ClockOff:
		return // who asked has died as well, or nobody has
	}
	s.eyes.Lock()
	defer s.eyes.Unlock()
	if begins {
		s.judge.Losing()
	} else {
		s.judge.Lost(time.Now().Add(rereading))
	}
}

// healed says how long from now on the end may take at most.
func (s *storm) healed(patience time.Duration) {
	s.said.Lock()
	defer s.said.Unlock()
	if until := time.Now().Add(patience); until.After(s.settle) {
		s.settle = until
	}
}

func (s *storm) does(ctx context.Context, f chaos.Fault) error {
	switch f.Kind {
	case chaos.ServerKilled:
		return s.killServer(ctx, f)
	case chaos.EtcdKilled:
		return s.killEtcd(ctx, f)
	case chaos.EtcdRestored:
		return s.restore(ctx, f, 0)
	case chaos.EtcdBumped:
		return s.restore(ctx, f, bump)
	case chaos.DiskFull:
		return s.full(ctx, f)
	case chaos.LeaderStopped:
		return s.stopLeader(ctx, f)
	case chaos.LeaderKilled:
		return s.kill(ctx, f, s.leader())
	case chaos.BothKilled:
		return s.kill(ctx, f, s.copies[:]...)
	case chaos.NodesKilled:
		return s.killNodes(ctx, f)
	case chaos.NetworkCut:
		return s.cut(ctx, f)
	case chaos.ClockOff:
		return s.off(ctx, f)
	}
	return fmt.Errorf("nobody knows how to do %s", f.Kind)
}

func (s *storm) killServer(ctx context.Context, f chaos.Fault) error {
	s.server.Lock()
	defer s.server.Unlock()
	if err := s.cluster.KillServer(); err != nil {
		return err
	}
	pause(ctx, f.For)
	return s.startServer(ctx)
}

func (s *storm) killEtcd(ctx context.Context, f chaos.Fault) error {
	s.etcd.Lock()
	defer s.etcd.Unlock()
	if err := s.cluster.KillEtcd(); err != nil {
		return err
	}
	pause(ctx, f.For)
	return s.cluster.StartEtcd(ctx)
}

func (s *storm) killNodes(ctx context.Context, f chaos.Fault) error {
	s.dead.Lock()
	defer s.dead.Unlock()
	if err := s.nodesOf.Kill(); err != nil {
		return err
	}
	pause(ctx, f.For)
	return s.startNodes(ctx, s.folder)
}

// startServer starts kube-apiserver, which ends when it finds no etcd for long.
func (s *storm) startServer(ctx context.Context) error {
	for {
		err := s.cluster.StartServer(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		s.say("kube-apiserver did not start: %.200s", err)
		if err := s.cluster.KillServer(); err != nil {
			return err
		}
		pause(ctx, time.Second)
	}
}

// full fills etcd's disk, of which it mostly dies.
func (s *storm) full(ctx context.Context, f chaos.Fault) error {
	s.etcd.Lock()
	defer s.etcd.Unlock()
	if err := s.cluster.FillDisk(); err != nil {
		return err
	}
	pause(ctx, f.For)
	if err := s.cluster.EmptyDisk(); err != nil {
		return err
	}
	if !s.cluster.Etcd().HasEnded() {
		s.report.Note("etcd lived on when its disk was full for %s", f.For)
		return nil
	}
	return s.cluster.StartEtcd(ctx)
}

// bump is more than all versions of a run.
const bump = 1_000_000

// enough is how many backups are kept: one each ten seconds.
const enough = 12

// backUp takes a snapshot of etcd, between two changes, if etcd is there.
func (s *storm) backUp(ctx context.Context) error {
	if !s.etcd.TryLock() {
		return nil
	}
	defer s.etcd.Unlock()
	s.books.Lock()
	defer s.books.Unlock()
	b := backup{at: time.Now(), ledger: s.ledger.Copy()}
	b.file = filepath.Join(s.folder, fmt.Sprintf("backup-%s.db", b.at.Format("150405.000")))
	if err := s.cluster.Snapshot(ctx, b.file); err != nil {
		return err
	}
	s.backups = append(s.backups, b)
	if len(s.backups) <= enough {
		return nil
	}
	oldest := s.backups[0]
	s.backups = s.backups[1:]
	return os.Remove(oldest.file)
}

// restore does what Kubernetes' documentation says: kube-apiserver is stopped, etcd is
// restored, and all is started again. Copies and nodes are not: who watches has to see
// for himself that what he knows is of another time.
func (s *storm) restore(ctx context.Context, f chaos.Fault, bump int) error {
	s.etcd.Lock()
	defer s.etcd.Unlock()
	s.server.Lock()
	defer s.server.Unlock()
	if err := errors.Join(s.cluster.KillServer(), s.cluster.KillEtcd()); err != nil {
		return err
	}
	if err := s.back(ctx, f.Age, bump); err != nil {
		return err
	}
	pause(ctx, f.For)
	if err := s.cluster.StartEtcd(ctx); err != nil {
		return err
	}
	s.forget(rereading, silence, bump == 0)
	if err := s.startServer(ctx); err != nil {
		return err
	}
	s.forget(rereading, silence, bump == 0)
	return s.cluster.RestartClients(ctx)
}

// back restores the youngest backup that is old enough, and the ledger with it. Those
// that are younger are of a time that never was.
func (s *storm) back(ctx context.Context, age time.Duration, bump int) error {
	s.books.Lock()
	defer s.books.Unlock()
	n := len(s.backups) - 1
	for n > 0 && time.Since(s.backups[n].at) < age {
		n--
	}
	b := s.backups[n]
	s.backups = s.backups[:n+1]
	s.say("etcd goes back to %s ago", time.Since(b.at).Round(time.Second))
	s.ledger = b.ledger.Copy()
	return s.cluster.Restore(ctx, b.file, bump)
}

// forget tells those who judge that there was a restore.
func (s *storm) forget(soon, late time.Duration, silent bool) {
	excuse := soon
	if silent {
		excuse = late + soon
	}
	s.healed(settling + excuse)
	s.eyes.Lock()
	defer s.eyes.Unlock()
	s.judge.Restored(time.Now().Add(excuse))
	s.holders.Restored(time.Now().Add(excuse))
}
