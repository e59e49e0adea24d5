package mysqlcluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reconcile/chapters/07-mysql-cluster/show"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// receive notes that an event was read, and executes it if that is wanted, or
// passes over it.
func (r *replica) receive(ctx context.Context, e *event, end int64) error {
	r.mu.Lock()
	r.read.Pos = end
	wanted, at, do := r.sql, r.read, r.execute
	if r.skip.left > 0 {
		do = r.pass
	}
	if wanted {
		r.executing = e.Time
	}
	r.mu.Unlock()
	if !wanted {
		return nil
	}
	err := do(ctx, e, at)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.executing = 0
	if err == nil {
		r.source = at
		return nil
	}
	if refused := (*sql.Error)(nil); errors.As(err, &refused) {
		r.giveUp(e, refused)
		return nil
	}
	return err
}

// execute executes an event, read-only or not: it does not come from a client.
// It is kept when finish has returned.
func (r *replica) execute(ctx context.Context, e *event, at wire.Position) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	st, err := sql.Parse(e.SQL)
	if err == nil {
		_, err = r.server.commit(st, e, at, e.vars)
	}
	return err
}

// begin lets the replica be alone in its server until finish, unless it is
// already. The events of a message are written with one write, and until then
// no other may see what they did: neither the tables nor, in a backup, the log.
func (r *replica) begin(ctx context.Context) error {
	if r.alone {
		return nil
	}
	if err := r.server.gate.enter(ctx, 0); err != nil {
		return err
	}
	r.server.mu.Lock()
	r.alone, r.server.redo.held = true, true
	return nil
}

// finish writes what was executed since begin, and lets others in.
func (r *replica) finish() error {
	if !r.alone {
		return nil
	}
	s := r.server
	defer s.gate.leave()
	defer s.mu.Unlock()
	r.alone, s.redo.held = false, false
	if s.failed != nil {
		return s.failed
	}
	if err := s.redo.write(); err != nil {
		return s.fail(err)
	}
	return nil
}

// giveUp ends the execution: the master did what cannot be done here, and so
// this is no copy of the master. A person has to look. r.mu is held.
func (r *replica) giveUp(e *event, why *sql.Error) {
	r.sql = false
	r.lastSQL = show.Failure{Error: *sql.Errorf(why.Code,
		"Error '%s' on query. Default database: '%s'. Query: '%s'",
		why.Message, e.DB, e.SQL), At: time.Now()}
	r.server.log.error("Slave SQL: " + r.lastSQL.Message +
		fmt.Sprintf(", Error_code: %d", why.Code))
}
