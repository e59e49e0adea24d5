package sql

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Tables are databases in memory. The same statements in the same order, with
// the same Vars, give the same tables. It has no lock of its own: a writer is
// alone, readers may be several.
type Tables struct {
	databases map[string]map[string]*table
	charsets  map[string]Charset // of databases that were given one
}

// systemDatabases are there from the beginning, and belong to the server.
var systemDatabases = []string{
	"information_schema", "mysql", "performance_schema", "sys",
}

// NewTables returns the databases of a new server: those of the system, which
// are names with nothing behind them.
func NewTables() *Tables {
	t := &Tables{map[string]map[string]*table{}, map[string]Charset{}}
	for _, db := range systemDatabases {
		t.databases[db] = map[string]*table{}
	}
	return t
}

// Execute does a statement, or nothing of it and returns an *Error. What is about
// the server and not about tables is error 1235.
func (t *Tables) Execute(db string, s Statement, vars Vars) (*Result, error) {
	in := &scope{db: db, vars: vars}
	switch s := s.(type) {
	case *Select:
		return t.selectRows(in, s)
	case *Insert:
		return t.insert(in, s)
	case *Update:
		return t.update(in, s)
	case *Delete:
		return t.delete(in, s)
	case *Truncate:
		return t.truncate(in, s)
	case *Use:
		_, err := t.database(s.DB)
		return &Result{}, err
	case *CreateDatabase:
		return t.createDatabase(s)
	case *DropDatabase:
		return t.dropDatabase(s)
	case *CreateTable:
		return t.createTable(in, s)
	case *AlterTable:
		return t.alter(in, s)
	case *DropTable:
		return t.dropTable(in, s)
	case *Show:
		return t.show(in, s)
	}
	return nil, NewError(1235, strings.TrimPrefix(
		fmt.Sprintf("%T", s), "*sql."))
}

func (t *Tables) database(db string) (map[string]*table, error) {
	if db == "" {
		return nil, NewError(1046)
	}
	tables, ok := t.databases[db]
	if !ok {
		return nil, NewError(1049, db)
	}
	return tables, nil
}

// changeable returns database, where it is not one of the system's.
func (t *Tables) changeable(db string) (map[string]*table, error) {
	if slices.Contains(systemDatabases, db) {
		return nil, NewError(1044, "root", db)
	}
	return t.database(db)
}

// find returns a table. in knows its columns from then on.
func (t *Tables) find(in *scope, n Name) (*table, error) {
	db := cmp.Or(n.DB, in.db)
	tables, err := t.database(db)
	if err != nil {
		return nil, err
	}
	if slices.Contains(systemDatabases, db) {
		return nil, NewError(1235, db+"."+n.Table)
	}
	in.name = Name{db, n.Table}
	if in.table = tables[n.Table]; in.table == nil {
		return nil, NewError(1146, db, n.Table)
	}
	return in.table, nil
}

func (t *Tables) createDatabase(s *CreateDatabase) (*Result, error) {
	if t.databases[s.DB] != nil {
		err := NewError(1007, s.DB)
		if s.IfNotExists {
			return &Result{Affected: 1, Warnings: []Warning{note(err)}}, nil
		}
		return nil, err
	}
	t.databases[s.DB] = map[string]*table{}
	if s.Charset != (Charset{}) {
		t.charsets[s.DB] = s.Charset
	}
	return &Result{Affected: 1}, nil
}

func (t *Tables) dropDatabase(s *DropDatabase) (*Result, error) {
	if t.databases[s.DB] == nil {
		err := NewError(1008, s.DB)
		if s.IfExists {
			return &Result{Warnings: []Warning{note(err)}}, nil
		}
		return nil, err
	}
	tables, err := t.changeable(s.DB)
	if err != nil {
		return nil, err
	}
	delete(t.databases, s.DB)
	delete(t.charsets, s.DB)
	return &Result{Affected: uint64(len(tables))}, nil
}

func (t *Tables) createTable(in *scope, s *CreateTable) (*Result, error) {
	tables, err := t.changeable(cmp.Or(s.Name.DB, in.db))
	if err != nil {
		return nil, err
	}
	if tables[s.Name.Table] != nil {
		err := NewError(1050, s.Name.Table)
		if s.IfNotExists {
			return &Result{Warnings: []Warning{note(err)}}, nil
		}
		return nil, err
	}
	table, err := newTable(in, s)
	if err != nil {
		return nil, err
	}
	table.charset = cmp.Or(s.Charset, t.charsets[cmp.Or(s.Name.DB, in.db)])
	tables[s.Name.Table] = table
	return &Result{}, nil
}

// dropTable drops all of its tables or, when one is missing, none.
func (t *Tables) dropTable(in *scope, s *DropTable) (*Result, error) {
	var missing []string
	for _, n := range s.Names {
		n.DB = cmp.Or(n.DB, in.db)
		tables, err := t.changeable(n.DB)
		if err != nil && AsError(err).Code != 1049 {
			return nil, err
		}
		if tables[n.Table] == nil {
			missing = append(missing, n.DB+"."+n.Table)
		}
	}
	r := &Result{}
	if missing != nil {
		err := NewError(1051, strings.Join(missing, ","))
		if !s.IfExists {
			return nil, err
		}
		for _, name := range missing {
			r.Warnings = append(r.Warnings, note(NewError(1051, name)))
		}
	}
	for _, n := range s.Names {
		delete(t.databases[cmp.Or(n.DB, in.db)], n.Table)
	}
	return r, nil
}

func (t *Tables) truncate(in *scope, s *Truncate) (*Result, error) {
	table, err := t.find(in, s.Name)
	if err == nil {
		table.empty()
	}
	return &Result{}, err
}

// insertedAtOnce is how many rows one statement of a Script has.
const insertedAtOnce = 500

// Script returns the statements that make these tables anew, with Restore, from
// those of a new server: what mysqldump would print, and the database that each
// is for.
func (t *Tables) Script() iter.Seq2[string, string] {
	return func(yield func(db, sql string) bool) {
		for _, db := range slices.Sorted(maps.Keys(t.databases)) {
			if slices.Contains(systemDatabases, db) {
				continue
			}
			if !yield("", "CREATE DATABASE "+Backquote(db)+
				t.charsets[db].option(" CHARACTER SET ", " COLLATE ")) {
				return
			}
			tables := t.databases[db]
			for _, name := range slices.Sorted(maps.Keys(tables)) {
				for sql := range tables[name].script(name) {
					if !yield(db, sql) {
						return
					}
				}
			}
		}
	}
}

// Restore executes a statement of a Script. A number 0 for AUTO_INCREMENT is
// then no call for another one.
func (t *Tables) Restore(db, sql string) error {
	s, err := Parse(sql)
	if err != nil {
		return err
	}
	_, err = t.Execute(db, s, func(name string) (Value, bool) {
		return "NO_AUTO_VALUE_ON_ZERO", name == "sql_mode"
	})
	return err
}
