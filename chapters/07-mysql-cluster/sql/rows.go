package sql

import (
	"cmp"
	"slices"
	"strings"
)

func (t *Tables) insert(in *scope, s *Insert) (*Result, error) {
	table, err := t.find(in, s.Name)
	if err != nil {
		return nil, err
	}
	columns, err := table.named(s.Columns)
	if err != nil {
		return nil, err
	}
	if err := in.checkRows(s, len(columns)); err != nil {
		return nil, err
	}
	r := &Result{Affected: uint64(len(s.Rows))}
	if len(s.Rows) > 1 {
		r.Info = sayRecords(len(s.Rows))
	}
	c := table.begin()
	for i, exprs := range s.Rows {
		values, id, err := table.newRow(in, columns, exprs, i+1)
		if err == nil {
			table.came++
			err = c.swap(nil, &row{values, table.came})
		}
		if err != nil {
			c.undo()
			return nil, err
		}
		if r.InsertID == 0 {
			r.InsertID = uint64(id)
		}
	}
	return r, nil
}

// checkRows looks at an INSERT before it inserts anything: what is inserted
// knows no row. `()` is a row of nothing but defaults.
func (s *scope) checkRows(insert *Insert, columns int) error {
	s.table = nil
	for i, exprs := range insert.Rows {
		if len(exprs) != columns && len(exprs)+len(insert.Columns) > 0 {
			return NewError(1136, i+1)
		}
		for _, e := range exprs {
			if err := s.check(e, "field list"); err != nil {
				return err
			}
		}
	}
	return nil
}

// named returns where a statement's columns are; nil names: all of them.
func (t *table) named(names []string) ([]int, error) {
	columns := make([]int, 0, len(t.columns))
	if names == nil {
		for i := range t.columns {
			columns = append(columns, i)
		}
	}
	for _, name := range names {
		i := t.column(name)
		if i < 0 {
			return nil, NewError(1054, name, "field list")
		}
		if slices.Contains(columns, i) {
			return nil, NewError(1110, name)
		}
		columns = append(columns, i)
	}
	return columns, nil
}

// newRow returns the n-th row of an INSERT, and the number that AUTO_INCREMENT
// gave it, if it did.
func (t *table) newRow(
	in *scope, columns []int, exprs []Expr, n int,
) (values []Value, id int64, err error) {
	values = make([]Value, len(t.columns))
	given := make([]bool, len(t.columns))
	for i, e := range exprs {
		at := columns[i]
		if e == nil {
			continue // DEFAULT
		}
		if given[at] = true; err == nil {
			values[at], err = in.eval(e)
		}
	}
	for i := range t.columns {
		c := &t.columns[i]
		if !given[i] && i != t.auto && err == nil {
			values[i], err = c.byDefault(in)
		}
		if i == t.auto && values[i] == nil {
			given[i], values[i] = false, int64(0)
		}
		if err == nil {
			values[i], err = c.convert(values[i], n)
		}
		if i == t.auto && err == nil && wantsNumber(in, given[i], values[i]) {
			id = t.next
			values[i], err = c.convert(id, n)
		}
	}
	if err == nil && t.auto >= 0 {
		t.next = max(t.next, number(values[t.auto])+1)
	}
	return values, id, err
}

// wantsNumber reports whether AUTO_INCREMENT is to give a number: when nothing
// was given, or NULL, or 0 unless the mode says that 0 is meant.
func wantsNumber(in *scope, given bool, v Value) bool {
	if number(v) != 0 {
		return false
	}
	if !given {
		return true
	}
	mode, _ := in.ask("sql_mode")
	return !strings.Contains(Text(mode), "NO_AUTO_VALUE_ON_ZERO")
}

// byDefault returns the value of a column that was given none.
func (c *Column) byDefault(in *scope) (Value, error) {
	if c.Default == nil && c.NotNull {
		return nil, NewError(1364, c.Name)
	}
	return Eval(in.db, c.Default, in.vars)
}

func (t *Tables) update(in *scope, s *Update) (*Result, error) {
	table, err := t.find(in, s.Name)
	if err != nil {
		return nil, err
	}
	in.name.Table = cmp.Or(s.As, in.name.Table)
	var columns []int
	for _, a := range s.Set {
		i := table.column(a.Column)
		if i < 0 {
			return nil, NewError(1054, a.Column, "field list")
		}
		columns = append(columns, i)
		if err := in.check(a.Expr, "field list"); err != nil {
			return nil, err
		}
	}
	rows, err := table.look(in, s.Where, s.Order, s.Limit)
	if err != nil {
		return nil, err
	}
	c := table.begin()
	for i, old := range rows {
		values, err := table.changed(in, old, columns, s.Set, i+1)
		if err == nil && !slices.Equal(values, old.values) {
			err = c.swap(old, &row{values, old.came})
		}
		if err != nil {
			c.undo()
			return nil, err
		}
	}
	return &Result{
		Affected: uint64(len(c.done)), Info: sayMatched(len(rows), len(c.done)),
	}, nil
}

// changed returns a row's values after an UPDATE. An assignment sees those
// before it: after SET a = a + 1, b = a both are the same.
func (t *table) changed(
	in *scope, old *row, columns []int, set []Assignment, n int,
) ([]Value, error) {
	in.row = slices.Clone(old.values)
	for i, a := range set {
		c := &t.columns[columns[i]]
		v, err := Value(nil), error(nil)
		if a.Expr == nil {
			v, err = c.byDefault(in)
		} else {
			v, err = in.eval(a.Expr)
		}
		if err == nil {
			v, err = c.convert(v, n)
		}
		if err != nil {
			return nil, err
		}
		in.row[columns[i]] = v
	}
	return in.row, nil
}

func (t *Tables) delete(in *scope, s *Delete) (*Result, error) {
	table, err := t.find(in, s.Name)
	if err != nil {
		return nil, err
	}
	rows, err := table.look(in, s.Where, s.Order, s.Limit)
	if err != nil {
		return nil, err
	}
	for _, old := range rows {
		table.swap(old, nil) // nothing can be taken
	}
	return &Result{Affected: uint64(len(rows))}, nil
}
