package paper

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
)

//go:embed book.html
var bookTemplate string

//go:embed fonts
var cuts embed.FS // of the text's face, a weight each: a PDF holds no weight of a variable one as a font

//go:embed paper.css
var style string

var templates = template.Must(template.New("book").Parse(bookTemplate))

// A document is the book as it is printed, with what is known of its pages.
type document struct {
	*site.Book
	Parts []*bookPart
	Index []entry
	size  Size
	at    site.Anchors
	pages map[string]int  // on which each element lies, by its id; nil before the first print
	lost  []string        // elements that have no page, though pages are known
	blank map[string]bool // the parts before which a page is left empty, by their ids
}

// A bookPart begins on a right-hand page: a chapter, an appendix.
type bookPart struct {
	Title  string // of what has a title above its leaves, and at the head of its pages
	Head   bool   // Title stands above its leaves
	Kind   site.LeafKind
	Leaves []site.Leaf
}

// What stands after the last chapter, in this order.
var appendices = map[site.LeafKind]string{
	site.After: "Beside the chapters", site.Compared: "Ours and Kubernetes’", site.Exercise: "Exercises: hints and answers",
}

func newDocument(b *site.Book, size Size) *document {
	leaves := site.Leaves(b)
	d := &document{Book: b, size: size, at: site.AnchorsOf(leaves, "contents", "index"), blank: map[string]bool{}}
	for _, leaf := range leaves {
		last := len(d.Parts) - 1
		if leaf.Kind == site.Compared {
			leaf.Number, leaf.Title = "", fmt.Sprintf("%d %s", leaf.Chapter.Number, leaf.Chapter.Title)
		}
		switch title, apart := appendices[leaf.Kind]; {
		case leaf.Kind == site.Preface, leaf.Kind == site.Opening:
			d.Parts = append(d.Parts, &bookPart{Title: strings.TrimSpace(leaf.Number + " " + leaf.Title), Kind: leaf.Kind})
		case apart && d.Parts[last].Kind != leaf.Kind:
			d.Parts = append(d.Parts, &bookPart{Title: title, Head: true, Kind: leaf.Kind})
		}
		last = len(d.Parts) - 1
		d.Parts[last].Leaves = append(d.Parts[last].Leaves, leaf)
	}
	return d
}

// ID returns the id of the part in the document.
func (p *bookPart) ID() string { return "part-" + string(p.Kind) + "-" + p.Leaves[0].Number }

// html returns the document with the page numbers that are known.
func (d *document) html() ([]byte, error) {
	d.lost = nil
	d.Index = d.index()
	var out bytes.Buffer
	err := templates.Execute(&out, d)
	return out.Bytes(), err
}

// isRight reports whether the document was printed with the numbers of its pages.
func (d *document) isRight(lies map[string]int) bool {
	for id, page := range lies {
		if d.pages[id] != page {
			return false
		}
	}
	return true
}

// turn takes over where everything lies, leaves pages empty so that each part of the
// book begins on a right-hand one, and moves what is behind them.
func (d *document) turn(lies map[string]int) {
	d.pages = maps.Clone(lies)
	moved := 0 // pages that are empty from here on, less those that were
	for _, part := range d.Parts {
		page, was := lies[part.ID()], 0
		if d.blank[part.ID()] {
			was = 1
		}
		by := (page + moved - was + 1) % 2
		d.blank[part.ID()] = by == 1
		for id, lie := range lies {
			if lie >= page {
				d.pages[id] += by - was
			}
		}
		moved += by - was
	}
}

// IsAfterBlank reports whether a page is left empty before a part.
func (d *document) IsAfterBlank(p *bookPart) bool { return d.blank[p.ID()] }

// Page returns the page on which an element lies, as far as it is known.
func (d *document) Page(id string) string {
	if page, ok := d.pages[id]; ok {
		return fmt.Sprint(page)
	}
	if d.pages != nil {
		d.lost = append(d.lost, id)
	}
	return "000"
}

// Anchor returns the id of a leaf or, with one of its page's ids, of an element in it.
func (d *document) Anchor(l site.Leaf, id string) string {
	if id != "" {
		id = "#" + id
	}
	return d.at[l.Path+id]
}

