package weave

import (
	"fmt"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/source"
)

// code is a piece of Go code on the page.
type code struct{ *snippet.Piece }

func (c code) nodes(p *page) node.List {
	figure := c.figure(p)
	if len(c.Answers) == 0 {
		return node.List{figure}
	}
	ask := node.New("span", node.Class("ask"), " · write it before you look")
	return node.List{node.New("details", node.Class("answer"), node.ID(c.AnswerID), node.Flag("open"),
		node.New("summary", node.New("code", c.answerSignatures()), " ", node.New("span", "Exercise "+c.Answers[0].Exercise, ask)),
		figure)}
}

func (c code) figure(p *page) *html.Node {
	id := c.Id
	if c.Signature {
		id = ""
	}
	figure := node.New("figure", node.Class("code"), node.ID(id), caption(c.Chapter, c.Chapter.Name(c.File), c.Spans(), c.After))
	if len(c.Head) > 0 {
		node.Add(figure, node.New("details", node.Class("head"), node.New("summary", "package and imports"), listed(snippet.PlainText(c.File, c.Head))))
	}
	node.Add(figure, listed(p.runs(c.Chapter, c.File, c.Runs)))
	return figure
}

// listed returns code as a figure shows it.
func listed(code ...any) *html.Node {
	return node.New("pre", node.Attr("tabindex", "0"), node.New("code", code...))
}

// caption names the file and the lines, links to them, and says where in the
// file they go.
func caption(c *snippet.Chapter, file string, spans []snippet.Span, place string) *html.Node {
	href := fmt.Sprintf("%s#L%d", c.ListingOf(file), spans[0].First)
	caption := node.New("figcaption", node.New("a", node.Class("file"), node.Href(href), file), " "+snippet.RunsText(spans))
	if place != "" {
		node.Add(caption, " ", node.New("span", node.Class("place"), place))
	}
	return caption
}

// runs returns the runs of a piece.
func (p *page) runs(c *snippet.Chapter, file *source.File, runs []snippet.Run) node.List {
	marked := c.ProgramOf(file).Codes[file.Name]
	var all node.List
	for i, r := range runs {
		if i > 0 && !r.Inline {
			all = append(all, node.Text("\n"))
		}
		if r.Gap != "" {
			all = append(all, faded(r.Gap))
			continue
		}
		shown := marked.Nodes(r.Start, r.End, p.OfPiece(c, file, r.Owned, runs))
		if r.Faded && len(shown) > 0 {
			shown = node.List{faded(shown)}
		}
		all = append(all, shown...)
	}
	return all
}

// faded returns what only leads to code that a piece is about.
func faded(parts ...any) *html.Node { return node.New("span", append(parts, node.Class("ctx"))...) }

// signaturesOf returns the signatures of functions that are written elsewhere
// on the page.
func (p *page) signaturesOf(c *snippet.Chapter, decls []*source.Decl) *html.Node {
	var lines node.List
	for i, decl := range decls {
		if i > 0 {
			lines = append(lines, node.Text("\n"))
		}
		lines = append(lines, p.runs(c, decl.File, snippet.Signature(decl))...)
	}
	return listed(lines)
}

// answerSignatures returns the functions' signatures on one line, without
// links: a summary is itself to click. A link to a function leads here, where
// its reader sees that it is folded.
func (c code) answerSignatures() node.List {
	var all node.List
	for i, decl := range c.Answers {
		if i > 0 {
			all = append(all, node.Text("; "))
		}
		text := node.Text(snippet.OneLine(decl))
		if c.Declares(decl) {
			text = node.New("span", node.ID(c.Chapter.DefinitionID(c.File, decl.Name)), text)
		}
		all = append(all, text)
	}
	return all
}

func (c code) show(show *site.Show) [][]string {
	show.Kind = "code"
	return [][]string{c.Texts()}
}

func (c code) choose(lines snippet.Span) error {
	c.Choose(lines)
	return nil
}

func (code) count(c *Counts) { c.Pieces++ }

func (c code) openLines() int { return c.OpenLines() }

func (c code) measure(m *measuring, at int) {
	lines := c.openLines()
	m.Code += lines
	m.Longest = max(m.Longest, lines)
	most := longestWhole
	if c.Whole && c.File.Syntax.Name.Name == "main" {
		most = longestProgram
	}
	switch {
	case lines > most:
		m.over(at, "a listing of %s: more than %d", snippet.LineCount(lines), most)
	case lines > longestListing && !c.Whole:
		m.over(at, "a listing of %s: more than %d; if its length is the point, the form is %q",
			snippet.LineCount(lines), longestListing, snippet.WholeForm)
	}
}
