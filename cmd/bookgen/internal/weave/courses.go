package weave

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
	"reconcile/internal/workshop/course"
)

// courses renders the ways to teach the book.
func (v *volume) courses() ([]*site.Course, error) {
	lessons, err := v.lessons()
	errs := []error{err}
	var courses []*site.Course
	for _, c := range v.book.Courses {
		w := &programme{volume: v, course: c, lessons: lessons, drills: map[string]*site.Task{}}
		courses = append(courses, w.weave())
		errs = append(errs, w.errs...)
	}
	return courses, source.Join(errs...)
}

// programme is a course while it is rendered.
type programme struct {
	*volume
	course  *course.Course
	lessons lessons
	drills  map[string]*site.Task // that stand in it so far, by number
	told    map[string]bool       // chapters whose first note has been met
	errs    []error
}

func (w *programme) fail(line int, format string, args ...any) {
	w.errs = append(w.errs, source.At(w.course.File, line, format, args...))
}

func (w *programme) weave() *site.Course {
	c := w.course
	body, _ := w.prose(c.Body, c.BodyLine)
	out := &site.Course{
		Slug: c.Slug, Title: book.Typographic(c.Title), Summary: book.Typographic(c.Summary),
		Body:     body,
		Evenings: len(c.Starts), Target: c.Minutes, People: c.People,
	}
	if len(c.Starts) > 0 {
		out.Start = c.Starts[0]
	}
	w.told = map[string]bool{}
	items := map[*course.Item]site.Item{}
	for _, s := range c.Sessions {
		for _, item := range s.Items {
			items[item] = w.item(item)
		}
	}
	slots, err := c.Timetable(func(item *course.Item) int { return items[item].Minutes })
	w.errs = append(w.errs, err)
	for i, point := range c.Checkpoints() {
		s := point.Session
		woven := site.Session{Title: book.Typographic(s.Title), ID: fmt.Sprintf("session-%d", i+1), Evening: s.Evening, Checkpoint: point.Name}
		for _, slot := range slots {
			if slot.Session != s {
				continue
			}
			item := site.Item{Title: "Break", Break: true}
			if slot.Item != nil {
				item = items[slot.Item]
			}
			item.At, item.Minutes = slot.At, slot.Minutes
			woven.Items = append(woven.Items, item)
		}
		out.Sessions = append(out.Sessions, woven)
	}
	return out
}

// item resolves an item. Its minutes are those that it names, or else those of what
// it leads to.
func (w *programme) item(item *course.Item) site.Item {
	body, asks := w.prose(item.Body, item.BodyLine)
	out := site.Item{Break: item.Break, Body: body, Asks: asks}
	doc, err := book.Parse(w.course.File, []byte(item.Text), item.Line)
	w.errs = append(w.errs, err)
	out.Title = doc.Text(doc.Root)
	if len(doc.References()) > 0 {
		w.fail(item.Line, "the words of an item lead nowhere: links stand in a paragraph below it")
	}
	switch {
	case item.Chapter != "" && w.chapters[item.Chapter] == nil:
		w.fail(item.Line, "there is no chapter %s", item.Chapter)
	case item.Exercise != "":
		out.Task = w.task(item)
		if out.Task != nil {
			out.Title, out.Minutes = out.Task.Title, out.Task.Minutes
		}
	case item.Part != "":
		out.Note = w.noteOf(item)
		if out.Note == nil {
			break
		}
		out.Minutes = out.Note.Minutes
		if !w.told[item.Chapter] {
			w.told[item.Chapter] = true
			out.Before = w.lessons.before[item.Chapter]
		}
	}
	if item.Minutes > 0 {
		out.Minutes = item.Minutes
	}
	return out
}

// noteOf finds the note on a section.
func (w *programme) noteOf(item *course.Item) *site.Note {
	note := w.lessons.notes[passage{item.Chapter, item.Part, item.Heading}]
	if note == nil {
		at := item.Part
		if item.Heading != "" {
			at += "#" + item.Heading
		}
		w.fail(item.Line, "there is no note on %s: %s needs ## [its title](%s) {minutes=…}", item.Text,
			path.Join("chapters", item.Chapter, "teach.md"), at)
	}
	return note
}

