package mysqlcluster

import "strings"

// Split cuts a script at each `;` outside of quotes and comments, as the client
// does. Statements that are empty are left out.
func Split(script string) []string {
	var all []string
	for script != "" {
		var p piece
		p, script = cut(script)
		if p.sql != "" {
			all = append(all, p.sql)
		}
	}
	return all
}

// piece is the first statement of a script.
type piece struct {
	sql   string // without comments
	end   string // ";", `\G`, `\g`; "": the script ends first
	lines int    // before the statement begins, and
	taken int    // in all that was cut off
}

// cut returns a script's first statement, and what comes after it.
func cut(script string) (piece, string) {
	at := skipBlankAndComments(script)
	p := piece{lines: strings.Count(script[:at], "\n")}
	var sql strings.Builder
	for at < len(script) && p.end == "" {
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
			p.end = ";"
		case strings.HasPrefix(rest, `\G`), strings.HasPrefix(rest, `\g`):
			n, p.end = 2, rest[:2]
		}
		if at += n; p.end == "" {
			sql.WriteString(rest[:n])
		}
	}
	p.sql = strings.TrimSpace(sql.String())
	p.taken = strings.Count(script[:at], "\n")
	return p, script[at:]
}

// skipBlankAndComments is skipBlank, but leaves `/*! … */` to the server.
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
