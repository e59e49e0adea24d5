package sql

import (
	"strconv"
	"strings"
)

// Parse reads one statement, with or without its `;`. What is no statement is
// error 1064, none at all 1065, and what only MySQL has 1235, which names it.
func Parse(sql string) (Statement, error) {
	p := &parser{sql: sql, next: lex(sql, 0)}
	if p.next.kind == tokenEnd || p.next.text == ";" {
		return nil, NewError(1065)
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
	if what := p.lacking(); what != "" {
		p.failWith(NewError(1235, what))
	}
	if p.err != nil {
		return
	}
	at := min(p.next.at, len(p.sql))
	near := []rune(p.sql[at:])
	p.err = NewError(1064, string(near[:min(len(near), 80)]),
		1+strings.Count(p.sql[:at], "\n"))
	p.next = lex(p.sql, len(p.sql))
}

// lacking returns what begins with the next word, if MySQL has it and we don't:
// "ALTER TABLE", "CREATE USER", "GROUP BY".
func (p *parser) lacking() string {
	if !isLeftOut(p.next) {
		return ""
	}
	words, before := []string{p.next.text}, strings.Fields(p.sql[:p.next.at])
	switch {
	case len(before) == 1:
		words = append(before, words...)
	case len(before) > 0 && strings.HasSuffix(before[len(before)-1], ";"):
		return "" // it is another statement
	}
	after := lex(p.sql, p.next.end)
	if isLeftOut(after) || after.kind == tokenWord && reserved[strings.ToLower(after.text)] {
		words = append(words, after.text)
	}
	return strings.ToUpper(strings.Join(words, " "))
}

func isLeftOut(t token) bool {
	return t.kind == tokenOperator && t.text == "/" ||
		t.kind == tokenWord && leftOut[strings.ToUpper(t.text)]
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

// leftOut are words of MySQL's that no statement of ours has.
var leftOut = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(`
		ALTER ANALYZE CALL CASE CHECK CHECKSUM COLLATION CONSTRAINT CROSS
		DEALLOCATE DISTINCT DISTINCTROW DO DUPLICATE ENGINE ENGINES ERRORS EVENT EVENTS
		EXECUTE EXISTS FOR FOREIGN FULLTEXT FUNCTION GRANT GRANTS GROUP HANDLER HAVING
		HELP IGNORE INDEX INDEXES INNER INSTALL INTERVAL INTO JOIN KEYS LEFT LOAD LOCK
		MATCH NATURAL ON OPEN OPTIMIZE OUTER PARTITION PLUGINS PREPARE PRIVILEGES
		PROCEDURE PROFILES PURGE REFERENCES REGEXP RELEASE RENAME REPAIR REPLACE REVOKE
		RIGHT RLIKE ROLE ROLLUP SAVEPOINT SELECT SERVER SHUTDOWN SPATIAL STRAIGHT_JOIN
		TABLESPACE TEMPORARY TRIGGER TRIGGERS UNION UNSIGNED USER VIEW XA XOR ZEROFILL
		BINARY BIT BLOB DATE DEC DECIMAL DOUBLE ENUM FIXED FLOAT JSON LONGBLOB LONGTEXT
		MEDIUMBLOB MEDIUMINT MEDIUMTEXT NUMERIC REAL TIME TINYBLOB TINYTEXT VARBINARY
		YEAR`) {
		all[word] = true
	}
	return all
}()

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
