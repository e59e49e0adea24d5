package sql

import "slices"

// group is what a SELECT returns one row for: a row of a table, or several that
// are alike in what it groups by, of which it has the first.
type group struct {
	row  *row
	sums map[*Call]Value // the aggregates of them all
}

// enter makes the names in an expression mean a group.
func (s *scope) enter(g *group) { s.row, s.sums = g.row.values, g.sums }

// source returns what a SELECT returns rows for, in order: the rows of a table,
// groups of them or, without a table and for COUNT(*) and the like, one.
func (s *scope) source(of *Select, fields []Field) ([]*group, error) {
	by, err := s.byName(of.Order, fields)
	if err != nil {
		return nil, err
	}
	if of.Distinct {
		if err := s.checkDistinct(by, fields); err != nil {
			return nil, err
		}
	}
	sums := sumsIn(fields, by)
	if of.Group != nil || len(sums) > 0 {
		return s.groups(of, fields, by, sums)
	}
	if of.From == nil {
		return []*group{{row: &row{}}}, nil
	}
	limit := of.Limit
	if of.Distinct {
		limit = nil
	} else if limit != nil {
		// What comes before the first one wanted is cut off later.
		limit = &Limit{Count: limit.Offset + limit.Count}
	}
	rows, err := s.table.look(s, of.Where, by, limit)
	groups := make([]*group, len(rows))
	for i, r := range rows {
		groups[i] = &group{row: r}
	}
	return groups, err
}

// sumsIn returns the aggregates in what is selected and in what is sorted by, each
// once.
func sumsIn(fields []Field, by []Order) (sums []*Call) {
	for _, f := range fields {
		sums = append(sums, aggregates(f.Expr)...)
	}
	for _, o := range by {
		for _, c := range aggregates(o.Expr) {
			if !slices.Contains(sums, c) { // it can be one of the fields
				sums = append(sums, c)
			}
		}
	}
	return sums
}

// groups returns one group for all rows for which a condition holds or, with
// GROUP BY, for all that are alike, and in this order unless there is another.
func (s *scope) groups(
	of *Select, fields []Field, by []Order, sums []*Call,
) ([]*group, error) {
	keys, err := s.groupKeys(of.Group, fields)
	if err == nil {
		err = s.checkLook(of.Where, by)
	}
	if err != nil {
		return nil, err
	}
	if err := s.checkGrouped(fields, by, keys); err != nil {
		return nil, err
	}
	if counts := s.countAll(of, sums); counts != nil {
		return []*group{{&row{}, counts}}, nil
	}
	members, err := s.partition(of, keys)
	if err != nil {
		return nil, err
	}
	var all []*group
	for _, rows := range members {
		g := &group{row: &row{}}
		if len(rows) > 0 {
			g.row = rows[0]
		}
		if g.sums, err = s.sum(sums, rows); err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	if len(by) == 0 {
		for _, key := range keys {
			by = append(by, Order{Expr: key})
		}
	}
	if of.Group == nil {
		by = nil // there is one
	}
	return sortBy(s, all, by, s.enter)
}

// countAll returns what COUNT(*) is of a whole table, where nothing else is
// asked: that is known without a look at the rows.
func (s *scope) countAll(of *Select, sums []*Call) map[*Call]Value {
	if s.table == nil || of.Where != nil || of.Group != nil {
		return nil
	}
	counts := map[*Call]Value{}
	for _, c := range sums {
		if !c.Star {
			return nil
		}
		counts[c] = int64(s.table.rows.Len())
	}
	return counts
}

// partition returns the rows for which a condition holds, those together that
// are alike; without keys, all of them.
func (s *scope) partition(of *Select, keys []Expr) ([][]*row, error) {
	if s.table == nil {
		return [][]*row{{{}}}, nil
	}
	rows, err := s.table.look(s, of.Where, nil, nil)
	if err != nil || keys == nil {
		return [][]*row{rows}, err
	}
	var all [][]*row
	at := map[string]int{}
	for _, r := range rows {
		s.row = r.values
		values := make([]Value, len(keys))
		for i, key := range keys {
			if values[i], err = s.eval(key); err != nil {
				return nil, err
			}
		}
		key := keyOf(values)
		i, known := at[key]
		if !known {
			i, at[key] = len(all), len(all)
			all = append(all, nil)
		}
		all[i] = append(all[i], r)
	}
	return all, nil
}

// keyOf returns a text that is the same for values that are alike.
func keyOf(values []Value) string {
	key := ""
	for _, v := range values {
		if v == nil {
			key += "NULL,"
			continue
		}
		key += Quote(fold(Text(v))) + ","
	}
	return key
}

// sum computes what aggregates are of some rows.
func (s *scope) sum(sums []*Call, rows []*row) (map[*Call]Value, error) {
	all, seen := map[*Call]Value{}, map[*Call]map[string]bool{}
	for _, c := range sums {
		if c.Name == "count" {
			all[c] = int64(0)
		}
		seen[c] = map[string]bool{}
	}
	for _, r := range rows {
		s.row = r.values
		for _, c := range sums {
			v, err := Value(int64(1)), error(nil)
			if !c.Star {
				v, err = s.eval(c.Args[0])
			}
			if c.Distinct && err == nil {
				key := keyOf([]Value{v})
				if seen[c][key] {
					continue
				}
				seen[c][key] = true
			}
			if err == nil && v != nil {
				all[c], err = add(c.Name, all[c], v)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// add returns an aggregate with one more value, of which it has seen none as
// long as it is NULL.
func add(name string, so, v Value) (Value, error) {
	switch {
	case name == "count":
		return so.(int64) + 1, nil
	case name == "sum":
		return arithmetic("+", number(so), number(v))
	case so == nil,
		name == "max" && compare(v, so) > 0,
		name == "min" && compare(v, so) < 0:
		return v, nil
	}
	return so, nil
}
