package weave

import (
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// piece is Go code that a reference shows.
type piece struct {
	id          string // of a region; declarations have one each, of their name
	chapter     *Chapter
	file        *source.File
	first, last int    // lines
	after       string // its place in its file, if the page comes from elsewhere
	head        []run  // package clause and imports, in the first piece of a file
	runs        []run
	signature   bool
	whole       bool           // its length is the point, and so it may be long
	answers     []*source.Decl // exercise functions in it: a reader may have it folded
	answerID    string
}

// run is a part of a piece: bytes of its file, or a text in the place of bytes
// left out. Runs are lines, joined by newlines.
type run struct {
	start, end int
	faded      bool   // context: not what the piece is about
	owned      bool   // its lines count as shown here, so definitions get their ids
	gap        string // "\t…" in place of bytes
	inline     bool   // follows the run before it on the same line
}

// piece resolves a reference to Go code.
func (c *Chapter) piece(ref book.Reference) (element, error) {
	file := c.file(ref.Path)
	if file == nil {
		return nil, fmt.Errorf("there is no Go file %s in %s", ref.Path, c.Slug)
	}
	if c.coverage.given[file] {
		return c.givenPiece(file, ref)
	}
	if err := c.once(ref); err != nil {
		return nil, err
	}
	p := &piece{chapter: c, file: file}
	begins := !c.coverage.began(file)
	if err := c.fill(p, ref); err != nil {
		return nil, err
	}
	c.place(p)
	if begins && !p.signature && ref.Fragment != "" {
		c.begin(p, ref)
	}
	c.answer(p, ref)
	return p, nil
}

// fill chooses the form that the reference asks for.
func (c *Chapter) fill(p *piece, ref book.Reference) error {
	fields, isFields := strings.CutPrefix(ref.Title, fieldsForm)
	p.whole = ref.Title == wholeForm
	asItIs := ref.Title == "" || p.whole
	switch {
	case !asItIs && ref.Title != signatureForm && !isFields:
		return fmt.Errorf("the form %q is not known: there are %q, %q and %q",
			ref.Title, signatureForm, wholeForm, fieldsForm+" A, B")
	case ref.Fragment == "" && !asItIs:
		return fmt.Errorf("a whole file has no form %q", ref.Title)
	case ref.Fragment == "":
		return c.wholeFile(p, ref)
	}
	if region := p.file.Region(ref.Fragment); region != nil && asItIs {
		return c.region(p, region, ref)
	}
	decls, err := c.lookup(p.file, ref.Fragment)
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
		decl, err := c.programOf(file).find(file, strings.TrimSpace(name))
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
func (c *Chapter) begin(p *piece, ref book.Reference) {
	previous := 0
	for _, line := range p.file.Head() {
		if previous > 0 && line > previous+1 {
			p.head = append(p.head, run{gap: ""})
		}
		p.head = append(p.head, lineRuns(p.file, line, line, false, true)...)
		previous = line
		c.coverage.show(p.file, line, line, ref)
	}
}

// answer makes the piece an answer if it holds an exercise's function.
func (c *Chapter) answer(p *piece, ref book.Reference) {
	if p.signature || p.file.Test {
		return
	}
	for _, decl := range p.file.Decls {
		if decl.Exercise != "" && decl.Line <= p.last && p.first <= decl.EndLine && p.shows(decl) {
			p.answers = append(p.answers, decl)
		}
	}
	if len(p.answers) == 0 {
		return
	}
	number := p.answers[0].Exercise
	p.answerID = "answer-" + number
	if n := len(c.answers[number]); n > 0 {
		p.answerID += fmt.Sprintf("-%d", n+1)
	}
	c.answers[number] = append(c.answers[number], ref.Part)
}

// shows reports whether any byte of a declaration is in the piece.
func (p *piece) shows(decl *source.Decl) bool {
	for _, r := range p.runs {
		if r.gap == "" && r.start < decl.End && decl.Start < r.end {
			return true
		}
	}
	return false
}

// declares reports whether the piece is the one that shows a function.
func (p *piece) declares(decl *source.Decl) bool {
	at := p.file.Offset(decl.Node.Pos())
	for _, r := range p.runs {
		if r.owned && r.gap == "" && r.start <= at && at < r.end {
			return true
		}
	}
	return false
}

// place names the code before a piece in its file, unless the piece goes on at
// the end of the piece before it, of the same file, or a frame around it shows
// its place.
func (c *Chapter) place(p *piece) {
	if p.signature || p.file.Test {
		return
	}
	before := c.latest[p.file]
	c.latest[p.file] = p.last
	if len(p.runs) == 0 || p.runs[0].faded {
		return
	}
	var previous *source.Decl
	for _, decl := range p.file.Decls {
		if decl.EndLine < p.first {
			previous = decl
		}
	}
	switch {
	case previous != nil && (before < previous.Line || before > previous.EndLine):
		p.after = "after " + previous.Name
	case previous == nil && before > 0:
		p.after = "at the top"
	}
}

// span is a range of lines.
type span struct{ first, last int }

// spans returns the lines that the piece is about, without those left out in
// between.
func (p *piece) spans() []span {
	var spans []span
	gap := true
	for _, r := range p.runs {
		switch {
		case r.gap != "":
			gap = true
		case r.faded || r.start == r.end:
		default:
			first, last := p.file.Line(r.start), p.file.Line(r.end)
			if gap {
				spans = append(spans, span{first, last})
			} else {
				spans[len(spans)-1].last = last
			}
			gap = false
		}
	}
	if len(spans) == 0 {
		return []span{{p.first, p.last}}
	}
	return spans
}

// openLines counts the lines of code that the piece is about: neither empty ones nor
// those that only lead to it.
func (p *piece) openLines() int {
	count := 0
	for _, r := range p.runs {
		if r.gap == "" && !r.faded && !r.inline {
			count += fullLines(string(p.file.Content[r.start:r.end]))
		}
	}
	return count
}

// fullLines counts the lines of a text that are not empty.
func fullLines(text string) int {
	count := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			count++
		}
	}
	return count
}

// lineRuns returns the runs of whole lines, without directives and without the
// empty comment line that gofmt puts above them.
func lineRuns(file *source.File, first, last int, faded, owned bool) []run {
	var runs []run
	open := false
	for line := first; line <= last; line++ {
		spacer := strings.TrimSpace(file.Text(line)) == "//" && line < last && file.IsDirective(line+1)
		if spacer || file.IsDirective(line) {
			open = false
			continue
		}
		if !open {
			runs = append(runs, run{start: file.LineStart(line), faded: faded, owned: owned})
			open = true
		}
		runs[len(runs)-1].end = file.LineStart(line) + len(file.Text(line))
	}
	return runs
}
