package highlight

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
)

// remark marks up a comment, each paragraph as an element. Within a paragraph,
// each line's end with the beginning of the next line is an element, too: a
// narrow screen hides it, and wraps the paragraph anew. There a comment on
// lines of its own is a block, indented by depth tabs; depth is -1 for a
// comment after code. A list's item is indented as far as its text. Text
// between /* and */ stays as it is.
func remark(text string, depth int) node.List {
	if !strings.HasPrefix(text, "//") {
		depth = -1
	}
	hang := hangOf(text)
	in := paragraph(depth, hang)
	all := node.List{in}
	before := ""
	for i, line := range strings.Split(text, "\n") {
		rest := strings.TrimLeft(line, "\t ")
		indent := line[:len(line)-len(rest)]
		switch {
		case i == 0:
			node.Add(in, rest)
		case depth >= 0 && goesOn(before, rest):
			node.Add(in, node.New("u", "\n"+indent+"//"), rest[2:])
		case depth >= 0 && hang > 0 && hangsOn(rest, hang):
			node.Add(in, node.New("u", "\n"+indent+rest[:hang-1]), rest[hang-1:])
		case depth >= 0 && strings.HasPrefix(rest, "//"):
			hang = hangOf(rest)
			in = paragraph(depth, hang)
			all = append(all, node.Text("\n"+indent), in)
			node.Add(in, rest)
		default:
			node.Add(in, "\n"+line)
		}
		before = rest
	}
	return all
}

// These match lines that are words, and lines that begin an item of a list.
var (
	words = regexp.MustCompile(`^// \S`)
	item  = regexp.MustCompile(`^// +(-|\d+\.) +`)
)

// paragraph returns the element of a paragraph.
func paragraph(depth, hang int) *html.Node {
	if depth < 0 {
		return node.New("i", node.Attr("class", "e"))
	}
	var style []string
	if depth > 0 {
		style = append(style, fmt.Sprintf("--t:%d", depth))
	}
	if hang > 0 {
		style = append(style, fmt.Sprintf("--h:%d", hang))
	}
	return node.New("i", node.Attr("style", strings.Join(style, ";")))
}

// hangOf returns the column at which the text of an item begins, or 0.
func hangOf(line string) int { return len(item.FindString(line)) }

// hangsOn reports whether a line belongs to the item before: its text begins
// where that one's does.
func hangsOn(line string, hang int) bool {
	indent := "//" + strings.Repeat(" ", hang-2)
	return strings.HasPrefix(line, indent) && len(line) > hang && line[hang] != ' '
}

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
