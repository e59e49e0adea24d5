package paper

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
)

// foldSign stands before what goes on of a line that its column has no room for.
const foldSign = "↪ "

// mayEnd matches how a line of Go may end that goes on below.
var mayEnd = regexp.MustCompile(`// .* $|^([^"]|"[^"]*")*[,({\[&|=+*<>-] *$`)

// fold breaks the lines of code or of a transcript that are longer than room, where a tab
// has so many columns. The style sheet sets in what goes on of a line that was printed.
func fold(pre *html.Node, room, tab int) {
	var parts []*html.Node
	var text strings.Builder
	for n := range pre.Descendants() {
		if n.Type == html.TextNode && !node.Is(n.Parent, "span", "meanwhile") { // which is prose
			n.Data = strings.ReplaceAll(n.Data, "\t", strings.Repeat(" ", tab))
			parts = append(parts, n)
			text.WriteString(n.Data)
		}
	}
	printed := node.List{pre}.Find("samp", "") != nil
	breaks, at, column := map[int]string{}, 0, 0
	lines := strings.Split(text.String(), "\n")
	for i, line := range lines {
		if endsTable(line) {
			column = 0
		}
		if printed && isHead(line) {
			column = tableColumn(lines[i:], room)
		}
		foldLine(breaks, at, []rune(line), room, column, printed)
		at += utf8.RuneCountInString(line) + 1
	}
	at = 0
	for _, n := range parts {
		var broken strings.Builder
		for _, r := range n.Data {
			broken.WriteString(breaks[at])
			broken.WriteRune(r)
			at++
		}
		n.Data = broken.String()
	}
}

// foldLine notes where a line is broken that begins at a place of the text: in a table at
// a column, without a sign; and where it has no room.
func foldLine(breaks map[int]string, at int, line []rune, room, column int, printed bool) {
	indent := 4
	if !printed {
		indent = min(indent+len(line)-len([]rune(strings.TrimLeft(string(line), " "))), room/2)
	}
	if column > 0 && len(line) > column {
		breaks[at+column] = "\n"
		at, line, room = at+column, line[column:], room-indent
	}
	for limit := room; len(line) > limit; limit = room - indent - utf8.RuneCountInString(foldSign) {
		by := limit
		for end := limit; end > limit/3; end-- {
			if !printed && mayEnd.MatchString(string(line[:end])) {
				by = end
				break
			}
			if by == limit && line[end-1] == ' ' {
				by = end // unless a better place is before it
			}
		}
		breaks[at+by] = "\n" + foldSign
		if !printed {
			breaks[at+by] = "\n" + strings.Repeat(" ", indent) + foldSign
		}
		at, line = at+by, line[by:]
	}
}

// isHead reports whether a line names the columns of a table of kubectl's.
func isHead(line string) bool {
	return strings.ToUpper(line) == line && strings.Contains(line, "  ") && strings.IndexFunc(line, unicode.IsUpper) == 0
}

func endsTable(line string) bool { return line == "" || strings.HasPrefix(line, "$ ") || isHead(line) }

// tableColumn returns the last column of a table that begins in room and in which no row
// has anything across its beginning; 0 if all fits, if there is none, or if it has sentences.
func tableColumn(rows []string, room int) int {
	if end := slices.IndexFunc(rows[1:], endsTable); end >= 0 {
		rows = rows[:end+1]
	}
	if !slices.ContainsFunc(rows, func(row string) bool { return utf8.RuneCountInString(row) > room }) {
		return 0
	}
	head := []rune(rows[0])
	for at := min(room, len(head)-1); at > 1; at-- {
		last := !strings.Contains(string(head[at:]), "  ")
		if head[at] != ' ' && !slices.ContainsFunc(rows, func(row string) bool {
			line := []rune(row)
			return len(line) > at && (line[at-1] != ' ' || line[at-2] != ' ' || last && slices.Contains(line[at:], ' '))
		}) {
			return at
		}
	}
	return 0
}
