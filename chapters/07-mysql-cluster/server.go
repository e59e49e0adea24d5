package mysqlcluster

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// server is one MySQL server over a data directory: tables in memory, a log
// from which they are made again, and perhaps a binlog for others and a master
// of its own.
//
// A statement that changes something goes through the gate, alone. It is
// executed, written to the binlog, written to the redo log, and only then is it
// told: to the client, to readers, and to slaves.
type server struct {
	settings
	data  folder.Folder
	log   *errorLog
	began time.Time
	gate  *gate

	mu     sync.RWMutex // guards tables, switches, and what is written
	tables *sql.Tables
	redo   *redo
	binlog *binlog // nil: without log-bin
	failed error   // what is in memory is not what is in the logs

	replica     *replica
	connections connections
	stop        context.CancelFunc // ends run
}

// settings are what a server is made with.
type settings struct {
	Options
	Version  string // "5.7.44"
	Hostname string
	Password string // root's
	Dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// openServer reads a data directory, and brings its logs to agree.
func openServer(s settings, data folder.Folder, log *errorLog) (*server, error) {
	server := &server{
		settings: s, data: data, log: log, began: time.Now(),
		gate: newGate(), tables: sql.NewTables(), stop: func() {},
	}
	err := server.recover()
	if err == nil {
		server.replica, err = openReplica(server)
	}
	if err != nil {
		server.close()
		return nil, err
	}
	return server, nil
}

// recover makes the tables from the redo log, and then does what the binlog
// has and the redo log has not.
func (s *server) recover() error {
	var err error
	s.redo, err = openRedo(s.data, func(c *change) error {
		return s.repeat(&c.event)
	})
	if err != nil {
		return err
	}
	if s.redo.torn > 0 {
		s.log.note("InnoDB: Database was not shutdown normally!")
		s.log.note("InnoDB: Starting crash recovery.")
	}
	if s.LogBin == "" {
		return nil
	}
	if s.binlog, err = openBinlog(s.data, s.LogBin); err != nil {
		return err
	}
	err = s.binlog.after(s.redo.last.Binlog, func(e *event, end wire.Position) error {
		s.log.note("Recovering after a crash using " + end.File)
		if err := s.repeat(e); err != nil {
			return err
		}
		return s.redo.append(&change{
			event: *e, Binlog: end, Source: s.redo.last.Source})
	})
	if err != nil {
		return err
	}
	return s.stepTo(s.binlog.begin())
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

// vars implements Vars with what the event was told when it was new.
func (e *event) vars(name string) (sql.Value, bool) {
	for _, a := range e.Asked {
		if a.Name == name {
			return a.Value, true
		}
	}
	return nil, false
}

// stepTo notes that the binlog has come to a place without a statement.
func (s *server) stepTo(at wire.Position, err error) error {
	if err != nil {
		return err
	}
	return s.redo.append(&change{Binlog: at, Source: s.redo.last.Source})
}

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

// fail ends the server: the tables have what no log has, and no reader may see
// it. The next one begins with what the logs have. s.mu is held.
func (s *server) fail(err error) error {
	s.log.error(err.Error())
	s.failed = err
	s.stop()
	return err
}

// close closes the files, and returns why nothing more could be written to
// them.
func (s *server) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	failed := s.failed
	if failed == nil {
		s.failed = net.ErrClosed
	}
	if s.redo != nil {
		s.redo.close()
	}
	if s.binlog != nil {
		s.binlog.close()
	}
	return failed
}
