package snippet

import (
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// Piece is Go code that a reference shows.
type Piece struct {
	Id          string // of a region; declarations have one each, of their name
	Chapter     *Chapter
	File        *source.File
	First, Last int    // lines
	After       string // its place in its file, if the page comes from elsewhere
	Head        []Run  // package clause and imports, in the first piece of a file
	Runs        []Run
	Signature   bool
	Whole       bool           // its length is the point, and so it may be long
	Answers     []*source.Decl // exercise functions in it: a reader may have it folded
	AnswerID    string
}

// Run is a part of a piece: bytes of its file, or a text in the place of bytes
// left out. Runs are lines, joined by newlines.
type Run struct {
	Start, End int
	Faded      bool   // context: not what the piece is about
	Owned      bool   // its lines count as shown here, so definitions get their ids
	Gap        string // "\t…" in place of bytes
	Inline     bool   // follows the run before it on the same line
}

// Piece resolves a reference to Go code.
func (c *Chapter) Piece(ref book.Reference) (*Piece, error) {
	file := c.file(ref.Path)
	if file == nil {
		return nil, fmt.Errorf("there is no Go file %s in %s", ref.Path, c.Slug)
	}
	if c.Coverage.Given[file] {
		return c.givenPiece(file, ref)
	}
	if err := c.Once(ref); err != nil {
		return nil, err
	}
	p := &Piece{Chapter: c, File: file}
	begins := !c.Coverage.began(file)
	if err := c.fill(p, ref); err != nil {
		return nil, err
	}
	c.place(p)
	if begins && !p.Signature && ref.Fragment != "" {
		c.begin(p, ref)
	}
	c.answer(p, ref)
	return p, nil
}

// fill chooses the form that the reference asks for.
func (c *Chapter) fill(p *Piece, ref book.Reference) error {
	fields, isFields := strings.CutPrefix(ref.Title, fieldsForm)
	p.Whole = ref.Title == WholeForm
	asItIs := ref.Title == "" || p.Whole
	switch {
	case !asItIs && ref.Title != signatureForm && !isFields:
		return fmt.Errorf("the form %q is not known: there are %q, %q and %q",
			ref.Title, signatureForm, WholeForm, fieldsForm+" A, B")
	case ref.Fragment == "" && !asItIs:
		return fmt.Errorf("a whole file has no form %q", ref.Title)
	case ref.Fragment == "":
		return c.wholeFile(p, ref)
	}
	if region := p.File.Region(ref.Fragment); region != nil && asItIs {
		return c.region(p, region, ref)
	}
	decls, err := c.lookup(p.File, ref.Fragment)
	switch {
	case err != nil:
		return err
	case ref.Title == signatureForm:
		return signatures(p, decls)
	case isFields:
		return c.fields(p, decls, fields, ref)
	}
	return c.declarations(p, decls, ref)
}

// lookup finds the declarations of a list of names, in the order of the file.
func (c *Chapter) lookup(file *source.File, names string) ([]*source.Decl, error) {
	wanted := map[*source.Decl]bool{}
	var errs []error
	for name := range strings.SplitSeq(names, ",") {
		decl, err := c.ProgramOf(file).find(file, strings.TrimSpace(name))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		wanted[decl] = true
	}
	var decls []*source.Decl
	for _, decl := range file.Decls {
		if wanted[decl] {
			decls = append(decls, decl)
		}
	}
	return decls, source.Join(errs...)
}

// begin shows the file's head with the first piece of it.
func (c *Chapter) begin(p *Piece, ref book.Reference) {
	previous := 0
	for _, line := range p.File.Head() {
		if previous > 0 && line > previous+1 {
			p.Head = append(p.Head, Run{Gap: ""})
		}
		p.Head = append(p.Head, LineRuns(p.File, line, line, false, true)...)
		previous = line
		c.Coverage.show(p.File, line, line, ref)
	}
}

// answer makes the piece an answer if it holds an exercise's function.
func (c *Chapter) answer(p *Piece, ref book.Reference) {
	if p.Signature || p.File.Test {
		return
	}
	for _, decl := range p.File.Decls {
		if decl.Exercise != "" && decl.Line <= p.Last && p.First <= decl.EndLine && p.shows(decl) {
			p.Answers = append(p.Answers, decl)
		}
	}
	if len(p.Answers) == 0 {
		return
	}
	number := p.Answers[0].Exercise
	p.AnswerID = "answer-" + number
	if n := len(c.Answers[number]); n > 0 {
		p.AnswerID += fmt.Sprintf("-%d", n+1)
	}
	c.Answers[number] = append(c.Answers[number], ref.Part)
}

// shows reports whether any byte of a declaration is in the piece.
func (p *Piece) shows(decl *source.Decl) bool {
	for _, r := range p.Runs {
		if r.Gap == "" && r.Start < decl.End && decl.Start < r.End {
			return true
		}
	}
	return false
}

// Declares reports whether the piece is the one that shows a function.
func (p *Piece) Declares(decl *source.Decl) bool {
	at := p.File.Offset(decl.Node.Pos())
	for _, r := range p.Runs {
		if r.Owned && r.Gap == "" && r.Start <= at && at < r.End {
			return true
		}
	}
	return false
}

// place names the code before a piece in its file, unless the piece goes on at
// the end of the piece before it, of the same file, or a frame around it shows
// its place.
func (c *Chapter) place(p *Piece) {
	if p.Signature || p.File.Test {
		return
	}
	before := c.latest[p.File]
	c.latest[p.File] = p.Last
	if len(p.Runs) == 0 || p.Runs[0].Faded {
		return
	}
	var previous *source.Decl
	for _, decl := range p.File.Decls {
		if decl.EndLine < p.First {
			previous = decl
		}
	}
	switch {
	case previous != nil && (before < previous.Line || before > previous.EndLine):
		p.After = "after " + previous.Name
	case previous == nil && before > 0:
		p.After = "at the top"
	}
}

// Span is a range of lines.
type Span struct{ First, Last int }

// Spans returns the lines that the piece is about, without those left out in
// between.
func (p *Piece) Spans() []Span {
	var spans []Span
	gap := true
	for _, r := range p.Runs {
		switch {
		case r.Gap != "":
			gap = true
		case r.Faded || r.Start == r.End:
		default:
			first, last := p.File.Line(r.Start), p.File.Line(r.End)
			if gap {
				spans = append(spans, Span{first, last})
			} else {
				spans[len(spans)-1].Last = last
			}
			gap = false
		}
	}
	if len(spans) == 0 {
		return []Span{{p.First, p.Last}}
	}
	return spans
}

// OpenLines counts the lines of code that the piece is about: neither empty ones nor
// those that only lead to it.
func (p *Piece) OpenLines() int {
	count := 0
	for _, r := range p.Runs {
		if r.Gap == "" && !r.Faded && !r.Inline {
			count += FullLines(string(p.File.Content[r.Start:r.End]))
		}
	}
	return count
}

// LineRuns returns the runs of whole lines, without directives and without the
// empty comment line that gofmt puts above them.
func LineRuns(file *source.File, first, last int, faded, owned bool) []Run {
	var runs []Run
	open := false
	for line := first; line <= last; line++ {
		spacer := strings.TrimSpace(file.Text(line)) == "//" && line < last && file.IsDirective(line+1)
		if spacer || file.IsDirective(line) {
			open = false
			continue
		}
		if !open {
			runs = append(runs, Run{Start: file.LineStart(line), Faded: faded, Owned: owned})
			open = true
		}
		runs[len(runs)-1].End = file.LineStart(line) + len(file.Text(line))
	}
	return runs
}

// PlainText returns the code of runs for a place that needs no links.
func PlainText(file *source.File, runs []Run) string {
	var b strings.Builder
	for i, r := range runs {
		if i > 0 && !r.Inline {
			b.WriteByte('\n')
		}
		b.Write(file.Content[r.Start:r.End])
	}
	return b.String()
}

// Visit makes a piece one that is shown a second time, away from home: it loses
// the file's head and its place in the file, and its definitions are links to
// the first.
func (c *Piece) Visit(home *Chapter) {
	c.Chapter, c.Head, c.After = home, nil, ""
	for i := range c.Runs {
		c.Runs[i].Owned = false
	}
}
