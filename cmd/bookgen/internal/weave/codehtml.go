package weave

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/internal/source"
)

func (c *piece) nodes(p *page) node.List {
	figure := c.figure(p)
	if len(c.answers) == 0 {
		return node.List{figure}
	}
	ask := node.New("span", node.Class("ask"), " · write it before you look")
	return node.List{node.New("details", node.Class("answer"), node.ID(c.answerID), node.Flag("open"),
		node.New("summary", node.New("code", c.answerSignatures()), " ", node.New("span", "Exercise "+c.answers[0].Exercise, ask)),
		figure)}
}

func (c *piece) figure(p *page) *html.Node {
	id := c.id
	if c.signature {
		id = ""
	}
	figure := node.New("figure", node.Class("code"), node.ID(id), c.chapter.caption(c.chapter.name(c.file), c.spans(), c.after))
	if len(c.head) > 0 {
		node.Add(figure, node.New("details", node.Class("head"), node.New("summary", "package and imports"), listed(plainText(c.file, c.head))))
	}
	node.Add(figure, listed(p.runs(c.chapter, c.file, c.runs)))
	return figure
}

// listed returns code as a figure shows it.
func listed(code ...any) *html.Node {
	return node.New("pre", node.Attr("tabindex", "0"), node.New("code", code...))
}

// plainText returns the code of runs for a place that needs no links.
func plainText(file *source.File, runs []run) string {
	var b strings.Builder
	for i, r := range runs {
		if i > 0 && !r.inline {
			b.WriteByte('\n')
		}
		b.Write(file.Content[r.start:r.end])
	}
	return b.String()
}

// caption names the file and the lines, links to them, and says where in the
// file they go.
func (c *Chapter) caption(file string, spans []span, place string) *html.Node {
	href := fmt.Sprintf("%s#L%d", c.listingOf(file), spans[0].first)
	caption := node.New("figcaption", node.New("a", node.Class("file"), node.Href(href), file), " "+runsText(spans))
	if place != "" {
		node.Add(caption, " ", node.New("span", node.Class("place"), place))
	}
	return caption
}

// runs returns the runs of a piece.
func (p *page) runs(c *Chapter, file *source.File, runs []run) node.List {
	code := c.programOf(file).codes[file.Name]
	var all node.List
	for i, r := range runs {
		if i > 0 && !r.inline {
			all = append(all, node.Text("\n"))
		}
		if r.gap != "" {
			all = append(all, faded(r.gap))
			continue
		}
		marked := code.Nodes(r.start, r.end, &pageLinks{page: p, chapter: c, file: file, owned: r.owned, runs: runs})
		if r.faded && len(marked) > 0 {
			marked = node.List{faded(marked)}
		}
		all = append(all, marked...)
	}
	return all
}

// faded returns what only leads to code that a piece is about.
func faded(parts ...any) *html.Node { return node.New("span", append(parts, node.Class("ctx"))...) }

// signaturesOf returns the signatures of functions that are written elsewhere
// on the page.
func (p *page) signaturesOf(c *Chapter, decls []*source.Decl) *html.Node {
	var lines node.List
	for i, decl := range decls {
		if i > 0 {
			lines = append(lines, node.Text("\n"))
		}
		lines = append(lines, p.runs(c, decl.File, signature(decl))...)
	}
	return listed(lines)
}

// answerSignatures returns the functions' signatures on one line, without
// links: a summary is itself to click. A link to a function leads here, where
// its reader sees that it is folded.
func (c *piece) answerSignatures() node.List {
	var all node.List
	for i, decl := range c.answers {
		if i > 0 {
			all = append(all, node.Text("; "))
		}
		text := node.Text(oneLine(decl))
		if c.declares(decl) {
			text = node.New("span", node.ID(c.chapter.definitionID(c.file, decl.Name)), text)
		}
		all = append(all, text)
	}
	return all
}

// oneLine returns a declaration's signature without line breaks.
func oneLine(decl *source.Decl) string {
	var b strings.Builder
	for _, r := range signature(decl) {
		b.Write(decl.File.Content[r.start:r.end])
		b.WriteString(r.gap)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	return strings.NewReplacer("( ", "(", ", )", ")").Replace(text)
}
