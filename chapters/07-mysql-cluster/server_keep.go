package mysqlcluster

import (
	"reconcile/chapters/07-mysql-cluster/sql"
)

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

// keep writes a change to the binlog, if it came from a client, and to the redo
// log; then slaves may have it. A change that came from a master goes into no
// binlog (MySQL: log_slave_updates, which is off). s.mu is held.
//
//book:exercise 7g
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
