package weave

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
)

// A slide has room for so many lines. One that is longer than slideColumns goes on
// in the next.
const (
	slideLines   = 18
	slideColumns = 70
)

// show resolves a reference to something that a room looks at together. Behind
// what it says in a chapter, a title may choose lines: "lines: 3-12".
func (p *page) show(guests map[*Chapter]*Chapter, ref book.Reference) (site.Show, element, error) {
	show := site.Show{Title: ref.Text, Line: ref.Line}
	lines, err := chosen(&ref)
	if err != nil {
		return show, nil, err
	}
	if !ref.Picture { // the same may be shown again: only a figure has an id that stays
		guests = map[*Chapter]*Chapter{}
	}
	element, err := p.guestElement(guests, ref)
	if err != nil {
		return show, nil, err
	}
	shown, ok := element.(shown)
	if !ok {
		return show, nil, fmt.Errorf("%s cannot be shown to a room", snippet.Address(ref))
	}
	if lines != nil {
		if err := choose(shown, *lines); err != nil {
			return show, nil, fmt.Errorf("%s: %w", snippet.Address(ref), err)
		}
	}
	err = fits(&show, shown, ref)
	return show, element, err
}

// fits notes how large a thing is, and reports one that is too large for a slide.
func fits(show *site.Show, e shown, ref book.Reference) error {
	for _, scene := range e.show(show) {
		high := 0
		for _, line := range scene {
			columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			show.Columns = max(show.Columns, columns)
			high += max(1, (columns+slideColumns-1)/slideColumns)
		}
		show.Lines += len(scene)
		if high > slideLines {
			return fmt.Errorf(`%s is too large for a slide: %d lines of %d columns, and it has room for %d; choose a part, a "signature", or "lines: 3-12"`,
				snippet.Address(ref), high, slideColumns, slideLines)
		}
	}
	return nil
}

var linesForm = regexp.MustCompile(`^lines: *([1-9][0-9]*)(?:-([1-9][0-9]*))?$`)

// chosen takes the lines that a reference asks for out of its title.
func chosen(ref *book.Reference) (*snippet.Span, error) {
	var chosen *snippet.Span
	var rest []string
	for word := range strings.SplitSeq(ref.Title, ";") {
		word = strings.TrimSpace(word)
		if !strings.HasPrefix(word, "lines:") {
			rest = append(rest, word)
			continue
		}
		m := linesForm.FindStringSubmatch(word)
		if m == nil || chosen != nil {
			return nil, fmt.Errorf("%q chooses no lines: write lines: 3-12", ref.Title)
		}
		first, _ := strconv.Atoi(m[1]) // digits; of too many it is above all
		last := first
		if m[2] != "" {
			last, _ = strconv.Atoi(m[2])
		}
		chosen = &snippet.Span{First: first, Last: last}
	}
	if chosen != nil {
		ref.Title = strings.Join(rest, "; ")
	}
	return chosen, nil
}

// choose leaves of an element the lines that are chosen.
func choose(e shown, lines snippet.Span) error {
	sliced, ok := e.(sliced)
	if !ok {
		return fmt.Errorf("lines are chosen of code and of what was printed")
	}
	has := 0
	for _, scene := range sliced.show(&site.Show{}) {
		has += len(scene)
	}
	if !lines.Fits(has) {
		return fmt.Errorf("there are no lines %d-%d: it has %d", lines.First, lines.Last, has)
	}
	return sliced.choose(lines)
}

// shown renders what a note shows. The answer of an exercise stands open, and only
// figures keep their ids: an element has its id where its chapter shows it.
func (p *page) shown(doc *book.Document, n ast.Node) node.List {
	woven, ok := n.(*prose.Block)
	if !ok {
		return prose.Of(doc, n, p.woven)
	}
	var all node.List
	switch e := woven.Element.(type) {
	case *drawing:
		return e.nodes(p)
	case code:
		all = node.List{e.figure(p)}
	default:
		all = p.woven(e)
	}
	for _, n := range all {
		n.Attr = node.Without(n, "id")
	}
	return all
}
