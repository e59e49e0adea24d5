package book

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/yuin/goldmark/ast"

	"reconcile/internal/source"
)

// lessonsName is the file beside chapter.md that tells an instructor how to teach
// the chapter. It is no page of the book.
const lessonsName = "teach.md"

// Lessons say how to teach a chapter.
type Lessons struct {
	Title  string
	Before *Document // what the chapter does to a room
	All    []*Lesson
}

// Lesson says how to teach a section.
type Lesson struct {
	Title         string // the section's
	Part, Heading string // the file that has it, and its id; without id it is the page's opening
	Minutes       int
	File          string
	Line          int

	Say, Ask, Show, Watch *Document // nil: there is none
}

// loadLessons reads how to teach a chapter, if there is such a file.
func loadLessons(file string) (*Lessons, error) {
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var front struct {
		Title string `yaml:"title"`
	}
	body, line, err := source.FrontMatter(file, content, &front)
	if err != nil {
		return nil, err
	}
	l := &Lessons{Title: Typographic(front.Title)}
	return l, source.Join(required(file, "title", front.Title), l.parse(read(file, body, line)))
}

// parse takes the text apart at its headings: a text that its author has not
// finished says so at each of them.
func (l *Lessons) parse(doc *Document) error {
	doc.curveQuotes()
	var errs []error
	problem := func(h *ast.Heading, format string, args ...any) {
		errs = append(errs, source.At(doc.File, doc.Line(h), format, args...))
	}
	before, headings := doc.passages()
	l.Before, errs = before, append(errs, doc.parsed(before))
	for _, h := range headings {
		switch {
		case h.Level == 2:
			lesson, err := doc.lesson(h.Heading)
			l.All, errs = append(l.All, lesson), append(errs, err)
			if text := strings.TrimSpace(string(h.below.Source)); text != "" {
				problem(h.Heading, "what there is to say of it stands below ### Say")
			}
		case h.Level != 3:
			problem(h.Heading, "notes have headings of level 2, and their parts of level 3: %s", doc.Text(h))
		case len(l.All) == 0:
			problem(h.Heading, "%s stands below no section", doc.Text(h))
		default:
			errs = append(errs, l.All[len(l.All)-1].take(doc, h))
		}
	}
	for _, lesson := range l.All {
		if lesson.Say == nil || lesson.Show == nil {
			errs = append(errs, source.At(lesson.File, lesson.Line, "a note has both Say and Show"))
		}
	}
	return source.Join(errs...)
}

// passage is a heading with the text up to the next one.
type passage struct {
	*ast.Heading
	below *Document // not parsed
}

// passages cuts a text at its headings.
func (d *Document) passages() (before *Document, all []passage) {
	before = &Document{FirstLine: d.FirstLine}
	last, from := before, 0
	lineStart := func(line int) int {
		if line == d.FirstLine {
			return 0
		}
		return d.newlines[line-d.FirstLine-1] + 1
	}
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		line := d.Line(h)
		last.Source = d.Source[from:lineStart(line)]
		from = len(d.Source)
		if line-d.FirstLine < len(d.newlines) {
			from = lineStart(line + 1)
		}
		last = &Document{FirstLine: line + 1}
		all = append(all, passage{h, last})
	}
	last.Source = d.Source[from:]
	return before, all
}

// parsed parses a passage of the text.
func (d *Document) parsed(passage *Document) error {
	whole, err := Parse(d.File, passage.Source, passage.FirstLine)
	*passage = *whole
	return err
}

// lesson reads the heading of a note: a link to the section, and minutes.
func (d *Document) lesson(h *ast.Heading) (*Lesson, error) {
	lesson := &Lesson{File: d.File, Line: d.Line(h), Title: d.Text(h)}
	var errs []error
	link, ok := h.FirstChild().(*ast.Link)
	if !ok || h.ChildCount() != 1 {
		errs = append(errs, source.At(d.File, lesson.Line,
			"a note begins with a link to its section: ## [its title](chapter.md#its-title) {minutes=12}"))
	} else {
		lesson.Part, lesson.Heading, _ = strings.Cut(string(link.Destination), "#")
	}
	value, _ := h.AttributeString("minutes")
	minutes, _ := value.(float64)
	lesson.Minutes = int(minutes)
	if lesson.Minutes < 1 || float64(lesson.Minutes) != minutes || len(h.Attributes()) != 1 {
		errs = append(errs, source.At(d.File, lesson.Line, "a note says how long it takes, in whole minutes, and nothing else: {minutes=12}"))
	}
	return lesson, source.Join(errs...)
}

// take takes one of the parts of a note, in their order.
func (l *Lesson) take(d *Document, h passage) error {
	parts := []struct {
		name string
		doc  **Document
	}{{"Say", &l.Say}, {"Ask", &l.Ask}, {"Show", &l.Show}, {"Watch for", &l.Watch}}
	for i, part := range parts {
		if part.name != d.Text(h) {
			continue
		}
		for _, later := range parts[i:] {
			if *later.doc != nil {
				return source.At(d.File, d.Line(h), "%s stands before %s, once", part.name, later.name)
			}
		}
		*part.doc = h.below
		return d.parsed(h.below)
	}
	return source.At(d.File, d.Line(h), "a note has no part %q: there are Say, Ask, Show and Watch for", d.Text(h))
}
