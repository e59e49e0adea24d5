package mysqlcluster

import (
	"math"
	"strconv"
	"strings"
)

// Parse reads one statement, with or without its `;`. What it does not know is
// error 1064, and nothing at all 1065.
func Parse(sql string) (Statement, error) {
	p := &parser{sql: sql, next: lex(sql, 0)}
	if p.next.kind == tokenEnd || p.next.text == ";" {
		return nil, newError(1065)
	}
	s := p.statement()
	p.op(";")
	if p.next.kind != tokenEnd {
		p.fail()
	}
	if p.err != nil {
		return nil, p.err
	}
	return s, nil
}

// parser reads tokens from left to right. Its first error stays: from then on
// it sees nothing but the end of the statement.
type parser struct {
	sql   string
	taken int   // where the last token ended that was taken
	next  token // the one after it
	depth int   // of expressions in expressions
	err   *Error
}

func (p *parser) take() token {
	t := p.next
	p.taken, p.next = t.end, lex(p.sql, t.end)
	return t
}

// fail says that the next token is none that could stand here, in MySQL's
// words: with at most 80 characters from there on.
func (p *parser) fail() {
	if p.err != nil {
		return
	}
	at := min(p.next.at, len(p.sql))
	near := []rune(p.sql[at:])
	p.err = newError(1064, string(near[:min(len(near), 80)]),
		1+strings.Count(p.sql[:at], "\n"))
	p.next = lex(p.sql, len(p.sql))
}

// failWith gives up for another reason than syntax.
func (p *parser) failWith(err *Error) {
	if p.err == nil {
		p.err, p.next = err, lex(p.sql, len(p.sql))
	}
}

// word takes the words of a list, if they come next, one after the other.
func (p *parser) word(words ...string) bool {
	taken, at := p.taken, p.next.at
	for i, word := range words {
		if p.next.kind != tokenWord || !strings.EqualFold(p.next.text, word) {
			if i > 0 {
				p.taken, p.next = taken, lex(p.sql, at)
			}
			return false
		}
		p.take()
	}
	return true
}

// oneOf takes one of several words, and says in upper case which; "": none.
func (p *parser) oneOf(words ...string) string {
	for _, word := range words {
		if p.word(word) {
			return word
		}
	}
	return ""
}

func (p *parser) op(text string) bool {
	if p.next.kind != tokenOperator || p.next.text != text {
		return false
	}
	p.take()
	return true
}

func (p *parser) mustWord(words ...string) {
	for _, word := range words {
		if !p.word(word) {
			p.fail()
		}
	}
}

func (p *parser) mustOp(text string) {
	if !p.op(text) {
		p.fail()
	}
}

// name takes a name: in backquotes, or a word that means nothing else.
func (p *parser) name() string {
	if !p.next.isName() {
		p.fail()
		return ""
	}
	return p.take().text
}

// isName reports whether a token can be a name.
func (t token) isName() bool {
	return t.kind == tokenQuoted ||
		t.kind == tokenWord && !reserved[strings.ToLower(t.text)]
}

// tableName takes `table` or `db.table`.
func (p *parser) tableName() Name {
	n := Name{Table: p.name()}
	if p.op(".") {
		n.DB, n.Table = n.Table, p.name()
	}
	return n
}

// list takes what f takes, once or more, with commas between.
func (p *parser) list(f func()) {
	for f(); p.op(","); f() {
	}
}

func (p *parser) names() []string {
	var all []string
	p.mustOp("(")
	p.list(func() { all = append(all, p.name()) })
	p.mustOp(")")
	return all
}

func (p *parser) integer() int64 {
	t := p.next
	n, err := strconv.ParseInt(t.text, 10, 64)
	if t.kind != tokenNumber || err != nil {
		p.fail()
		return 0
	}
	p.take()
	return n
}

func (p *parser) string() string {
	if p.next.kind != tokenString {
		p.fail()
	}
	return p.take().text
}

// reserved are the words that cannot be names without backquotes, as far as a
// statement of ours can have them, in lower case: most names are.
var reserved = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(`
		ALL ALTER AND AS ASC BETWEEN BIGINT BINARY BLOB BY CASE CHANGE CHAR
		CHARACTER CHECK COLLATE COLUMN CONSTRAINT CREATE CROSS
		CURRENT_TIMESTAMP CURRENT_USER DATABASE DATABASES DECIMAL DEFAULT
		DELETE DESC DESCRIBE DISTINCT DIV DOUBLE DROP ELSE EXISTS EXPLAIN
		FALSE FLOAT FOR FOREIGN FROM GRANT GROUP HAVING IF IGNORE IN INDEX
		INNER INSERT INT INTEGER INTERVAL INTO IS JOIN KEY KEYS KILL LEFT LIKE
		LIMIT LOCK LONG MATCH MOD NOT NULL ON OR ORDER OUTER PRIMARY RANGE
		READ REFERENCES REGEXP RENAME REPLACE REVOKE RIGHT SCHEMA SCHEMAS
		SELECT SET SHOW SMALLINT TABLE THEN TINYINT TO TRIGGER TRUE UNION
		UNIQUE UNLOCK UNSIGNED UPDATE USAGE USE USING VALUES VARCHAR WHEN
		WHERE WITH WRITE XOR ZEROFILL`) {
		all[strings.ToLower(word)] = true
	}
	return all
}()

// statement takes the first word and what has to follow it.
func (p *parser) statement() Statement {
	switch p.oneOf("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "CREATE",
		"DROP", "USE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "SET") {
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
	case "DROP":
		return p.drop()
	case "USE":
		return &Use{p.name()}
	case "SHOW":
		return p.show()
	case "DESCRIBE", "DESC", "EXPLAIN":
		return &Show{What: "COLUMNS", Name: p.tableName()}
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
		a := Assignment{Column: p.columnName()}
		p.mustOp("=")
		a.Expr = p.exprOrDefault()
		all = append(all, a)
	})
	return all
}

func (p *parser) update() Statement {
	s := &Update{Name: p.tableName()}
	p.mustWord("SET")
	s.Set = p.assignments()
	s.Where, s.Order = p.where(), p.order()
	s.Limit = p.limit(false)
	return s
}

func (p *parser) delete() Statement {
	p.mustWord("FROM")
	s := &Delete{Name: p.tableName()}
	s.Where, s.Order = p.where(), p.order()
	s.Limit = p.limit(false)
	return s
}

func (p *parser) selectRows() Statement {
	s := &Select{}
	p.list(func() { s.Fields = append(s.Fields, p.field()) })
	if p.word("FROM") && !p.word("DUAL") {
		s.From = new(p.tableName())
		s.Where, s.Order = p.where(), p.order()
	}
	s.Limit = p.limit(true)
	return s
}

// field takes `*`, or an expression, which is called as it was written unless
// it says how.
func (p *parser) field() Field {
	from := p.next
	if p.op("*") {
		return Field{}
	}
	f := Field{Expr: p.expr()}
	switch e := f.Expr.(type) {
	case *ColumnRef:
		f.Name = e.Name
	case *Literal:
		f.Name = text(e.Value)
	default:
		f.Name = p.sql[from.at:max(p.taken, from.at)]
	}
	if t := p.next; p.word("AS") && p.next.kind == tokenString ||
		t.kind == tokenString {
		f.Name = p.take().text
	} else if strings.EqualFold(t.text, "AS") || t.isName() {
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