// Body returns the body of a leaf. Its links name their pages, and its headings are
// below those around it.
func (d *document) Body(p *bookPart, l site.Leaf) template.HTML {
	below := p.Head || l.Kind == site.Reading
	bound := l.In(d.at)
	body := l.Body.Clone()
	for n := range body.All() {
		switch {
		case n.Data == "pre" && l.Kind == site.Exercise:
			fold(n, sheets[d.size].Half, 2)
		case n.Data == "pre":
			fold(n, sheets[d.size].Room, 4)
		case node.Is(n, "small", "note"):
			d.place(n, l)
		}
	}
	return body.As(func(n *html.Node) []html.Attribute {
		attrs := bound(n)
		switch n.Data {
		case "h2", "h3":
			if below {
				attrs = append(attrs, node.Attr("aria-level", string(n.Data[1]+1)))
			}
		case "a":
			for _, a := range attrs {
				if id, inside := strings.CutPrefix(a.Val, "#"); inside && a.Key == "href" {
					attrs = append(attrs, node.Attr("data-p", d.Page(id)))
				}
			}
		}
		return attrs
	})
}

// place puts a note on the outside of its page, which is that of its call, and keeps as much
// room there below the paragraph as the note is high: about as its text is long.
func (d *document) place(note *html.Node, l site.Leaf) {
	call, class := strings.Replace(node.Get(note, "id"), "note-", "ref-", 1), "note"
	if num := note.FirstChild; num.Data == "span" { // it leads back, so that the call has a page
		num.Data, num.Attr = "a", append(num.Attr, node.Href("#"+call))
	}
	if d.pages[d.at[l.Path+"#"+call]]%2 == 0 {
		class = "note verso"
	}
	note.Attr = append(node.Without(note, "class"), node.Class(class))
	sheet := sheets[d.size]
	signs := sheet.Notes / point / (.8 * .42 * sheet.Type) // of a line, which is 1.04 em of the text's
	high := fmt.Sprintf("--note:%.1fem", 1.04*(float64(len(node.List{note}.Text()))/signs+1.5))
	note.Parent.Attr = append(note.Parent.Attr, node.Attr("style", high))
}

// Subjects returns the sections of a leaf that the contents list.
func (d *document) Subjects(l site.Leaf) []site.Section {
	return slices.DeleteFunc(slices.Clone(l.Sections), func(s site.Section) bool { return s.Level > 2 || l.Kind == site.Compared })
}

// Style returns the style sheets of the site and of its paper.
func (d *document) Style() template.CSS {
	sheet := sheets[d.size]
	right, left := sheet.margins(true)
	paper := strings.NewReplacer("$size", sheet.Size, "$right", right, "$left", left, "$type", fmt.Sprint(sheet.Type, "pt"),
		"$code", fmt.Sprint(codeSize, "pt"), "$notes", fmt.Sprint(sheet.Notes, "mm"), "$beside", fmt.Sprint(sheet.Notes+sheet.Gap, "mm")).Replace(style)
	var heads strings.Builder
	for i, part := range d.Parts {
		full, beside := part.Kind == site.Exercise || part.Kind == site.Compared, sheet.Notes+sheet.Gap
		if full {
			beside = 0
		}
		right, left := sheet.margins(full)
		fmt.Fprintf(&heads, "@page p%d{margin:%s;@top-left{content:%q;margin-left:%gmm}@top-right{content:counter(page)}}\n",
			i, right, part.Title, beside)
		fmt.Fprintf(&heads, "@page p%d:left{margin:%s;@top-left{content:counter(page);margin:0}@top-right{content:%q;margin-right:%gmm}}\n.p%[1]d{page:p%[1]d}\n",
			i, left, part.Title, beside)
	}
	return template.CSS(string(site.Assets()["assets/book.css"]) + site.LoopStyle() + paper + heads.String())
}

// files returns what the document shows beside its text, by their names.
func (d *document) files() map[string][]byte {
	files := maps.Clone(d.Texts)
	if files == nil {
		files = map[string][]byte{}
	}
	for name, content := range site.Assets() {
		if font, ok := strings.CutPrefix(name, "assets/"); ok && strings.HasPrefix(font, "fonts/") {
			files[font] = content
		}
	}
	for _, weight := range []string{"400", "500", "600"} {
		name := "fonts/newsreader-" + weight + ".woff2"
		files[name], _ = cuts.ReadFile(name) // it is embedded
	}
	return files
}

// Bound returns words of the page of words as they stand in the book.
func (d *document) Bound(words node.List) template.HTML {
	return site.Leaf{Path: site.Pages["words"], Body: words}.Bind(d.at)
}

// Loop returns the drawing on the cover.
func (d *document) Loop() template.HTML { return site.LoopDrawing() }
