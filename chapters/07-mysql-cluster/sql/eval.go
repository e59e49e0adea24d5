package sql

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
)

// Eval returns the value of an expression outside of any table.
func Eval(db string, e Expr, vars Vars) (Value, error) {
	s := &scope{db: db, vars: vars}
	if err := s.check(e, "field list"); err != nil {
		return nil, err
	}
	return s.eval(e)
}

// scope is what the names in an expression mean.
type scope struct {
	db    string
	vars  Vars
	table *table          // nil: there are no columns
	name  Name            // of the table, with its database
	row   []Value         // of the table
	sums  map[*Call]Value // aggregates, once all rows are known
}

// check says which name in an expression means nothing, before any row is
// looked at: there may be none.
func (s *scope) check(e Expr, clause string) error {
	switch e := e.(type) {
	case nil:
		return nil
	case *ColumnRef:
		other := e.Table != "" && e.Table != s.name.Table
		if s.table == nil || other || s.table.column(e.Name) < 0 {
			return NewError(1054, e.String(), clause)
		}
	case *Call:
		if isAggregate(e) && (clause == "where clause" || len(e.Args) > 1 ||
			len(e.Args) > 0 && len(aggregates(e.Args[0])) > 0) {
			return NewError(1111)
		}
	}
	for _, part := range parts(e) {
		if err := s.check(part, clause); err != nil {
			return err
		}
	}
	return nil
}

// isTrue reports whether a condition holds. NULL does not; no condition does.
func (s *scope) isTrue(e Expr) (bool, error) {
	if e == nil {
		return true, nil
	}
	v, err := s.eval(e)
	return v != nil && number(v) != 0, err
}

func (s *scope) eval(e Expr) (Value, error) {
	switch e := e.(type) {
	case *Literal:
		return e.Value, nil
	case *ColumnRef:
		return s.row[s.table.column(e.Name)], nil
	case *Variable:
		return s.variable(e)
	case *Unary:
		return s.unary(e)
	case *Binary:
		return s.binary(e)
	case *In:
		return s.in(e)
	case *IsNull:
		v, err := s.eval(e.X)
		return truth(v == nil), err
	case *Call:
		if isAggregate(e) {
			return s.sums[e], nil
		}
		return s.call(e)
	}
	return nil, nil
}

func (s *scope) variable(e *Variable) (Value, error) {
	if e.User {
		v, _ := s.ask("@" + e.Name)
		return v, nil
	}
	v, known := s.ask(e.Name)
	if !known {
		return nil, UnknownVariable(e.Name)
	}
	return v, nil
}

func (s *scope) ask(name string) (Value, bool) {
	if s.vars == nil {
		return nil, false
	}
	return s.vars(name)
}

func (s *scope) unary(e *Unary) (Value, error) {
	v, err := s.eval(e.X)
	if err != nil || v == nil {
		return nil, err
	}
	if e.Op == "NOT" {
		return truth(number(v) == 0), nil
	}
	return arithmetic("-", 0, number(v))
}

func (s *scope) binary(e *Binary) (Value, error) {
	x, err := s.eval(e.X)
	if err != nil {
		return nil, err
	}
	// The right side is not asked about what the left side decides.
	switch decided := x != nil && (number(x) != 0) == (e.Op == "OR"); {
	case e.Op != "AND" && e.Op != "OR":
	case decided:
		return truth(e.Op == "OR"), nil
	}
	y, err := s.eval(e.Y)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case "AND":
		if y != nil && number(y) == 0 || x == nil || y == nil {
			return notOr(y != nil && number(y) == 0, int64(0)), nil
		}
		return int64(1), nil
	case "OR":
		if y != nil && number(y) != 0 {
			return int64(1), nil
		}
		return notOr(x != nil && y != nil, int64(0)), nil
	}
	if x == nil || y == nil {
		return nil, nil
	}
	return operate(e.Op, x, y)
}

// notOr returns v where that is known, and NULL where it is not.
func notOr(known bool, v Value) Value {
	if known {
		return v
	}
	return nil
}

