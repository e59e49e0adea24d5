package sql

import (
	"strconv"
	"strings"
)

// deepest is how far expressions may stand in each other.
const deepest = 200

// expr takes an expression. Each function takes what binds tighter than what
// the one before takes: OR, AND, NOT, comparisons, sums, products, signs.
func (p *parser) expr() Expr {
	if p.depth++; p.depth > deepest {
		p.fail()
	}
	defer func() { p.depth-- }()
	return p.chain(p.and, "OR")
}

func (p *parser) and() Expr { return p.chain(p.not, "AND") }

// chain takes what next takes, with words between.
func (p *parser) chain(next func() Expr, word string) Expr {
	x := next()
	for p.word(word) {
		x = &Binary{word, x, next()}
	}
	return x
}

func (p *parser) not() Expr {
	if p.word("NOT") {
		if p.depth++; p.depth > deepest {
			p.fail()
		}
		defer func() { p.depth-- }()
		return &Unary{"NOT", p.not()}
	}
	return p.comparison()
}

func (p *parser) comparison() Expr {
	x := p.sum()
	for p.err == nil {
		t := p.next
		switch {
		case t.kind == tokenOperator && isComparison(t.text):
			p.take()
			op := t.text
			if op == "!=" {
				op = "<>"
			}
			x = &Binary{op, x, p.sum()}
		case p.word("IS"):
			x = p.is(x)
		case p.word("NOT"):
			x = &Unary{"NOT", p.among(x, true)}
		default:
			y := p.among(x, false)
			if y == x {
				return x
			}
			x = y
		}
	}
	return x
}

func isComparison(op string) bool {
	return strings.Contains(" = <> != < <= > >= ", " "+op+" ")
}

func (p *parser) is(x Expr) Expr {
	not := p.word("NOT")
	if word := p.oneOf("TRUE", "FALSE", "UNKNOWN"); word != "" {
		p.lack("IS " + word)
	}
	p.mustWord("NULL")
	if not {
		return &Unary{"NOT", &IsNull{x}}
	}
	return &IsNull{x}
}

// among takes IN, LIKE or BETWEEN after x, or nothing, unless it must.
func (p *parser) among(x Expr, must bool) Expr {
	switch p.oneOf("IN", "LIKE", "BETWEEN") {
	case "IN":
		in := &In{X: x}
		p.mustOp("(")
		p.list(func() { in.List = append(in.List, p.expr()) })
		p.mustOp(")")
		return in
	case "LIKE":
		return &Binary{"LIKE", x, p.sum()}
	case "BETWEEN":
		low := p.sum()
		p.mustWord("AND")
		return &In{x, []Expr{low, p.sum()}, true}
	}
	if must {
		p.fail()
	}
	return x
}

func (p *parser) sum() Expr {
	x := p.product()
	for {
		switch {
		case p.op("+"):
			x = &Binary{"+", x, p.product()}
		case p.op("-"):
			x = &Binary{"-", x, p.product()}
		default:
			return x
		}
	}
}

func (p *parser) product() Expr {
	x := p.unary()
	for {
		switch {
		case p.op("*"):
			x = &Binary{"*", x, p.unary()}
		case p.op("%"):
			x = &Binary{"%", x, p.unary()}
		default:
			return x
		}
	}
}

func (p *parser) unary() Expr {
	minus := false
	for p.next.text == "-" || p.next.text == "+" {
		if p.next.kind != tokenOperator {
			break
		}
		minus = minus != (p.take().text == "-")
	}
	x := p.primaryExpr()
	if n, ok := x.(*Literal); ok && minus {
		if n, ok := n.Value.(int64); ok {
			return &Literal{-n}
		}
	}
	if minus {
		return &Unary{"-", x}
	}
	return x
}

// primaryExpr takes what has no operator.
func (p *parser) primaryExpr() Expr {
	switch t := p.next; {
	case t.kind == tokenNumber:
		if _, err := strconv.ParseInt(t.text, 10, 64); err != nil {
			p.lack(t.text)
		}
		return &Literal{p.integer()}
	case t.kind == tokenString:
		text := p.take().text
		for p.next.kind == tokenString { // 'a' 'b' is 'ab'
			text += p.take().text
		}
		return &Literal{text}
	case t.kind == tokenWord && p.isTyped():
		p.lack(p.sql[t.at:lex(p.sql, t.end).end])
	case p.op("("):
		x := p.expr()
		if p.next.text == "," && p.next.kind == tokenOperator {
			p.lack("a row of values")
		}
		p.mustOp(")")
		return x
	case p.op("."):
		p.lack("." + p.next.text)
	case p.op("@@"):
		return p.systemVariable()
	case p.op("@"):
		return &Variable{strings.ToLower(p.name()), true}
	case p.word("NULL"):
		return &Literal{nil}
	case p.word("TRUE"):
		return &Literal{int64(1)}
	case p.word("FALSE"):
		return &Literal{int64(0)}
	case p.word("CURRENT_TIMESTAMP"), p.word("CURRENT_USER"):
		if p.op("(") {
			p.mustOp(")")
		}
		return &Call{Name: strings.ToLower(t.text)}
	case t.kind == tokenWord && p.isCall():
		return p.call()
	}
	return p.columnRef()
}

func (p *parser) systemVariable() Expr {
	if p.oneOf("GLOBAL", "SESSION", "LOCAL") != "" {
		p.mustOp(".")
	}
	return &Variable{Name: strings.ToLower(p.name())}
}

// isCall reports whether the next word is a function's name.
func (p *parser) isCall() bool {
	after := lex(p.sql, p.next.end)
	return after.kind == tokenOperator && after.text == "("
}

// isTyped reports whether the next word says what the string after it is:
// X'1F', DATE '2020-02-29', _utf8'x'.
func (p *parser) isTyped() bool {
	switch word := strings.ToUpper(p.next.text); word {
	case "X", "B", "N", "DATE", "TIME", "TIMESTAMP":
	default:
		if word[0] != '_' {
			return false
		}
	}
	return lex(p.sql, p.next.end).kind == tokenString
}

// call takes a function. Some have names that are reserved words: DATABASE. One
// that there isn't is refused before its arguments: CAST(1 AS SIGNED).
func (p *parser) call() Expr {
	c := &Call{Name: strings.ToLower(p.next.text)}
	_, known := functions[c.Name]
	switch {
	case known || isAggregate(c):
	case !reserved[c.Name], reservedFunctions[c.Name]:
		p.lack(strings.ToUpper(c.Name) + "()")
	default:
		p.fail()
	}
	p.take()
	p.mustOp("(")
	switch {
	case !isAggregate(c) && p.op(")"):
		return c
	case c.Name == "count" && p.op("*"):
		c.Star = true
	default:
		c.Distinct = isAggregate(c) && p.word("DISTINCT")
		p.list(func() { c.Args = append(c.Args, p.expr()) })
		if c.Distinct && len(c.Args) > 1 {
			p.lack("COUNT(DISTINCT) of several columns")
		}
	}
	p.mustOp(")")
	return c
}

// reservedFunctions are functions of MySQL's that nothing else can be called.
var reservedFunctions = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(`char convert current_date current_time if
		insert interval left localtime localtimestamp match mod repeat replace right
		utc_date utc_time utc_timestamp values`) {
		all[name] = true
	}
	return all
}()

// columnRef takes a column, with its table's name or without.
func (p *parser) columnRef() *ColumnRef {
	c := &ColumnRef{Name: p.name()}
	for i := 0; i < 2 && p.op("."); i++ {
		c.Table, c.Name = c.Name, p.name()
	}
	return c
}
