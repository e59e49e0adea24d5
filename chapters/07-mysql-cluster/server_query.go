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

// Query implements Handler.
func (c *connection) Query(
	ctx context.Context, _ *wire.Session, query string,
) (*sql.Result, error) {
	c.doing("Query", query)
	defer c.doing("Sleep", "")
	st, err := sql.Parse(query)
	if err != nil {
		return nil, err
	}
	if result, ok := c.Answer(st); ok {
		return result, nil
	}
	if sql.Writes(st) {
		return c.write(ctx, st, query)
	}
	result, err := c.manage(ctx, st)
	if errors.Is(err, errNotManaged) {
		return c.read(st)
	}
	if result == nil && err == nil {
		result = &sql.Result{}
	}
	return result, err
}

// Dump implements Dumper.
func (c *connection) Dump(
	ctx context.Context, _ *wire.Session, from wire.Position, send func([]byte) error,
) error {
	c.doing("Binlog Dump", "")
	if c.server.binlog == nil {
		return unreadable("Binary log is not open")
	}
	return c.server.binlog.dump(ctx, from, send)
}

// Statistics implements Statistician.
func (c *connection) Statistics() string {
	return fmt.Sprintf("Uptime: %d  Threads: %d  Questions: 0  Slow queries: 0  "+
		"Opens: 0  Flush tables: 1  Open tables: 0  Queries per second avg: 0.000",
		show.Seconds(c.server.began), len(c.server.connections.all()))
}

// forget leaves a database that was dropped.
func (c *connection) forget(st sql.Statement) {
	if drop, ok := st.(*sql.DropDatabase); ok && drop.DB == c.DB {
		c.DB = ""
	}
}

// read executes a statement that changes nothing.
func (c *connection) read(st sql.Statement) (*sql.Result, error) {
	c.server.mu.RLock()
	defer c.server.mu.RUnlock()
	if c.server.failed != nil {
		return nil, c.server.failed
	}
	result, err := c.server.tables.Execute(c.DB, st, c.vars(time.Now().Unix()))
	if use, ok := st.(*sql.Use); ok && err == nil {
		c.DB = use.DB
	}
	return result, err
}

// vars answers for what a statement of this client asks.
func (c *connection) vars(now int64) sql.Vars {
	return func(name string) (sql.Value, bool) {
		if name == "timestamp" {
			return now, true
		}
		if v, ok := c.Var(name); ok {
			return v, true
		}
		v, ok := c.server.variable(name)
		return v.Selected(), ok
	}
}

// errNotManaged is a statement that is about tables.
var errNotManaged = errors.New("not about the server")

// manage executes a statement about the server.
func (c *connection) manage(
	ctx context.Context, st sql.Statement,
) (*sql.Result, error) {
	switch st := st.(type) {
	case *sql.Show:
		return c.show(st)
	case *sql.Set:
		return c.set(st)
	case *sql.ChangeMaster:
		return nil, c.server.replica.change(st)
	case *sql.StartSlave:
		return nil, c.server.replica.start(st.IO, st.SQL)
	case *sql.StopSlave:
		return nil, c.server.replica.stop(st.IO, st.SQL)
	case *sql.ResetSlave:
		return nil, c.server.replica.reset(st.All)
	case *sql.ResetMaster:
		return nil, c.nextBinlog(ctx, true)
	case *sql.Flush:
		return nil, c.flush(ctx, st)
	case *sql.UnlockTables:
		c.server.gate.open(c.ID)
		return nil, nil
	case *sql.Kill:
		return nil, c.server.connections.kill(st.ID)
	}
	return nil, errNotManaged
}

func (c *connection) flush(ctx context.Context, st *sql.Flush) error {
	switch st.What {
	case "TABLES WITH READ LOCK":
		return c.server.gate.close(ctx, c.ID)
	case "LOGS":
		return c.nextBinlog(ctx, false)
	}
	return nil // there is nothing that would have to be flushed
}

// nextBinlog begins another binlog, the next one or the first of all.
func (c *connection) nextBinlog(ctx context.Context, reset bool) error {
	if c.server.binlog == nil {
		if reset {
			return sql.NewError(1186)
		}
		return nil
	}
	if err := c.server.gate.enter(ctx, c.ID); err != nil {
		return err
	}
	defer c.server.gate.leave()
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	begin := c.server.binlog.begin
	if reset {
		begin = c.server.binlog.startOver
	}
	if err := c.server.stepTo(begin()); err != nil {
		return c.server.fail(err)
	}
	return nil
}
