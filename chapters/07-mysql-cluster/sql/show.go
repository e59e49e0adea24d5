package sql

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// show answers what is about databases and tables.
func (t *Tables) show(in *scope, s *Show) (*Result, error) {
	switch s.What {
	case "DATABASES":
		return t.showDatabases(s), nil
	case "TABLES":
		return t.showTables(in, s)
	case "COLUMNS", "CREATE TABLE":
		table, err := t.find(in, s.Name)
		if err != nil {
			return nil, err
		}
		if s.What == "COLUMNS" {
			return table.describe(s), nil
		}
		return &Result{
			Columns: []string{"Table", "Create Table"},
			Rows: [][]Value{{
				s.Name.Table, table.definition(s.Name.Table)}},
		}, nil
	}
	return nil, NewError(1235, "SHOW "+s.What)
}

// wants reports whether SHOW is to show what has this name.
func (s *Show) wants(name string) bool {
	return !s.IsLike || Like(name, s.Like)
}

// titled returns the first column of a result, which says what was asked for.
func (s *Show) titled(title string) []string {
	if s.IsLike {
		title += " (" + s.Like + ")"
	}
	return []string{title}
}

func (t *Tables) showDatabases(s *Show) *Result {
	r := &Result{Columns: s.titled("Database")}
	names := slices.SortedFunc(maps.Keys(t.databases), func(a, b string) int {
		first := systemDatabases[0]
		return cmp.Or(-cmp.Compare(number(truth(a == first)),
			number(truth(b == first))), cmp.Compare(a, b))
	})
	for _, name := range names {
		if s.wants(name) {
			r.Rows = append(r.Rows, []Value{name})
		}
	}
	return r
}

func (t *Tables) showTables(in *scope, s *Show) (*Result, error) {
	db := cmp.Or(s.Name.DB, in.db)
	tables, err := t.database(db)
	if err != nil {
		return nil, err
	}
	r := &Result{Columns: s.titled("Tables_in_" + db)}
	if s.Full {
		r.Columns = append(r.Columns, "Table_type")
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		row := []Value{name, "BASE TABLE"}
		if s.wants(name) {
			r.Rows = append(r.Rows, row[:len(r.Columns)])
		}
	}
	return r, nil
}

func (t *table) describe(s *Show) *Result {
	r := &Result{Columns: []string{
		"Field", "Type", "Null", "Key", "Default", "Extra"}}
	for i, c := range t.columns {
		null, extra := "YES", ""
		if c.NotNull {
			null = "NO"
		}
		if c.AutoIncrement {
			extra = "auto_increment"
		}
		var value Value
		switch e := c.Default.(type) {
		case *Literal:
			if e.Value != nil {
				value = Text(e.Value)
			}
		case *Call:
			value = "CURRENT_TIMESTAMP"
		}
		if s.wants(c.Name) {
			r.Rows = append(r.Rows, []Value{
				c.Name, c.typeName(), null, t.keyOf(i), value, extra})
		}
	}
	return r
}

// keyOf says of a column which key it is the first of.
func (t *table) keyOf(column int) string {
	if slices.Contains(t.primary, column) {
		return "PRI"
	}
	for _, key := range t.unique {
		if key.columns[0] == column {
			if len(key.columns) > 1 {
				return "MUL"
			}
			return "UNI"
		}
	}
	return ""
}

func sayRecords(n int) string {
	return fmt.Sprintf("Records: %d  Duplicates: 0  Warnings: 0", n)
}

func sayMatched(rows, changed int) string {
	return fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: 0",
		rows, changed)
}
