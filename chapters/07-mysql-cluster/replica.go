package mysqlcluster

import (
	"context"
	"sync"
	"time"

	"reconcile/chapters/07-mysql-cluster/show"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// replica follows a master: it has its binlog sent, from a place on, and
// executes event after event. The place behind an event goes into the same
// record of the redo log as what the event did, so there is no moment in which
// a kill would leave one without the other: a replica that starts again goes on
// with the next event, and no row is there twice and none is missing.
//
// MySQL has two threads for this, one that reads into a relay log and one that
// executes from there. Here they are two switches of one goroutine: without the
// first it is not connected, and without the second it reads and throws away.
type replica struct {
	server *server
	ctx    context.Context // the server's, from run on

	command sync.Mutex // held by START, STOP, CHANGE and RESET, one at a time

	mu     sync.Mutex
	master *master       // nil: none
	source wire.Position // what was executed, in the master's binlog
	read   wire.Position // what was read of it

	io, sql   bool // the two switches
	state     string
	connected bool
	id        uint32    // the master's server_id; 0: it was never asked
	executing int64     // the time of the event in hand; 0: none
	since     time.Time // of this state
	lastIO    show.Failure
	lastSQL   show.Failure
	skip      skip

	alone bool // between begin and finish; only the goroutine asks

	hangUp context.CancelFunc // ends the goroutine
	done   chan struct{}      // closed when it has ended; nil: it never ran
}

// openReplica returns the replica of a server, which does not run yet.
func openReplica(s *server) (*replica, error) {
	r := &replica{server: s, since: time.Now()}
	var err error
	if r.master, err = readMaster(s.data); err != nil || r.master == nil {
		return r, err
	}
	r.source = r.master.resume(&s.redo.last)
	r.read = r.source
	return r, nil
}

// startWithServer starts both threads if there is a master, as mysqld does
// whatever they did when it ended.
func (r *replica) startWithServer(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ctx = ctx
	if r.master != nil && r.server.ServerID != 0 && !r.server.SkipSlaveStart {
		r.launch(true, true)
	}
}

// commanded takes both locks, and returns what gives them back. While halt
// waits for the goroutine, which needs the second, the first keeps others out.
func (r *replica) commanded() (release func()) {
	r.command.Lock()
	r.mu.Lock()
	return func() {
		r.mu.Unlock()
		r.command.Unlock()
	}
}

// start does START SLAVE. A thread that runs already goes on.
func (r *replica) start(reads, executes bool) error {
	defer r.commanded()()
	switch {
	case r.server.ServerID == 0:
		return sql.NewError(1794)
	case r.master == nil:
		return sql.NewError(1200)
	}
	if !reads && !executes {
		reads, executes = true, true
	}
	if reads && !r.io || executes && !r.sql {
		r.halt()
		if executes && !r.sql {
			r.skip.begin(r.source)
		}
		r.launch(r.io || reads, r.sql || executes)
	}
	return nil
}

// stop does STOP SLAVE. When it returns, nothing is executed any more.
func (r *replica) stop(reads, executes bool) error {
	defer r.commanded()()
	if r.server.ServerID == 0 {
		return sql.NewError(1794)
	}
	if !reads && !executes {
		reads, executes = true, true
	}
	r.halt()
	r.launch(r.io && !reads, r.sql && !executes)
	return nil
}

// launch sets the switches, and has the goroutine run if it is to be connected.
// r.mu is held, and it does not run.
func (r *replica) launch(reads, executes bool) {
	r.io, r.sql, r.since = reads, executes, time.Now()
	r.read, r.done, r.hangUp = r.source, nil, nil
	if executes {
		r.lastSQL = show.Failure{}
	}
	if !reads {
		return
	}
	r.lastIO = show.Failure{}
	var ctx context.Context
	ctx, r.hangUp = context.WithCancel(r.ctx)
	done := make(chan struct{})
	r.done = done
	go func() {
		defer close(done)
		r.follow(ctx)
	}()
}

// halt ends the goroutine. r.mu is held, and free in between.
func (r *replica) halt() {
	done := r.done
	if done == nil {
		return
	}
	r.hangUp()
	r.mu.Unlock()
	<-done
	r.mu.Lock()
	r.state, r.connected = "", false
}

// wait returns when the goroutine has ended with the server.
func (r *replica) wait() {
	defer r.commanded()()
	r.halt()
}
