package mysqlcluster

import (
	"context"
	"time"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// write executes a statement that changes something. It asks whether it may
// when the answer cannot change any more.
func (c *connection) write(
	ctx context.Context, st sql.Statement, query string,
) (*sql.Result, error) {
	if err := c.server.gate.enter(ctx, c.ID); err != nil {
		return nil, err
	}
	defer c.server.gate.leave()
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	if err := refuse(&c.server.Options, c.User); err != nil {
		return nil, err
	}
	e := &event{Time: time.Now().Unix(), DB: c.DB, SQL: query}
	result, err := c.server.commit(st, e, wire.Position{}, c.vars(e.Time))
	if err == nil {
		c.forget(st)
	}
	return result, err
}

// refuse says why a client may not change anything, or nil. root passes
// read_only, as does any user with the privilege SUPER; no user passes
// super_read_only. A replica's changes do not come from a client, and are not
// asked for.
func refuse(o *Options, user string) error {
	switch {
	case o.SuperReadOnly:
		return sql.NewError(1290, "--super-read-only")
	case o.ReadOnly && user != "root":
		return sql.NewError(1290, "--read-only")
	}
	return nil
}
