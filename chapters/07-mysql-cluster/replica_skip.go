package mysqlcluster

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// skipCounter is the variable that says how many of the master's events are
// not executed. It may be set while the slave runs, and nothing happens then:
// the next START SLAVE that starts the SQL thread takes the number, and sets it
// back to 0. (The manual of MySQL 5.7 still says, as was true of 5.5, that it is
// refused. check_slave_skip_counter in sql/sys_vars.cc only asks whether
// gtid_mode is ON, which it never is here.)
const skipCounter = "sql_slave_skip_counter"

// skip is how a replica passes over events.
type skip struct {
	next atomic.Int64 // the variable

	// The replica's lock guards these.
	left  int64         // how many are still to be passed over
	all   int64         // how many it were in the beginning
	first wire.Position // and where that was
}

// set does SET GLOBAL. Of a number that is none of 32 bits it takes the nearest
// that is, and warns (throw_bounds_warning in sql/set_var.cc: it would be an error
// if sql_mode had STRICT_ALL_TABLES).
func (k *skip) set(v sql.SetVar, value sql.Value) ([]sql.Warning, error) {
	n, isNumber := value.(int64)
	switch {
	case v.Scope != "GLOBAL":
		return nil, sql.NewError(1229, v.Name)
	case v.Expr != nil && !isNumber:
		return nil, sql.NewError(1232, v.Name)
	}
	allowed := min(max(n, 0), math.MaxUint32)
	k.next.Store(allowed)
	if n == allowed {
		return nil, nil
	}
	return []sql.Warning{{Level: "Warning", Code: 1292, Message: fmt.Sprintf(
		"Truncated incorrect %s value: '%d'", v.Name, n)}}, nil
}

// begin takes the variable's number, for an SQL thread that starts at a place.
func (k *skip) begin(at wire.Position) {
	k.all = k.next.Swap(0)
	k.left, k.first = k.all, at
}

// pass passes over an event. The place behind it is kept, as if it had been
// executed.
func (r *replica) pass(ctx context.Context, e *event, at wire.Position) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	s := r.server
	if s.failed != nil {
		return s.failed
	}
	err := s.redo.append(&change{Binlog: s.redo.last.Binlog, Source: at})
	if err != nil {
		return s.fail(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k := &r.skip
	if k.left = max(0, k.left-e.length()); k.left == 0 {
		relay := fmt.Sprintf("relay_log_file='./%s', relay_log_pos='%d'",
			r.relayLog(), start.Pos)
		s.log.note(fmt.Sprintf("'SQL_SLAVE_SKIP_COUNTER=%d' executed at %s, "+
			"master_log_name='%s', master_log_pos='%d' and new position at %[2]s, "+
			"master_log_name='%[5]s', master_log_pos='%[6]d' ",
			k.all, relay, k.first.File, k.first.Pos, at.File, at.Pos))
	}
	return nil
}

// length returns how many events of MySQL's binlog this one is: a group, which
// is passed over as a whole however many events of it were asked for. It begins
// with the group's identifier. A statement about rows stands between BEGIN and
// COMMIT, with an event for each of a client's variables that it reads and for
// LAST_INSERT_ID(). (The one for a new AUTO_INCREMENT is not counted: whether
// there was one is seen when the statement is executed.)
func (e *event) length() int64 {
	n := int64(2)
	switch st, _ := sql.Parse(e.SQL); st.(type) {
	case *sql.Insert, *sql.Update, *sql.Delete:
		n = 4
	}
	for _, a := range e.Asked {
		if strings.HasPrefix(a.Name, "@") || a.Name == "last_insert_id()" {
			n++
		}
	}
	return n
}
