package sql

import "strings"

// Piece is the first statement of a script.
type Piece struct {
	SQL   string // without comments
	End   string // ";", `\G`, `\g`; "": the script ends first
	Lines int    // before the statement begins, and
	Taken int    // in all that was cut off
}

// Cut returns a script's first statement, and what comes after it.
func Cut(script string) (Piece, string) {
	at := skipBlankAndComments(script)
	p := Piece{Lines: strings.Count(script[:at], "\n")}
	var sql strings.Builder
	for at < len(script) && p.End == "" {
		rest := script[at:]
		n, comment := 1, commentLen(rest)
		switch {
		case strings.HasPrefix(rest, "/*!"):
		case comment > 0:
			// The end of its line is none of the comment's.
			at += len(strings.TrimRight(rest[:comment], "\n"))
			continue
		case rest[0] == '\'', rest[0] == '"', rest[0] == '`':
			if n = quoteEnd(rest, 0); n < 0 {
				n = len(rest)
			}
		case rest[0] == ';':
			p.End = ";"
		case strings.HasPrefix(rest, `\G`), strings.HasPrefix(rest, `\g`):
			n, p.End = 2, rest[:2]
		}
		if at += n; p.End == "" {
			sql.WriteString(rest[:n])
		}
	}
	p.SQL = strings.TrimSpace(sql.String())
	p.Taken = strings.Count(script[:at], "\n")
	return p, script[at:]
}

// skipBlankAndComments does what skipBlank does, but leaves `/*! … */` to the server.
func skipBlankAndComments(script string) int {
	for at := 0; ; {
		at += span(script[at:], func(c byte) bool { return c <= ' ' })
		if strings.HasPrefix(script[at:], "/*!") {
			return at
		}
		n := commentLen(script[at:])
		if n == 0 {
			return at
		}
		at += n
	}
}
