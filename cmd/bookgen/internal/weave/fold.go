package weave

import (
	"fmt"
	"go/ast"
	"strings"

	"reconcile/internal/source"
)

// fold stands in the place of a piece until a reader opens it.
type fold struct {
	head  string
	first *source.Decl // the one whose signature it shows; nil for a file without any
}

// foldUnder folds the piece.
func (c *piece) foldUnder(head string) error {
	if len(c.answers) > 0 {
		return fmt.Errorf("the answer of exercise %s is folded as it is", c.answers[0].Exercise)
	}
	c.fold = &fold{head: head}
	for _, decl := range c.file.Decls {
		if c.shows(decl) {
			c.fold.first = decl
			break
		}
	}
	return nil
}

func (f *fold) html(c *piece, figure string) string {
	signature := ""
	if f.first != nil {
		signature = " <code>" + escaped(firstLine(f.first)) + "</code>"
	}
	return fmt.Sprintf("<details class=fold><summary>%s%s <span>%s</span></summary>%s</details>",
		escaped(f.head), signature, lineCount(c.lines()), figure)
}

// firstLine returns a declaration's signature, cut short if it has none; of a
// group, what it declares.
func firstLine(decl *source.Decl) string {
	if group, ok := decl.Node.(*ast.GenDecl); ok && group.Lparen.IsValid() {
		return string(decl.Kind) + " " + someOf(decl.Names)
	}
	if decl.Body != nil || decl.Kind == source.Type {
		return oneLine(decl)
	}
	text := string(decl.File.Content[decl.File.Offset(decl.Node.Pos()):decl.End])
	first, _, more := strings.Cut(text, "\n")
	if more {
		first += " …"
	}
	return first
}

// someOf lists names as far as they can be read in one line.
func someOf(names []string) string {
	const most = 6
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", …"
}

// lines counts the lines of code that the piece is about: neither empty ones
// nor those that only lead to it.
func (c *piece) lines() int {
	count := 0
	for _, r := range c.runs {
		if r.gap != "" || r.faded || r.inline {
			continue
		}
		for line := range strings.Lines(string(c.file.Content[r.start:r.end])) {
			if strings.TrimSpace(line) != "" {
				count++
			}
		}
	}
	return count
}

func lineCount(n int) string { return counted(n, "line") }

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(fmt.Sprint(n)) + " " + noun + "s"
}
