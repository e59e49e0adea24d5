package highlight

import (
	"fmt"
	"regexp"
	"strings"
)

// remark marks up a comment, each paragraph as an element. If one goes on in
// the next line, the line's end and the beginning of the next are an element,
// too: a narrow screen leaves them out, and sets the paragraph anew. There a
// comment that has its lines to itself is a block, set in by depth tabs; depth
// is -1 for one behind code. Text between stars stays as it is.
func remark(b *strings.Builder, text string, depth int) {
	open := "<i>"
	switch {
	case depth < 0 || !strings.HasPrefix(text, "//"):
		open, depth = "<i class=e>", -1
	case depth > 0:
		open = fmt.Sprintf("<i style=--t:%d>", depth)
	}
	b.WriteString(open)
	before := ""
	for i, line := range strings.Split(text, "\n") {
		rest := strings.TrimLeft(line, "\t ")
		switch {
		case i == 0:
			escape(b, []byte(rest))
		case depth >= 0 && goesOn(before, rest):
			b.WriteString("<u>\n" + line[:len(line)-len(rest)] + "//</u>")
			escape(b, []byte(rest[2:]))
		case depth >= 0 && strings.HasPrefix(rest, "//"):
			b.WriteString("</i>\n" + line[:len(line)-len(rest)] + open)
			escape(b, []byte(rest))
		default:
			b.WriteString("\n")
			escape(b, []byte(line))
		}
		before = rest
	}
	b.WriteString("</i>")
}

// These match lines that are words, and lines that begin an item of a list.
var (
	words = regexp.MustCompile(`^// \S`)
	item  = regexp.MustCompile(`^// (-|\d+\.) `)
)

// goesOn reports whether a line of a comment belongs to the paragraph before.
func goesOn(before, line string) bool {
	return words.MatchString(before) && words.MatchString(line) && !item.MatchString(line)
}

// depth returns the number of tabs before a comment that has its line to
// itself, or -1 for one behind code.
func (c *Code) depth(at int) int {
	tabs := 0
	for ; at > 0 && c.src[at-1] == '\t'; at-- {
		tabs++
	}
	if at > 0 && c.src[at-1] != '\n' {
		return -1
	}
	return tabs
}
