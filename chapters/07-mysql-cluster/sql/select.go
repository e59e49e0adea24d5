package sql

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

func (t *Tables) selectRows(in *scope, s *Select) (*Result, error) {
	if s.From != nil {
		if _, err := t.find(in, *s.From); err != nil {
			return nil, err
		}
		in.name.Table = cmp.Or(s.As, in.name.Table)
	}
	fields, err := in.fields(s.Fields)
	if err != nil {
		return nil, err
	}
	groups, err := in.source(s, fields)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	for _, f := range fields {
		r.Columns = append(r.Columns, f.Name)
		r.Nullable = append(r.Nullable, in.canBeNull(f.Expr))
	}
	seen := map[string]bool{}
	for _, g := range groups {
		in.enter(g)
		values := make([]Value, len(fields))
		for i, f := range fields {
			if values[i], err = in.eval(f.Expr); err != nil {
				return nil, err
			}
		}
		if s.Distinct {
			key := keyOf(values)
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		r.Rows = append(r.Rows, values)
	}
	r.Rows = cut(s.Limit, r.Rows)
	return r, nil
}

// fields returns a statement's, with all columns in the place of `*`.
func (s *scope) fields(all []Field) ([]Field, error) {
	var fields []Field
	for _, f := range all {
		if f.Expr != nil {
			if err := s.check(f.Expr, "field list"); err != nil {
				return nil, err
			}
			fields = append(fields, f)
			continue
		}
		if s.table == nil {
			return nil, NewError(1096)
		}
		if f.Name != "" && f.Name != s.name.Table {
			return nil, NewError(1051, f.Name)
		}
		for _, c := range s.table.columns {
			fields = append(fields, Field{&ColumnRef{Name: c.Name}, c.Name})
		}
	}
	return fields, nil
}

// canBeNull reports whether an expression can be NULL, for all that one knows
// before any row.
func (s *scope) canBeNull(e Expr) bool {
	switch e := e.(type) {
	case *Literal:
		return e.Value == nil
	case *ColumnRef:
		return !s.table.columns[s.table.column(e.Name)].NotNull
	case *IsNull:
		return false
	case *Call:
		return e.Name != "count" && e.Name != "now"
	case *Binary, *Unary, *In:
		return slices.ContainsFunc(parts(e), s.canBeNull)
	}
	return true
}

// byName puts what is selected in the place of its name or, ORDER BY 2, of its
// place.
func (s *scope) byName(all []Order, fields []Field) ([]Order, error) {
	all = slices.Clone(all)
	for i, o := range all {
		at := -1
		switch e := o.Expr.(type) {
		case *ColumnRef:
			at = slices.IndexFunc(fields, func(f Field) bool {
				return strings.EqualFold(f.Name, e.Name)
			})
		case *Literal:
			n, ok := e.Value.(int64)
			if !ok {
				continue
			}
			if n < 1 || n > int64(len(fields)) {
				return nil, NewError(1054, Text(n), "order clause")
			}
			at = int(n) - 1
		}
		if at >= 0 {
			all[i].Expr = fields[at].Expr
		}
	}
	return all, nil
}

// look returns the rows for which a condition holds, in order. A condition that
// names the primary key finds its row without looking at any other.
func (t *table) look(
	in *scope, where Expr, by []Order, limit *Limit,
) ([]*row, error) {
	if err := in.checkLook(where, by); err != nil {
		return nil, err
	}
	enough := int64(math.MaxInt64)
	if limit != nil && len(by) == 0 {
		enough = limit.Offset + limit.Count
	}
	var rows []*row
	var failed error
	look := func(r *row) bool {
		if int64(len(rows)) >= enough {
			return false
		}
		in.row = r.values
		found, err := in.isTrue(where)
		if found {
			rows = append(rows, r)
		}
		failed = err
		return err == nil
	}
	if key := t.point(where); key != nil {
		if r, ok := t.rows.Get(key); ok {
			look(r)
		}
	} else {
		t.rows.Ascend(look)
	}
	if failed == nil && len(by) > 0 {
		rows, failed = sortBy(in, rows, by, func(r *row) { in.row = r.values })
	}
	return cut(limit, rows), failed
}

func (s *scope) checkLook(where Expr, by []Order) error {
	if err := s.check(where, "where clause"); err != nil {
		return err
	}
	for _, o := range by {
		if err := s.check(o.Expr, "order clause"); err != nil {
			return err
		}
	}
	return nil
}

// point returns a row with the primary key that a condition asks for, or nil
// when it asks for more than one: id = 5, or id = 5 AND more.
func (t *table) point(where Expr) *row {
	b, ok := where.(*Binary)
	if !ok || len(t.primary) != 1 {
		return nil
	}
	if b.Op == "AND" {
		return cmp.Or(t.point(b.X), t.point(b.Y))
	}
	column, isColumn := b.X.(*ColumnRef)
	value, isLiteral := b.Y.(*Literal)
	at := t.primary[0]
	if b.Op != "=" || !isColumn || !isLiteral || t.column(column.Name) != at {
		return nil
	}
	// A number compared with a string finds other rows than their order says.
	_, isNumber := value.Value.(int64)
	if value.Value == nil || isNumber != t.columns[at].isNumber() {
		return nil
	}
	key := &row{values: make([]Value, len(t.columns))}
	key.values[at] = value.Value
	return key
}

// sortBy orders rows, or groups. Those that are alike stay in their order. enter
// makes the names in an expression mean one of them.
func sortBy[T any](s *scope, all []T, by []Order, enter func(T)) ([]T, error) {
	type sorted struct {
		one  T
		keys []Value
	}
	rows := make([]sorted, len(all))
	for i, one := range all {
		enter(one)
		rows[i] = sorted{one, make([]Value, len(by))}
		for j, o := range by {
			var err error
			if rows[i].keys[j], err = s.eval(o.Expr); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b sorted) int {
		for j, o := range by {
			c := order(a.keys[j], b.keys[j])
			if o.Desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	for i := range rows {
		all[i] = rows[i].one
	}
	return all, nil
}

// cut returns what a limit, which may be nil, leaves.
func cut[T any](l *Limit, rows []T) []T {
	if l == nil {
		return rows
	}
	n := int64(len(rows))
	return rows[min(l.Offset, n):min(l.Offset+l.Count, n)]
}
