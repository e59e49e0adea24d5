package mysqlcluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reconcile/chapters/07-mysql-cluster/show"
	"reconcile/chapters/07-mysql-cluster/sql"
)

// receive notes that an event was read, and executes it if that is wanted.
func (r *replica) receive(ctx context.Context, e *event, end int64) error {
	r.mu.Lock()
	r.read.Pos = end
	wanted, at := r.sql, r.read
	if wanted {
		r.executing = e.Time
	}
	r.mu.Unlock()
	if !wanted {
		return nil
	}
	err := r.execute(ctx, e, at)
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
