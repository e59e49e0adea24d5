package sql

import (
	"reflect"
	"slices"
	"strings"
)

// What a group has several of cannot be selected, or sorted by: MySQL's mode
// ONLY_FULL_GROUP_BY.

// checkDistinct refuses to sort by what is not selected: of rows that become one
// it can be different.
func (s *scope) checkDistinct(by []Order, fields []Field) error {
	var selected []Expr
	for _, f := range fields {
		selected = append(selected, f.Expr)
	}
	for i, o := range by {
		if name := bare(o.Expr, selected); name != "" {
			return NewError(3065, i+1, s.full(name))
		}
	}
	return nil
}

// groupKeys returns what is grouped by: what is selected may be meant by its
// name, or its place.
func (s *scope) groupKeys(all []Expr, fields []Field) ([]Expr, error) {
	keys := slices.Clone(all)
	for i, e := range all {
		c, isName := e.(*ColumnRef)
		if !isName || s.check(e, "") != nil {
			by, err := s.byName([]Order{{Expr: e}}, fields)
			if err != nil {
				return nil, NewError(1054, Text(e.(*Literal).Value), "group statement")
			}
			keys[i] = by[0].Expr
		}
		if err := s.check(keys[i], "group statement"); err != nil {
			return nil, err
		}
		if len(aggregates(keys[i])) > 0 {
			name := "GROUP BY"
			if isName {
				name = c.Name
			}
			return nil, NewError(1056, name)
		}
	}
	return keys, nil
}

// checkGrouped refuses what a group has several of.
func (s *scope) checkGrouped(fields []Field, by []Order, keys []Expr) error {
	if s.identify(keys) {
		return nil
	}
	for i, f := range fields {
		name := bare(f.Expr, keys)
		switch {
		case name != "" && keys == nil:
			return NewError(1140, i+1, s.full(name))
		case name != "":
			return NewError(1055, i+1, "SELECT list", s.full(name))
		}
	}
	for i, o := range by {
		if name := bare(o.Expr, keys); name != "" && keys != nil {
			return NewError(1055, i+1, "ORDER BY clause", s.full(name))
		}
	}
	return nil
}

// identify reports whether what is grouped by has the whole primary key in it:
// then each group is one row.
func (s *scope) identify(keys []Expr) bool {
	if s.table == nil || len(s.table.primary) == 0 {
		return false
	}
	for _, i := range s.table.primary {
		column := &ColumnRef{Name: s.table.columns[i].Name}
		if bare(column, keys) != "" {
			return false
		}
	}
	return true
}

func (s *scope) full(column string) string {
	return s.name.DB + "." + s.name.Table + "." + column
}

// bare returns a column in an expression that is in no aggregate and in nothing
// that there is one of, or "".
func bare(e Expr, one []Expr) string {
	if slices.ContainsFunc(one, func(known Expr) bool { return same(known, e) }) {
		return ""
	}
	switch e := e.(type) {
	case *ColumnRef:
		return e.Name
	case *Call:
		if isAggregate(e) {
			return ""
		}
	}
	for _, part := range parts(e) {
		if name := bare(part, one); name != "" {
			return name
		}
	}
	return ""
}

func same(a, b Expr) bool {
	x, isColumn := a.(*ColumnRef)
	y, areColumns := b.(*ColumnRef)
	if isColumn && areColumns {
		return strings.EqualFold(x.Name, y.Name)
	}
	return reflect.DeepEqual(a, b)
}
