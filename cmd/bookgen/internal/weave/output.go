package weave

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/source"
)

// output is the output of a run, captured by a test.
type output struct {
	id      string
	chapter *Chapter
	test    *source.Decl
	lines   []string
}

const partMark = "# part: "

// output resolves a reference to captured output, or to a part of it.
func (c *Chapter) output(ref book.Reference) (element, error) {
	content, err := c.Read(ref.Path)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	first, last, err := partOf(lines, ref)
	if err != nil {
		return nil, err
	}
	test, err := c.capturedBy(ref.Path)
	if err != nil {
		return nil, err
	}
	o := &output{id: snippet.ElementID(ref.Path, ref.Fragment), chapter: c, test: test}
	for _, line := range lines[first:last] {
		if !strings.HasPrefix(line, partMark) {
			o.lines = append(o.lines, line)
		}
	}
	o.trim()
	return o, nil
}

// partOf returns the indexes of the lines of a part, its mark left out: from a
// line "# part: name" to the next such line.
func partOf(lines []string, ref book.Reference) (first, last int, err error) {
	if ref.Fragment == "" {
		return 0, len(lines), nil
	}
	first = -1
	for i, line := range lines {
		name, mark := strings.CutPrefix(line, partMark)
		switch {
		case mark && first >= 0:
			return first, i, nil
		case mark && strings.TrimSpace(name) == ref.Fragment:
			first = i + 1
		}
	}
	if first < 0 {
		return 0, 0, fmt.Errorf("%s has no part %q", ref.Path, ref.Fragment)
	}
	return first, len(lines), nil
}

// capturedBy finds the test whose code names a file below testdata, by its
// name or, if none does, by its name without extension. Output that no test
// writes would be typed by hand.
func (c *Chapter) capturedBy(file string) (*source.Decl, error) {
	base := path.Base(file)
	stem := strings.TrimSuffix(base, path.Ext(base))
	for _, name := range []string{base + `"`, `"` + stem + `"`} {
		if decl := c.testNaming(name); decl != nil {
			return decl, nil
		}
	}
	return nil, fmt.Errorf("no test captures %s: none names %q", file, base)
}

// testNaming returns the first test whose code contains a name, or else the
// first helper that contains it, or nil.
func (c *Chapter) testNaming(name string) (helper *source.Decl) {
	for _, f := range c.Files() {
		if !f.Test {
			continue
		}
		for _, decl := range f.Decls {
			switch {
			case !bytes.Contains(f.Content[decl.Start:decl.End], []byte(name)):
			case strings.HasPrefix(decl.Name, "Test"):
				return decl
			default:
				helper = decl
			}
		}
	}
	return helper
}

// trim takes blank lines off both ends.
func (o *output) trim() {
	for len(o.lines) > 0 && strings.TrimSpace(o.lines[0]) == "" {
		o.lines = o.lines[1:]
	}
	for len(o.lines) > 0 && strings.TrimSpace(o.lines[len(o.lines)-1]) == "" {
		o.lines = o.lines[:len(o.lines)-1]
	}
}

func (o *output) nodes(p *page) node.List {
	printed := node.New("samp")
	for _, line := range o.lines {
		node.Add(printed, outputLine(line))
	}
	test := node.New("a", node.Href(o.chapter.ListingHref(o.test.File, o.test.Line)), o.test.Name)
	return node.List{node.New("figure", node.Class("output"+stripClass(o.lines)), node.ID(o.id),
		node.New("figcaption", "captured by ", test), node.New("pre", printed))}
}

// outputLine marks commands ("$ …") and a person's remarks ("# …").
func outputLine(line string) *html.Node {
	if typed, ok := strings.CutPrefix(line, "$ "); ok {
		return typedLines(typed)
	}
	if strings.HasPrefix(line, "# ") {
		return node.New("span", node.Class("remark"), line+"\n")
	}
	return printedLine(line)
}

// typedLines returns a command behind its prompt.
func typedLines(command string) *html.Node {
	return node.New("span", node.Class("typed"), "$ ", node.New("kbd", command), "\n")
}

// cut stands for lines of an output that are left out between its command and what
// is shown, or behind that.
const cut = "…"

// choose leaves some lines of the output.
func (o *output) choose(lines snippet.Span) error {
	begins := func(line int) bool { return line > len(o.lines) || strings.HasPrefix(o.lines[line-1], "$ ") }
	kept := slices.Clone(o.lines[lines.First-1 : lines.Last])
	if lines.First > 1 && !begins(lines.First) {
		kept = slices.Insert(kept, 0, cut)
	}
	if !begins(lines.Last + 1) {
		kept = append(kept, cut)
	}
	o.lines = kept
	return nil
}

// show returns the lines of the output, cut before each command.
func (o *output) show(show *site.Show) [][]string {
	show.Kind = "transcript"
	scenes := [][]string{nil}
	for _, line := range o.lines {
		if strings.HasPrefix(line, "$ ") && len(scenes[len(scenes)-1]) > 0 {
			scenes = append(scenes, nil)
		}
		last := &scenes[len(scenes)-1]
		*last = append(*last, line)
	}
	return scenes
}

func (*output) count(c *Counts) { c.Outputs++ }

func (o *output) openLines() int { return len(o.lines) }

func (o *output) measure(m *measuring, _ int) { m.printed(o.openLines()) }

func (*output) hasHappened() {}
