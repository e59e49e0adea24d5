package sql

import (
	"regexp"
	"strings"
)

// token is a piece of a statement.
type token struct {
	kind tokenKind
	text string // a word as it is written, a string's value, an operator
	at   int    // where it begins in the statement, in bytes
	end  int
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenQuoted // a name in backquotes
	tokenString
	tokenNumber
	tokenOperator
	tokenBad // what never ends, and what SQL has no use for
)

// lex returns the token of a statement that is the next from a place on; at the
// end it is tokenEnd.
func lex(sql string, at int) token {
	at = skipBlank(sql, at)
	t := token{kind: tokenEnd, at: at, end: len(sql)}
	if at >= len(sql) {
		return t
	}
	switch c := sql[at]; {
	case isDigit(c):
		t.kind, t.end = tokenNumber, at+len(numeral.FindString(sql[at:]))
		if word := at + span(sql[at:], isWord); word > t.end {
			t.kind, t.end = tokenWord, word // 1st is a name
		}
		t.text = sql[at:t.end]
	case isWord(c):
		t.kind, t.end = tokenWord, at+span(sql[at:], isWord)
		t.text = sql[at:t.end]
	case c == '\'' || c == '"' || c == '`':
		t.kind = tokenString
		if c == '`' {
			t.kind = tokenQuoted
		}
		end := quoteEnd(sql, at)
		if end < 0 {
			t.kind = tokenBad
			return t
		}
		t.text, t.end = unquote(sql[at:end]), end
	default:
		t.kind, t.text = tokenOperator, operator(sql[at:])
		t.end = at + len(t.text)
	}
	return t
}

// numeral is a number as MySQL writes it. Of those only whole ones mean anything
// here.
var numeral = regexp.MustCompile(`^(0x[0-9a-fA-F]+|\d+(\.\d*)?([eE][-+]?\d+)?)`)

// operator returns the longest operator that s begins with.
func operator(s string) string {
	if strings.IndexByte("<>!:&|@", s[0]) < 0 {
		return s[:1]
	}
	for _, o := range []string{
		"<=>", "<=", ">=", "<>", "!=", "<<", ">>", ":=", "&&", "||", "@@",
	} {
		if strings.HasPrefix(s, o) {
			return o
		}
	}
	return s[:1]
}

// skipBlank returns where the next token begins: after white space and
// comments. The text in `/*!40101 … */` is no comment to MySQL.
func skipBlank(sql string, at int) int {
	for at < len(sql) {
		rest := sql[at:]
		switch {
		case rest[0] == ' ', '\t' <= rest[0] && rest[0] <= '\r':
			at++
		case strings.HasPrefix(rest, "/*!"):
			at += 3 + span(rest[3:], isDigit)
		case strings.HasPrefix(rest, "*/"):
			at += 2
		default:
			n := commentLen(rest)
			if n == 0 {
				return at
			}
			at += n
		}
	}
	return at
}

// commentLen returns the length of the comment that s begins with, or 0. Two
// dashes begin one only before a blank: 1--1 is 2.
func commentLen(s string) int {
	end, after := "", 0
	switch {
	case strings.HasPrefix(s, "#"):
		end = "\n"
	case s == "--", strings.HasPrefix(s, "--") && s[2] <= ' ':
		end = "\n"
	case strings.HasPrefix(s, "/*"):
		end, after = "*/", 2
	default:
		return 0
	}
	if i := strings.Index(s[after:], end); i >= 0 {
		return after + i + len(end)
	}
	return len(s)
}

// quoteEnd returns where the string or name ends that begins at a quote, after
// its last quote; -1: nowhere. A quote is doubled, or in strings has a
// backslash.
func quoteEnd(sql string, at int) int {
	quote := sql[at]
	for i := at + 1; i < len(sql); i++ {
		switch {
		case sql[i] == '\\' && quote != '`':
			i++
		case sql[i] != quote:
		case i+1 < len(sql) && sql[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// unquote returns the value of a string or name with its quotes.
func unquote(s string) string {
	quote := s[:1]
	s = s[1 : len(s)-1]
	if quote == "`" || !strings.Contains(s, `\`) {
		return strings.ReplaceAll(s, quote+quote, quote)
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteString(unescape(s[i]))
		case s[i] == quote[0]:
			i++
			b.WriteByte(quote[0])
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// unescape returns what a letter after a backslash stands for. `\%` and `\_`
// are for LIKE to understand.
func unescape(c byte) string {
	switch c {
	case '0':
		return "\x00"
	case 'b':
		return "\b"
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case 'Z':
		return "\x1a"
	case '%', '_':
		return `\` + string(c)
	}
	return string([]byte{c})
}

// Quote returns a string as a statement can have it.
func Quote(s string) string { return string(appendQuoted(nil, s)) }

func appendQuoted(sql []byte, s string) []byte {
	return append(append(append(sql, '\''), quoter.Replace(s)...), '\'')
}

var quoter = strings.NewReplacer(
	`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "\x1a", `\Z`)

// Backquote returns a name as a statement can have it.
func Backquote(s string) string {
	return "`" + strings.ReplaceAll(s, "`", "``") + "`"
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
		c == '_' || c == '$' || c >= 0x80
}

func span(s string, is func(byte) bool) int {
	n := 0
	for n < len(s) && is(s[n]) {
		n++
	}
	return n
}