// operate does an operator on two values that are not NULL.
func operate(op string, x, y Value) (Value, error) {
	c := 0
	switch op {
	case "LIKE":
		return truth(Like(Text(x), Text(y))), nil
	case "=", "<>", "<", "<=", ">", ">=":
		c = compare(x, y)
	}
	switch op {
	case "=":
		return truth(c == 0), nil
	case "<>":
		return truth(c != 0), nil
	case "<":
		return truth(c < 0), nil
	case "<=":
		return truth(c <= 0), nil
	case ">":
		return truth(c > 0), nil
	case ">=":
		return truth(c >= 0), nil
	}
	return arithmetic(op, number(x), number(y))
}

// arithmetic calculates with whole numbers: `/`, whose results are none, is left
// out.
func arithmetic(op string, x, y int64) (Value, error) {
	n, fits := x, true
	switch op {
	case "+":
		n = x + y
		fits = (n > x) == (y > 0)
	case "-":
		n = x - y
		fits = (n < x) == (y > 0)
	case "*":
		n = x * y
		fits = x == 0 || n/x == y && !(x == -1 && y == math.MinInt64)
	case "%":
		if y == 0 {
			return nil, nil
		}
		n = x % y
	}
	if !fits {
		return nil, NewError(1690, "("+Text(x)+" "+op+" "+Text(y)+")")
	}
	return n, nil
}

func (s *scope) in(e *In) (Value, error) {
	x, err := s.eval(e.X)
	if err != nil {
		return nil, err
	}
	found, unknown := e.Between, x == nil
	for i, part := range e.List {
		y, err := s.eval(part)
		switch {
		case err != nil:
			return nil, err
		case x == nil || y == nil:
			unknown = true
		case e.Between:
			c := compare(x, y)
			found = found && (i == 0 && c >= 0 || i == 1 && c <= 0)
		case compare(x, y) == 0:
			found = true
		}
	}
	if unknown && found == e.Between {
		return nil, nil
	}
	return truth(found), nil
}

func truth(b bool) Value {
	if b {
		return int64(1)
	}
	return int64(0)
}

// number returns a value as a number: a string's is what it begins with.
func number(v Value) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case string:
		v = strings.TrimLeft(v, " \t\n")
		sign := span(v[:min(len(v), 1)], func(c byte) bool {
			return c == '-' || c == '+'
		})
		n, _ := strconv.ParseInt(v[:sign+span(v[sign:], isDigit)], 10, 64)
		return n
	}
	return 0
}

// compare orders two values that are not NULL: strings without regard to case
// and to blanks at their ends, as MySQL's usual collations do, and a string and
// a number as numbers.
func compare(x, y Value) int {
	switch a := x.(type) {
	case int64:
		if b, ok := y.(int64); ok { // most keys are numbers
			return cmp.Compare(a, b)
		}
	case string:
		if b, ok := y.(string); ok {
			return cmp.Compare(fold(a), fold(b))
		}
	}
	return cmp.Compare(number(x), number(y))
}

// order compares, with NULL before everything else.
func order(x, y Value) int {
	if x == nil || y == nil {
		return cmp.Compare(number(truth(x != nil)), number(truth(y != nil)))
	}
	return compare(x, y)
}

func fold(s string) string {
	return strings.ToLower(strings.TrimRight(s, " "))
}

// Like reports whether s is of a pattern: % is anything, _ one character.
func Like(s, pattern string) bool {
	return likeRunes([]rune(strings.ToLower(s)),
		[]rune(strings.ToLower(pattern)))
}

// likeRunes goes back, when it is stuck, to the last % only: what that one
// takes more, no earlier one needs to.
func likeRunes(s, pattern []rune) bool {
	i, j, star, from := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case j < len(pattern) && pattern[j] == '%':
			star, from = j, i
			j++
		case j+1 < len(pattern) && pattern[j] == '\\' && pattern[j+1] == s[i]:
			i, j = i+1, j+2
		case j < len(pattern) && pattern[j] != '\\' &&
			(pattern[j] == '_' || pattern[j] == s[i]):
			i, j = i+1, j+1
		case star >= 0:
			from++
			i, j = from, star+1
		default:
			return false
		}
	}
	return strings.Trim(string(pattern[j:]), "%") == ""
}

// now returns the time of the statement: that of the server that it came to
// first.
func (s *scope) now() time.Time {
	if v, known := s.ask("timestamp"); known {
		return time.Unix(number(v), 0).UTC()
	}
	return time.Now().UTC()
}
