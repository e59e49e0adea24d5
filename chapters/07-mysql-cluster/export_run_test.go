package mysqlcluster

import (
	"errors"
	"io"
	"strings"

	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// LogOf returns a redo log with these statements in it, and where each record
// ends.
func LogOf(folder folder.Folder, statements ...string) (ends []int64, err error) {
	r, err := openRedo(folder, func(*change) error { return nil })
	for _, statement := range statements {
		if err == nil {
			err = r.append(&change{event: event{DB: "shop", SQL: statement}})
			ends = append(ends, r.size)
		}
	}
	return ends, err
}

// RowsOf starts on a redo log, and returns what a SELECT finds.
func RowsOf(folder folder.Folder, query string) (string, error) {
	tables := sql.NewTables()
	r, err := openRedo(folder, func(c *change) error {
		return run(tables, c.SQL)
	})
	if err != nil {
		return "", err
	}
	return Ask(tables, query), r.close()
}

// run executes statements.
func run(tables *sql.Tables, statements ...string) error {
	for _, statement := range statements {
		st, err := sql.Parse(statement)
		if err == nil {
			_, err = tables.Execute("shop", st, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// NaiveRowsOf starts on a log that has a statement in each line.
func NaiveRowsOf(log, query string) (string, error) {
	tables := sql.NewTables()
	err := run(tables, strings.FieldsFunc(log, func(r rune) bool {
		return r == '\n'
	})...)
	return Ask(tables, query), err
}

// Ask returns the values of the first column.
func Ask(tables *sql.Tables, query string) string {
	st, err := sql.Parse(query)
	if err != nil {
		return err.Error()
	}
	result, err := tables.Execute("shop", st, nil)
	if err != nil {
		return err.Error()
	}
	var values []string
	for _, row := range result.Rows {
		values = append(values, sql.Text(row[0]))
	}
	return strings.Join(values, " ")
}

// A Follower executes statements of a master, one after the other, from the place
// on that it has written down: in the way of the book, or in one of two others.
type Follower struct {
	Folder folder.Folder
	Place  string // "file first", "file last", "in the record"
}

const placeFile = "relay-log.info"

// Follow goes on with the statements until a write fails.
func (f *Follower) Follow(statements []string) error {
	r, err := openRedo(f.Folder, func(*change) error { return nil })
	if err != nil {
		return err
	}
	for i := f.place(r); i < len(statements); i++ {
		c := &change{event: event{DB: "shop", SQL: statements[i]}}
		write := func() error {
			return folder.Replace(f.Folder, placeFile, []byte{byte(i + 1)})
		}
		switch f.Place {
		case "file first":
			err = errors.Join(write(), r.append(c))
		case "file last":
			err = errors.Join(r.append(c), write())
		default:
			c.Source = wire.Position{File: "bin", Pos: int64(i + 1)}
			err = r.append(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// place is how many statements were executed, by what is written down.
func (f *Follower) place(r *redo) int {
	if f.Place == "in the record" {
		return int(r.last.Source.Pos)
	}
	content, err := folder.ReadFile(f.Folder, placeFile)
	if err != nil || len(content) == 0 {
		return 0
	}
	return int(content[0])
}

// Limited is a folder that lives for so many writes and renames.
type Limited struct {
	folder.Folder
	Left *int
}

func (m Limited) spend() error {
	if *m.Left == 0 {
		return folder.ErrKilled
	}
	*m.Left--
	return nil
}

func (m Limited) Rename(from, to string) error {
	if err := m.spend(); err != nil {
		return err
	}
	return m.Folder.Rename(from, to)
}

func (m Limited) Open(name string, flag int) (folder.File, error) {
	file, err := m.Folder.Open(name, flag)
	return limitedFile{file, m}, err
}

type limitedFile struct {
	folder.File
	of Limited
}

func (f limitedFile) Write(b []byte) (int, error) {
	if err := f.of.spend(); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

// A TwoLogs is a master that writes them in the book's order, or in the other.
type TwoLogs struct{ RedoFirst bool }

func open(folder folder.Folder) (*server, error) {
	return openServer(settings{
		Options: Options{ServerID: 100, LogBin: "mysql-0-bin"},
	}, folder, &errorLog{io.Discard})
}

// Write executes statements until a write fails. Before the last one, begin is
// called.
func (l TwoLogs) Write(
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
		} else if err = s.redo.append(&change{event: *e}); err == nil {
			s.redo.last.Binlog, err = s.binlog.append(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Found starts a master on a folder, and says what it has, and what a slave has
// that reads its binlog from the beginning.
func (l TwoLogs) Found(folder folder.Folder, query string) (master, slave string, err error) {
	s, err := open(folder)
	if err != nil {
		return "", "", err
	}
	tables := sql.NewTables()
	err = s.binlog.after(wire.Position{File: s.binlog.files[0], Pos: int64(len(binlogMagic))},
		func(e *event, _ wire.Position) error { return run(tables, e.SQL) })
	return Ask(s.tables, query), Ask(tables, query), err
}
