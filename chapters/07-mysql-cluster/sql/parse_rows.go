package sql

import (
	"math"
	"strings"
)

// statement takes the first word and what has to follow it.
func (p *parser) statement() Statement {
	if what := p.phrase(0, ""); what != "" {
		p.lack(what)
	}
	switch p.oneOf("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "CREATE",
		"ALTER", "DROP", "USE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "SET") {
	case "SELECT":
		return p.selectRows()
	case "INSERT":
		return p.insert()
	case "UPDATE":
		return p.update()
	case "DELETE":
		return p.delete()
	case "TRUNCATE":
		p.word("TABLE")
		return &Truncate{p.tableName()}
	case "CREATE":
		return p.create()
	case "ALTER":
		return p.alter()
	case "DROP":
		return p.drop()
	case "USE":
		return &Use{p.name()}
	case "SHOW":
		return p.show()
	case "DESCRIBE", "DESC", "EXPLAIN":
		s := &Show{What: "COLUMNS", Name: p.tableName()}
		if s.IsLike = p.next.kind == tokenString || p.next.isName(); s.IsLike {
			s.Like = p.take().text
		}
		return s
	case "SET":
		return p.set()
	}
	return p.administer()
}

// insert takes INSERT INTO t (a, b) VALUES (1, 2), (3, 4), and the form INSERT
// INTO t SET a = 1.
func (p *parser) insert() Statement {
	p.word("INTO")
	s := &Insert{Name: p.tableName()}
	if p.word("SET") {
		var row []Expr
		for _, a := range p.assignments() {
			s.Columns, row = append(s.Columns, a.Column), append(row, a.Expr)
		}
		s.Rows = [][]Expr{row}
		return s
	}
	if p.op("(") {
		s.Columns = []string{}
		if !p.op(")") {
			p.list(func() { s.Columns = append(s.Columns, p.name()) })
			p.mustOp(")")
		}
	}
	if p.oneOf("VALUES", "VALUE") == "" {
		p.fail()
	}
	p.list(func() { s.Rows = append(s.Rows, p.row()) })
	return s
}

func (p *parser) row() []Expr {
	p.mustOp("(")
	row := []Expr{}
	if p.op(")") {
		return row
	}
	p.list(func() { row = append(row, p.exprOrDefault()) })
	p.mustOp(")")
	return row
}

// exprOrDefault takes an expression, or the word DEFAULT: nil.
func (p *parser) exprOrDefault() Expr {
	if p.word("DEFAULT") {
		return nil
	}
	return p.expr()
}

func (p *parser) assignments() []Assignment {
	var all []Assignment
	p.list(func() {
		a := Assignment{Column: p.columnRef().Name}
		p.mustOp("=")
		a.Expr = p.exprOrDefault()
		all = append(all, a)
	})
	return all
}

func (p *parser) update() Statement {
	s := &Update{Name: p.tableName()}
	s.As = p.alias()
	p.mustWord("SET")
	s.Set = p.assignments()
	s.Where, s.Order = p.where(), p.order()
	s.Limit = p.limit(false)
	return s
}

func (p *parser) delete() Statement {
	if after := lex(p.sql, p.next.end).text; p.next.isName() &&
		(after == "," || after == "." || strings.EqualFold(after, "FROM")) {
		p.lack("several tables")
	}
	p.mustWord("FROM")
	s := &Delete{Name: p.tableName()}
	p.onlyTable()
	s.Where, s.Order = p.where(), p.order()
	s.Limit = p.limit(false)
	return s
}

func (p *parser) selectRows() Statement {
	s := &Select{Distinct: p.oneOf("DISTINCT", "ALL") == "DISTINCT"}
	p.list(func() { s.Fields = append(s.Fields, p.field()) })
	if p.word("FROM") && !p.word("DUAL") {
		s.From = new(p.tableName())
		s.As = p.alias()
		s.Where, s.Group, s.Order = p.where(), p.group(), p.order()
	}
	s.Limit = p.limit(true)
	return s
}

// alias takes what a statement calls its table, or nothing: "".
func (p *parser) alias() string {
	as := ""
	if p.word("AS") || p.next.isName() && p.lacking() == "" {
		as = p.name()
	}
	p.onlyTable()
	return as
}

func (p *parser) onlyTable() {
	if p.next.kind == tokenOperator && p.next.text == "," {
		p.lack("several tables")
	}
}

// field takes `*`, `table.*` or an expression, which is called as it was written unless
// it says how.
func (p *parser) field() Field {
	from := p.next
	if p.op("*") {
		return Field{}
	}
	dot := lex(p.sql, from.end)
	if from.isName() && dot.text == "." && lex(p.sql, dot.end).text == "*" {
		p.take()
		p.take()
		p.take()
		return Field{Name: from.text}
	}
	f := Field{Expr: p.expr()}
	switch e := f.Expr.(type) {
	case *ColumnRef:
		f.Name = e.Name
	case *Literal:
		f.Name = Text(e.Value)
	default:
		f.Name = p.sql[from.at:max(p.taken, from.at)]
	}
	if t := p.next; p.word("AS") && p.next.kind == tokenString ||
		t.kind == tokenString {
		f.Name = p.take().text
	} else if strings.EqualFold(t.text, "AS") || t.isName() && p.lacking() == "" {
		f.Name = p.name()
	}
	return f
}

func (p *parser) where() Expr {
	if p.word("WHERE") {
		return p.expr()
	}
	return nil
}

func (p *parser) group() []Expr {
	if !p.word("GROUP", "BY") {
		return nil
	}
	var all []Expr
	p.list(func() { all = append(all, p.expr()) })
	if word := p.oneOf("ASC", "DESC"); word != "" {
		p.lack("GROUP BY " + word)
	}
	return all
}

func (p *parser) order() []Order {
	if !p.word("ORDER") {
		return nil
	}
	p.mustWord("BY")
	var all []Order
	p.list(func() {
		e := p.expr()
		all = append(all, Order{e, p.oneOf("ASC", "DESC") == "DESC"})
	})
	return all
}

// limit takes LIMIT 5, and with an offset LIMIT 10, 5 or LIMIT 5 OFFSET 10.
func (p *parser) limit(offset bool) *Limit {
	if !p.word("LIMIT") {
		return nil
	}
	l := &Limit{Count: p.integer()}
	switch {
	case offset && p.op(","):
		l.Offset, l.Count = l.Count, p.integer()
	case offset && p.word("OFFSET"):
		l.Offset = p.integer()
	}
	l.Count = min(l.Count, math.MaxInt64-l.Offset)
	return l
}