// task finds an exercise. It stands in a course once, and behind those that it
// needs; but a fault is looked for in the book's versions, by people who need not
// have written any.
func (w *programme) task(item *course.Item) *site.Task {
	chapter := w.chapters[item.Chapter]
	i := slices.IndexFunc(chapter.Exercises, func(e *exercise.Exercise) bool { return e.Number == item.Exercise })
	if i < 0 {
		w.fail(item.Line, "%s has no exercise %s", item.Chapter, item.Exercise)
		return nil
	}
	e := chapter.Exercises[i]
	if name := e.Number + " " + e.Title; item.Text != name {
		w.fail(item.Line, "the exercise is called %q, and not %q", name, item.Text)
	}
	if w.drills[e.Number] != nil {
		w.fail(item.Line, "%s stands in the course a second time", e.Number)
	}
	task, err := w.drill(chapter, e)
	w.errs = append(w.errs, err)
	for _, needed := range task.Needs {
		if e.Kind != exercise.Debug && w.drills[needed] == nil {
			w.fail(item.Line, "%s needs %s, which does not stand before it", e.Number, needed)
		}
	}
	w.drills[e.Number] = task
	return task
}

// prose renders a text of the course, and the questions in it once more by
// themselves. Its links are those of files: they lead to the folder of the chapters,
// which stands beside the course's own.
func (w *programme) prose(text string, line int) (node.List, []site.Ask) {
	if text == "" {
		return nil, nil
	}
	p := w.page(nil, nil, site.TeachFolder)
	doc, err := book.Parse(w.course.File, []byte(text), line)
	w.errs = append(w.errs, err, replaceFences(doc, false))
	w.link(p, doc)
	asks := opened(p, doc)
	body := p.resolved(doc, doc.Root)
	w.errs = append(w.errs, p.errs...)
	return body, asks
}

// link resolves the links of a text: to other courses, and into the book.
func (w *programme) link(p *page, doc *book.Document) {
	for _, ref := range doc.References() {
		link, ok := ref.Node.(*ast.Link)
		if !ok || ref.External() || ref.Path == "" {
			continue
		}
		if slug, ok := w.sibling(ref.Path); ok {
			replace(link, &prose.Inline{Element: made{node.New("a", node.Href(site.TeachFolder+"/"+slug+"/index.html"), ref.Text)}})
			continue
		}
		inside, ok := strings.CutPrefix(string(link.Destination), "../chapters/")
		if !ok {
			p.fail(doc, ref.Line, fmt.Errorf("dead link: %s is not in the book", ref.Path))
			replace(link, &prose.Inline{Element: nothing{}})
		}
		link.Destination = []byte(inside)
	}
	p.resolveLinks(doc)
}

// opened replaces questions by themselves and their answers, unlike a reader's, and
// returns them.
func opened(p *page, doc *book.Document) (asks []site.Ask) {
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() != extast.KindDefinitionList {
			continue
		}
		var open made
		for _, ask := range p.asked(doc, n) {
			open = append(open, node.New("div", node.Class("ask"), ask.Question.Clone()), node.Text("\n"),
				node.New("div", node.Class("answered"), ask.Answer.Clone()), node.Text("\n"))
			asks = append(asks, ask)
		}
		block := &prose.Block{Element: open}
		replace(n, block)
		n = block
	}
	return asks
}

// sibling returns the name of the course that a link leads to.
func (w *programme) sibling(file string) (slug string, ok bool) {
	slug, ok = strings.CutSuffix(file, ".md")
	return slug, ok && slices.ContainsFunc(w.book.Courses, func(c *course.Course) bool { return filepath.Base(c.File) == file })
}

// made is nodes that stand in the place of a reference as they are.
type made node.List

func (m made) nodes(*page) node.List { return node.List(m) }
