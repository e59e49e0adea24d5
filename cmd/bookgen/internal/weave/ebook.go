package weave

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/figure"
)

// An e-book is read in columns of any width, by programs of which many know
// neither folds nor scripts nor a style sheet's arithmetic. What differs from the
// site for their sake is made here.

// foldTags returns the elements of a fold and of its title. In an e-book they are
// always open: many readers show the title of a fold and nothing that it hides, and
// those that turn pages lose the place when one opens.
func (p *page) foldTags() (fold, title string) {
	if p.volume.memory.Ebook {
		return "div", "p"
	}
	return "details", "summary"
}

// fold returns a text behind its title.
func (p *page) fold(attributes, title, text string) string {
	fold, summary := p.foldTags()
	return fmt.Sprintf("<%[1]s %[3]s><%[2]s>%[4]s</%[2]s>%[5]s</%[1]s>", fold, summary, attributes, title, text)
}

// callFootnote writes the number of a note, and keeps the note for the end of the
// section.
func (w *weaver) callFootnote(out util.BufWriter, note *book.Note) {
	fmt.Fprintf(out, `<a class=note-ref epub:type=noteref role=doc-noteref id=ref-%[1]s href=#note-%[1]s>%[2]d</a>`, note.Label, note.Number)
	w.notes = append(w.notes, note)
}

// footnotes writes the notes that the section has called, each with a link back.
func (w *weaver) footnotes(out util.BufWriter) error {
	notes := w.notes
	w.notes = nil
	for _, note := range notes {
		fmt.Fprintf(out, `<aside class=note epub:type=footnote role=doc-footnote id=note-%[1]s><p><a role=doc-backlink href=#ref-%[1]s>%[2]d</a> `,
			note.Label, note.Number)
		if err := w.noteBody(out, note); err != nil {
			return err
		}
		out.WriteString("</p></aside>\n")
	}
	return nil
}

// document ends the last section.
func (w *weaver) document(out util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		return ast.WalkContinue, nil
	}
	return ast.WalkContinue, w.footnotes(out)
}

// tableClass says how small a table has to be set.
func tableClass(table ast.Node) string {
	if table.FirstChild().ChildCount() >= 4 {
		return `"table wide"`
	}
	return "table"
}

// printed returns the markup of lines that a run has printed.
func (p *page) printed(lines []string) string {
	if !p.volume.memory.Ebook {
		return escaped(strings.Join(lines, "\n"))
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(p.printedLine(line))
	}
	return b.String()
}

// indented returns the style of a line that goes on below itself at a column, within
// half of the sixty that a page has. An em has room for 5/3 signs of the mono font.
func indented(column int) string {
	column = min(column, 30)
	return fmt.Sprintf("padding-left:%[1]d.%[2]dem;text-indent:-%[1]d.%[2]dem", column*6/10, column*6%10)
}

// answerIDs returns the targets of links to the functions that an answer declares.
func (c *piece) answerIDs() string {
	var ids strings.Builder
	for _, decl := range c.answers {
		if c.declares(decl) {
			fmt.Fprintf(&ids, "<span id=%s></span>", quoted(c.chapter.definitionID(c.file, decl.Name)))
		}
	}
	return ids.String()
}

// variants returns the drawings of figures that are wanted, if it is not both.
func (v *volume) variants() []figure.Variant {
	if v.memory.Ebook {
		return []figure.Variant{figure.Narrow}
	}
	return nil
}

// inEbook returns the picture without the record below it.
func (p *picture) inEbook(on *page) string {
	var b strings.Builder
	b.WriteString(`<figure class="drawing shot"`)
	if p.record != nil {
		b.WriteString(" id=look")
	}
	fmt.Fprintf(&b, `><picture><source media="(prefers-color-scheme: dark)" srcset=%s><img width=%d height=%d alt=%s src=%s></picture>`,
		quoted(on.asset(darkName(p.name), p.dark)), p.width, p.height, quoted(p.alt), quoted(on.asset(p.name, p.light)))
	if p.caption != "" {
		b.WriteString("<figcaption>" + escaped(p.caption) + "</figcaption>")
	}
	b.WriteString("</figure>")
	return b.String()
}
