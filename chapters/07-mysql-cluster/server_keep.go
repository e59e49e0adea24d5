package mysqlcluster

import (
	"fmt"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// commit executes a statement and keeps it in all logs. An *Error is the
// statement's own, and nothing has happened. The gate and s.mu are held.
func (s *server) commit(
	st sql.Statement, e *event, source wire.Position, vars sql.Vars,
) (*sql.Result, error) {
	if s.failed != nil {
		return nil, s.failed
	}
	result, err := s.tables.Execute(e.DB, st, e.asking(vars))
	if err != nil {
		return nil, err
	}
	c := &change{event: *e, Source: source}
	local := source == (wire.Position{})
	if local {
		c.Source = s.redo.last.Source
	}
	if err := s.keep(c, local); err != nil {
		return nil, s.fail(err)
	}
	return result, nil
}

// keep writes a change to the binlog, if it came from a client, and to the redo
// log; then slaves may have it. A change that came from a master goes into no
// binlog (MySQL: log_slave_updates, which is off). s.mu is held.
//
//book:exercise 7.7
func (s *server) keep(c *change, local bool) (err error) {
	c.Binlog = s.redo.last.Binlog
	logged := s.binlog != nil && local
	if logged {
		if c.Binlog, err = s.binlog.append(&c.event); err != nil {
			return err
		}
	}
	if err = s.redo.append(c); err != nil {
		return err
	}
	if logged {
		s.binlog.publish()
	}
	if s.redo.isLong() {
		return s.redo.checkpoint(s.tables.Script())
	}
	return nil
}

// fail ends the server: the tables have what no log has, and no reader may see
// it. The next one begins with what the logs have. s.mu is held.
func (s *server) fail(err error) error {
	s.log.error(err.Error())
	s.failed = err
	s.stop()
	return err
}

// asking notes in the event what its statement asks for.
func (e *event) asking(vars sql.Vars) sql.Vars {
	return func(name string) (sql.Value, bool) {
		if v, ok := e.vars(name); ok {
			return v, true
		}
		v, ok := vars(name)
		if ok {
			e.Asked = append(e.Asked, answer{name, v})
		}
		return v, ok
	}
}

// vars implements Vars with what the event was told when it was new.
func (e *event) vars(name string) (sql.Value, bool) {
	for _, a := range e.Asked {
		if a.Name == name {
			return a.Value, true
		}
	}
	return nil, false
}

// repeat executes an event once more, and tells it what it was told then.
func (s *server) repeat(e *event) error {
	st, err := sql.Parse(e.SQL)
	if err == nil {
		_, err = s.tables.Execute(e.DB, st, e.vars)
	}
	if err != nil {
		return fmt.Errorf("repeat %q: %w", e.SQL, err)
	}
	return nil
}
