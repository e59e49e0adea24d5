package sql

import (
	"cmp"
	"slices"
	"strings"
)

// alter takes ALTER TABLE t ADD COLUMN c INT. Of all that can be altered this is
// what there is.
func (p *parser) alter() Statement {
	p.mustWord("TABLE")
	s := &AlterTable{Name: p.tableName()}
	p.list(func() { s.Add = append(s.Add, p.addColumn()) })
	return s
}

func (p *parser) addColumn() AddColumn {
	if !p.word("ADD") {
		if p.next.kind == tokenWord {
			p.lack("ALTER TABLE " + strings.ToUpper(p.next.text))
		}
		p.fail()
	}
	if !p.word("COLUMN") && reserved[strings.ToLower(p.next.text)] ||
		p.next.text == "(" {
		p.lack("ALTER TABLE ADD " + strings.ToUpper(p.next.text))
	}
	var with CreateTable
	p.column(&with)
	if with.Primary != nil || with.Unique != nil {
		p.lack("ALTER TABLE ADD COLUMN with a key")
	}
	a := AddColumn{Column: with.Columns[0]}
	if a.First = p.word("FIRST"); !a.First && p.word("AFTER") {
		a.After = p.name()
	}
	return a
}

// alter puts a new table in the place of one.
func (t *Tables) alter(in *scope, s *AlterTable) (*Result, error) {
	tables, err := t.changeable(cmp.Or(s.Name.DB, in.db))
	if err != nil {
		return nil, err
	}
	old, err := t.find(in, s.Name)
	if err != nil {
		return nil, err
	}
	more := old
	for _, a := range s.Add {
		if more, err = more.with(in, s.Name.Table, a); err != nil {
			return nil, err
		}
	}
	tables[s.Name.Table] = more
	return &Result{Info: sayRecords(0)}, nil
}

// with returns a table that has one more column, with the same rows.
func (t *table) with(in *scope, name string, a AddColumn) (*table, error) {
	at := len(t.columns)
	if a.First {
		at = 0
	} else if a.After != "" {
		if at = t.column(a.After) + 1; at == 0 {
			return nil, NewError(1054, a.After, name)
		}
	}
	named := func(columns []int) []string {
		var all []string
		for _, i := range columns {
			all = append(all, t.columns[i].Name)
		}
		return all
	}
	s := &CreateTable{
		Columns: slices.Insert(slices.Clone(t.columns), at, a.Column),
		Primary: named(t.primary), AutoIncrement: t.next,
	}
	for _, key := range t.unique {
		s.Unique = append(s.Unique, Key{key.name, named(key.columns)})
	}
	more, err := newTable(in, s)
	if err != nil {
		return nil, err
	}
	more.charset, more.came = t.charset, t.came
	value, err := a.Column.ofOldRows(in)
	if err != nil && t.rows.Len() > 0 {
		return nil, err
	}
	t.rows.Ascend(func(r *row) bool {
		values := slices.Insert(slices.Clone(r.values), at, value)
		more.swap(nil, &row{values, r.came}) // the keys are the same
		return true
	})
	return more, nil
}

// ofOldRows returns what is in a new column: its default or, if there must be
// something and none is said, 0 or an empty string.
func (c *Column) ofOldRows(in *scope) (Value, error) {
	switch {
	case c.Default != nil || !c.NotNull:
		v, err := c.byDefault(in)
		if err != nil {
			return nil, err
		}
		return c.convert(v, 1)
	case c.isNumber():
		return int64(0), nil
	case c.Type == "datetime" || c.Type == "timestamp":
		return nil, NewError(1292, "datetime", "0000-00-00 00:00:00", c.Name, 1)
	}
	return "", nil
}
