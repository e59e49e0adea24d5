package weave

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/script"
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
	if lines != nil {
		if err := choose(element, *lines); err != nil {
			return show, nil, fmt.Errorf("%s: %w", snippet.Address(ref), err)
		}
	}
	var scenes [][]string // what a slide has on it at a time
	switch e := element.(type) {
	case code:
		show.Kind, scenes = "code", [][]string{e.Texts()}
	case *excerpt:
		show.Kind, scenes = "code", [][]string{e.texts()}
	case *output:
		show.Kind, scenes = "transcript", e.scenes()
	case *transcript:
		show.Kind, scenes = "transcript", e.scenes()
	case *drawing:
		show.Kind, show.Title = "figure", e.caption
	default:
		return show, nil, fmt.Errorf("%s cannot be shown to a room", snippet.Address(ref))
	}
	for _, scene := range scenes {
		high := 0
		for _, line := range scene {
			columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			show.Columns = max(show.Columns, columns)
			high += max(1, (columns+slideColumns-1)/slideColumns)
		}
		show.Lines += len(scene)
		if high > slideLines {
			return show, nil, fmt.Errorf(`%s is too large for a slide: %d lines of %d columns, and it has room for %d; choose a part, a "signature", or "lines: 3-12"`,
				snippet.Address(ref), high, slideColumns, slideLines)
		}
	}
	return show, element, nil
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

// choose leaves of an element the lines that are chosen, counted from 1 as a page
// shows them.
func choose(e element, lines snippet.Span) error {
	has := 0
	switch e := e.(type) {
	case code:
		has = len(e.Texts())
		if lines.Fits(has) {
			e.Choose(lines)
		}
	case *output:
		has = len(e.lines)
		if lines.Fits(has) {
			e.choose(lines)
		}
	case *transcript:
		has = len(e.texts())
		if lines.Fits(has) {
			e.choose(lines)
		}
	case *excerpt:
		has = len(e.texts())
		if lines.Fits(has) {
			if err := e.choose(lines); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("lines are chosen of code and of what was printed")
	}
	if !lines.Fits(has) {
		return fmt.Errorf("there are no lines %d-%d: it has %d", lines.First, lines.Last, has)
	}
	return nil
}

// texts returns the lines of the excerpt, without markup.
func (e *excerpt) texts() []string {
	var lines []string
	for i, s := range e.spans {
		if i > 0 {
			lines = append(lines, "…")
		}
		if i < len(e.context) {
			lines = append(lines, e.context[i]...)
		}
		lines = append(lines, e.written[s.First-1:s.Last]...)
	}
	return lines
}

// choose leaves some lines of an excerpt that is one part of its file.
func (e *excerpt) choose(lines snippet.Span) error {
	if len(e.spans) > 1 {
		return fmt.Errorf("lines are chosen of one part of a file")
	}
	above := 0
	if len(e.context) > 0 {
		above = len(e.context[0])
		e.context[0] = e.context[0][min(lines.First-1, above):]
	}
	if lines.Last <= above {
		return fmt.Errorf("lines %d-%d are keys alone", lines.First, lines.Last)
	}
	from := e.spans[0].First
	e.spans[0] = snippet.Span{First: from + max(lines.First-above, 1) - 1, Last: from + lines.Last - above - 1}
	e.after = true
	return nil
}

// cut stands for lines of an output that are left out between its command and what
// is shown, or behind that.
const cut = "…"

// choose leaves some lines of the output.
func (o *output) choose(lines snippet.Span) {
	begins := func(line int) bool { return line > len(o.lines) || strings.HasPrefix(o.lines[line-1], "$ ") }
	kept := slices.Clone(o.lines[lines.First-1 : lines.Last])
	if lines.First > 1 && !begins(lines.First) {
		kept = slices.Insert(kept, 0, cut)
	}
	if !begins(lines.Last + 1) {
		kept = append(kept, cut)
	}
	o.lines = kept
}

// scenes returns the lines of the output, cut before each command.
func (o *output) scenes() [][]string {
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

// scenes returns the lines of each step.
func (t *transcript) scenes() [][]string {
	var scenes [][]string
	for _, step := range t.steps {
		scenes = append(scenes, stepLines(step))
	}
	return scenes
}

func (t *transcript) texts() []string {
	var lines []string
	for _, scene := range t.scenes() {
		lines = append(lines, scene...)
	}
	return lines
}

// stepLines returns what a page shows of a step: its command, or what happened
// instead, and the output.
func stepLines(step *script.Step) []string {
	lines := typedOf(step)
	for _, line := range step.Output {
		if !script.IsExit(line.Text) {
			lines = append(lines, line.Text)
		}
	}
	return lines
}

func typedOf(step *script.Step) []string {
	typed := step.Typed()
	if typed == nil {
		return []string{step.Verb.Caption()}
	}
	typed[0] = "$ " + typed[0]
	return typed
}

// choose leaves the steps that have any of the lines; of their output those lines
// alone, with a mark where others are, and the command as it was typed.
func (t *transcript) choose(lines snippet.Span) {
	var kept []*script.Step
	at := 0
	for _, step := range t.steps {
		all := snippet.Span{First: at + 1, Last: at + len(stepLines(step))}
		at += len(typedOf(step))
		some := *step
		some.Output = nil
		was := true // the line before is shown
		for _, line := range step.Output {
			if script.IsExit(line.Text) {
				continue
			}
			at++
			is := lines.First <= at && at <= lines.Last
			if !is && was {
				some.Output = append(some.Output, script.Line{Job: line.Job, Text: cut})
			}
			if is {
				some.Output = append(some.Output, line)
			}
			was = is
		}
		if all.Overlaps(lines) {
			kept = append(kept, &some)
		}
	}
	t.steps = kept
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
