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
// has so many columns, and fills the lines of comments anew. The style sheet sets in what goes on of a line that was printed.
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
	breaks, gone, at, column := map[int]string{}, map[int]bool{}, 0, 0
	lines := strings.Split(text.String(), "\n")
	for i := 0; i < len(lines); i++ {
		if endsTable(lines[i]) {
			column = 0
		}
		if printed && isHead(lines[i]) {
			column = tableColumn(lines[i:], room)
		}
		if n := sentences(lines[i:], room); n > 0 && !printed {
			at = refill(breaks, gone, at, lines[i:i+n], room)
			i += n - 1
			continue
		}
		foldLine(breaks, at, []rune(lines[i]), room, column, printed)
		at += utf8.RuneCountInString(lines[i]) + 1
	}
	change(parts, breaks, gone)
}

// change puts into texts what stands before some of their signs, and takes away what goes.
func change(parts []*html.Node, breaks map[int]string, gone map[int]bool) {
	at := 0
	for _, n := range parts {
		var broken strings.Builder
		for _, r := range n.Data {
			broken.WriteString(breaks[at])
			if !gone[at] {
				broken.WriteRune(r)
			}
			at++
		}
		n.Data = broken.String()
	}
}

// sentence matches a line of a comment that may go on in the next; lists and tables don't.
var sentence = regexp.MustCompile(`^ *// [^ *#-]`)

// sentences returns how many lines of a comment go on in each other, of which one has no
// room; 0 if all have. What is much shorter than its column is the last of a paragraph.
func sentences(lines []string, room int) int {
	long := false
	for n, line := range lines {
		if !sentence.MatchString(line) || strings.Index(line, "//") != strings.Index(lines[0], "//") {
			lines = lines[:n]
			break
		}
		width := utf8.RuneCountInString(line)
		long = long || width > room
		if width < room*2/3 {
			lines = lines[:n+1]
			break
		}
	}
	if !long {
		return 0
	}
	return len(lines)
}

// refill sets such lines anew that begin at a place of the text. It notes what stands before
// each word instead of what stood there, and returns where the next line begins.
func refill(breaks map[int]string, gone map[int]bool, at int, lines []string, room int) int {
	head := lines[0][:strings.Index(lines[0], "// ")+len("// ")]
	column := 0
	for _, line := range lines {
		gap := len(head) + 1 // and the end of the line before
		for word := range strings.SplitSeq(line[len(head):], " ") {
			width, place := utf8.RuneCountInString(word), at+gap-1
			for sign := at - 1; column > 0 && sign < place; sign++ {
				gone[sign] = true
			}
			switch {
			case column == 0:
				column = len(head) + width
			case column+1+width > room:
				breaks[place], column = "\n"+head, len(head)+width
			default:
				breaks[place], column = " ", column+1+width
			}
			if len(head)+width > room {
				foldLine(breaks, place-len(head), []rune(head+word), room, 0, false)
				column = room
			}
			at, gap = place+width+1, 1
		}
	}
	return at
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
