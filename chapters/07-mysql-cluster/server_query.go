package mysqlcluster

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Query implements Handler.
func (c *client) Query(
	ctx context.Context, _ *Session, sql string,
) (*Result, error) {
	c.doing("Query", sql)
	defer c.doing("Sleep", "")
	st, err := Parse(sql)
	if err != nil {
		return nil, err
	}
	if result, ok := c.Answer(st); ok {
		return result, nil
	}
	if Writes(st) {
		return c.write(ctx, st, sql)
	}
	result, err := c.manage(ctx, st)
	if errors.Is(err, errNotManaged) {
		return c.read(st)
	}
	if result == nil && err == nil {
		result = &Result{}
	}
	return result, err
}

// Dump implements Dumper.
func (c *client) Dump(
	ctx context.Context, _ *Session, from Position, send func([]byte) error,
) error {
	c.doing("Binlog Dump", "")
	if c.binlog == nil {
		return unreadable("Binary log is not open")
	}
	return c.binlog.dump(ctx, place{from.File, int64(from.Pos)}, send)
}

// Statistics implements Statistician.
func (c *client) Statistics() string {
	return fmt.Sprintf("Uptime: %d  Threads: %d  Questions: 0  Slow queries: 0  "+
		"Opens: 0  Flush tables: 1  Open tables: 0  Queries per second avg: 0.000",
		seconds(c.began), len(c.clients.all()))
}

// write executes a statement that changes something. Whether it may is asked
// when nobody can change that any more.
func (c *client) write(
	ctx context.Context, st Statement, sql string,
) (*Result, error) {
	if err := c.gate.enter(ctx, c.ID); err != nil {
		return nil, err
	}
	defer c.gate.leave()
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	if err := refuse(&c.Options, c.User); err != nil {
		return nil, err
	}
	e := &event{Time: time.Now().Unix(), DB: c.DB, SQL: sql}
	result, err := c.commit(st, e, place{}, c.vars(e.Time))
	if err == nil {
		c.forget(st)
	}
	return result, err
}

// refuse says why a client may not change anything, or nil. root passes
// read_only, as everybody does who may SUPER; nobody passes super_read_only.
// A replica's changes do not come from a client, and are not asked for.
//
//book:exercise 7.2
func refuse(o *Options, user string) error {
	switch {
	case o.SuperReadOnly:
		return newError(1290, "--super-read-only")
	case o.ReadOnly && user != "root":
		return newError(1290, "--read-only")
	}
	return nil
}

// forget leaves a database that was dropped.
func (c *client) forget(st Statement) {
	if drop, ok := st.(*DropDatabase); ok && drop.DB == c.DB {
		c.DB = ""
	}
}

// read executes a statement that changes nothing.
func (c *client) read(st Statement) (*Result, error) {
	c.server.mu.RLock()
	defer c.server.mu.RUnlock()
	if c.failed != nil {
		return nil, c.failed
	}
	result, err := c.tables.Execute(c.DB, st, c.vars(time.Now().Unix()))
	if use, ok := st.(*Use); ok && err == nil {
		c.DB = use.DB
	}
	return result, err
}

// vars answers for what a statement of this client asks.
func (c *client) vars(now int64) Vars {
	return func(name string) (Value, bool) {
		if name == "timestamp" {
			return now, true
		}
		if v, ok := c.Var(name); ok {
			return v, true
		}
		v, ok := c.variable(name)
		return v.selected(), ok
	}
}

// errNotManaged is a statement that is about tables.
var errNotManaged = errors.New("not about the server")

// manage executes a statement about the server.
func (c *client) manage(
	ctx context.Context, st Statement,
) (*Result, error) {
	switch st := st.(type) {
	case *Show:
		return c.show(st)
	case *Set:
		return nil, c.set(st)
	case *ChangeMaster:
		return nil, c.replica.change(st)
	case *StartSlave:
		return nil, c.replica.start(st.IO, st.SQL)
	case *StopSlave:
		return nil, c.replica.stop(st.IO, st.SQL)
	case *ResetSlave:
		return nil, c.replica.reset(st.All)
	case *ResetMaster:
		return nil, c.nextBinlog(ctx, true)
	case *Flush:
		return nil, c.flush(ctx, st)
	case *UnlockTables:
		c.gate.open(c.ID)
		return nil, nil
	case *Kill:
		return nil, c.clients.kill(st.ID)
	}
	return nil, errNotManaged
}

func (c *client) flush(ctx context.Context, st *Flush) error {
	switch st.What {
	case "TABLES WITH READ LOCK":
		return c.gate.close(ctx, c.ID)
	case "LOGS":
		return c.nextBinlog(ctx, false)
	}
	return nil // there is nothing that would have to be flushed
}

// nextBinlog begins another binlog, the next one or the first of all.
func (c *client) nextBinlog(ctx context.Context, reset bool) error {
	if c.binlog == nil {
		if reset {
			return newError(1186)
		}
		return nil
	}
	if err := c.gate.enter(ctx, c.ID); err != nil {
		return err
	}
	defer c.gate.leave()
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	begin := c.binlog.begin
	if reset {
		begin = c.binlog.startOver
	}
	if err := c.stepTo(begin()); err != nil {
		return c.fail(err)
	}
	return nil
}
