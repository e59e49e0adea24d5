package mysqlcluster

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/kubetest"
)

// A master is killed after each write of one statement, with its two logs
// written in either order.
func TestRunOfTwoLogs(t *testing.T) {
	var log bytes.Buffer
	for _, l := range []twoLogs{{RedoFirst: true}, {}} {
		if l.RedoFirst {
			fmt.Fprintln(&log, "# part: redo")
		} else {
			fmt.Fprintln(&log, "# part: binlog")
		}
		for writes := range 3 {
			folder, left := folder.NewMemory(), 1000
			err := l.Write(limited{Folder: folder, Left: &left},
				func() { left = writes }, told...)
			require.Equal(t, writes < 2, err != nil)
			master, slave, err := l.Found(folder, "SELECT id FROM orders")
			require.NoError(t, err)
			fmt.Fprintf(&log, "killed after write %d   master: %-6s  slave: %s\n",
				writes, master, slave)
		}
	}
	kubetest.Recorded(t, "logs.txt", log.Bytes())
}

// A twoLogs is a master that writes them in the book's order, or in the other.
type twoLogs struct{ RedoFirst bool }

func open(folder folder.Folder) (*server, error) {
	return openServer(settings{
		Options: Options{ServerID: 100, LogBin: "mysql-0-bin"},
	}, folder, &errorLog{io.Discard})
}

// Write executes statements until a write fails. Before the last one, begin is
// called.
func (l twoLogs) Write(
	folder folder.Folder, begin func(), statements ...string,
) error {
	s, err := open(folder)
	if err != nil {
		return err
	}
	for i, statement := range statements {
		if i == len(statements)-1 {
			begin()
		}
		st, err := sql.Parse(statement)
		if err != nil {
			return err
		}
		e := &event{DB: "shop", SQL: statement}
		none := func(string) (sql.Value, bool) { return nil, false }
		if !l.RedoFirst {
			_, err = s.commit(st, e, wire.Position{}, none)
		} else {
			err = s.keepRedoFirst(&change{event: *e})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepRedoFirst is keep as one would write it at first: our own log comes before
// that of the slaves.
func (s *server) keepRedoFirst(c *change) (err error) {
	if err = s.redo.append(c); err != nil {
		return err
	}
	s.redo.last.Binlog, err = s.binlog.append(&c.event)
	return err
}

// Found starts a master on a folder, and says what it has, and what a slave has
// that reads its binlog from the beginning.
func (l twoLogs) Found(folder folder.Folder, query string) (master, slave string, err error) {
	s, err := open(folder)
	if err != nil {
		return "", "", err
	}
	tables := sql.NewTables()
	err = s.binlog.after(wire.Position{File: s.binlog.files[0], Pos: int64(len(binlogMagic))},
		func(e *event, _ wire.Position) error { return run(tables, e.SQL) })
	return ask(s.tables, query), ask(tables, query), err
}

// A master is killed after each of the three steps of one statement, in each of
// their six orders, and started again. Exercise 7p asks how often the order is
// where.
func TestRunOfSixOrders(t *testing.T) {
	var log bytes.Buffer
	for _, order := range []string{
		"binlog publish redo", "binlog redo publish", "publish binlog redo",
		"publish redo binlog", "redo binlog publish", "redo publish binlog",
	} {
		steps := strings.Fields(order)
		for n, last := range steps {
			folder := folder.NewMemory()
			require.NoError(t, twoLogs{}.Write(folder, func() {}, told[:len(told)-1]...))
			s, err := open(folder)
			require.NoError(t, err)
			e := event{DB: "shop", SQL: told[len(told)-1]}
			require.NoError(t, s.keepInOrder(&change{event: e}, steps[:n+1]))
			heard, err := s.heard(e.SQL)
			require.NoError(t, err)
			s, err = open(folder)
			require.NoError(t, err)
			slave, err := s.readBy()
			require.NoError(t, err)
			times := func(tables *sql.Tables) int {
				return len(strings.Fields(ask(tables, "SELECT id FROM orders WHERE id = 3")))
			}
			fmt.Fprintf(&log, "%s, killed after %-9s   %d %d %d\n", order, last, heard, times(s.tables), times(slave))
		}
	}
	kubetest.Recorded(t, "../exercises/7p.txt", log.Bytes())
}

// keepInOrder is keep with these steps, until it is killed.
func (s *server) keepInOrder(c *change, steps []string) (err error) {
	c.Binlog = s.redo.last.Binlog
	for _, step := range steps {
		switch step {
		case "binlog":
			c.Binlog, err = s.binlog.append(&c.event)
		case "publish":
			s.binlog.publish()
		case "redo":
			err = s.redo.append(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// heard returns how often slaves may have been told a statement.
func (s *server) heard(statement string) (times int, err error) {
	end := s.binlog.status()
	err = s.binlog.after(wire.Position{File: end.File, Pos: int64(len(binlogMagic))},
		func(e *event, at wire.Position) error {
			if e.SQL == statement && at.Pos <= end.Pos {
				times++
			}
			return nil
		})
	return times, err
}

// readBy returns the tables of a slave that has read all of the binlog.
func (s *server) readBy() (*sql.Tables, error) {
	tables := sql.NewTables()
	for _, file := range s.binlog.files {
		err := s.binlog.after(wire.Position{File: file, Pos: int64(len(binlogMagic))},
			func(e *event, _ wire.Position) error { return run(tables, e.SQL) })
		if err != nil {
			return nil, err
		}
	}
	return tables, nil
}
