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
	if p.err != nil {
		return
	}
	if what := p.lacking(); what != "" {
		p.lack(what)
		return
	}
	at := min(p.next.at, len(p.sql))
	near := []rune(p.sql[at:])
	p.err = NewError(1064, string(near[:min(len(near), 80)]),
		1+strings.Count(p.sql[:at], "\n"))
	p.next = lex(p.sql, len(p.sql))
}

// lack gives up because of something that only MySQL has.
func (p *parser) lack(what string) { p.failWith(NewError(1235, what)) }

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

func (p *parser) nameOrString() string {
	if p.next.kind == tokenString || strings.EqualFold(p.next.text, "binary") {
		return p.take().text
	}
	return p.name()
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
	p.list(func() {
		all = append(all, p.name())
		if p.next.text == "(" {
			p.lack("a key of a column's prefix")
		}
	})
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

// reserved are the words that cannot be names without backquotes, in lower case
// (MySQL 5.7: sql/lex.h).
var reserved = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(`
		ACCESSIBLE ADD ALL ALTER ANALYZE AND AS ASC ASENSITIVE BEFORE BETWEEN
		BIGINT BINARY BLOB BOTH BY CALL CASCADE CASE CHANGE CHAR CHARACTER CHECK
		COLLATE COLUMN CONDITION CONSTRAINT CONTINUE CONVERT CREATE CROSS
		CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURSOR DATABASE
		DATABASES DAY_HOUR DAY_MICROSECOND DAY_MINUTE DAY_SECOND DEC DECIMAL
		DECLARE DEFAULT DELAYED DELETE DESC DESCRIBE DETERMINISTIC DISTINCT
		DISTINCTROW DIV DOUBLE DROP DUAL EACH ELSE ELSEIF ENCLOSED ESCAPED EXISTS
		EXIT EXPLAIN FALSE FETCH FLOAT FLOAT4 FLOAT8 FOR FORCE FOREIGN FROM
		FULLTEXT GENERATED GET GRANT GROUP HAVING HIGH_PRIORITY HOUR_MICROSECOND
		HOUR_MINUTE HOUR_SECOND IF IGNORE IN INDEX INFILE INNER INOUT INSENSITIVE
		INSERT INT INT1 INT2 INT3 INT4 INT8 INTEGER INTERVAL INTO IO_AFTER_GTIDS
		IO_BEFORE_GTIDS IS ITERATE JOIN KEY KEYS KILL LEADING LEAVE LEFT LIKE LIMIT
		LINEAR LINES LOAD LOCALTIME LOCALTIMESTAMP LOCK LONG LONGBLOB LONGTEXT LOOP
		LOW_PRIORITY MASTER_BIND MASTER_SSL_VERIFY_SERVER_CERT MATCH MAXVALUE
		MEDIUMBLOB MEDIUMINT MEDIUMTEXT MIDDLEINT MINUTE_MICROSECOND MINUTE_SECOND
		MOD MODIFIES NATURAL NOT NO_WRITE_TO_BINLOG NULL NUMERIC ON OPTIMIZE
		OPTIMIZER_COSTS OPTION OPTIONALLY OR ORDER OUT OUTER OUTFILE PARTITION
		PRECISION PRIMARY PROCEDURE PURGE RANGE READ READS READ_WRITE REAL
		REFERENCES REGEXP RELEASE RENAME REPEAT REPLACE REQUIRE RESIGNAL RESTRICT
		RETURN REVOKE RIGHT RLIKE SCHEMA SCHEMAS SECOND_MICROSECOND SELECT SENSITIVE
		SEPARATOR SET SHOW SIGNAL SMALLINT SPATIAL SPECIFIC SQL SQLEXCEPTION
		SQLSTATE SQLWARNING SQL_BIG_RESULT SQL_CALC_FOUND_ROWS SQL_SMALL_RESULT SSL
		STARTING STORED STRAIGHT_JOIN TABLE TERMINATED THEN TINYBLOB TINYINT TINYTEXT
		TO TRAILING TRIGGER TRUE UNDO UNION UNIQUE UNLOCK UNSIGNED UPDATE USAGE USE
		USING UTC_DATE UTC_TIME UTC_TIMESTAMP VALUES VARBINARY VARCHAR VARCHARACTER
		VARYING VIRTUAL WHEN WHERE WHILE WITH WRITE XOR YEAR_MONTH ZEROFILL`) {
		all[strings.ToLower(word)] = true
	}
	return all
}()
