package site

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
)

// A Leaf is a page of the site as it stands in a bound book: on paper, or in an
// e-book.
type Leaf struct {
	Path           string // of the page on the site, by which others lead to it
	Kind           LeafKind
	Number         string // "1.2", or empty
	Title, Summary string
	Chapter        *Chapter // nil beside the chapters
	Initial        bool     // Body begins with a paragraph that is long enough for one
	Sections       []Section
	Body           node.List
}

// A LeafKind says where in a bound book a leaf stands.
type LeafKind string

// The kinds of leaves, in their order in the book.
const (
	Preface  LeafKind = "preface"  // how to read it
	Opening  LeafKind = "opening"  // the first part of a chapter, with the chapter's title
	Reading  LeafKind = "reading"  // another part
	After    LeafKind = "after"    // what stands beside the chapters
	Compared LeafKind = "compared" // how a chapter differs from Kubernetes: an appendix
	Exercise LeafKind = "exercise" // what there is to do, hints, answers
)

// Leaves returns the text of the book in the order in which it is bound. The
// front page, the indexes and the listings of code are not among them.
func Leaves(b *Book) []Leaf {
	of := map[LeafKind][]Leaf{}
	add := func(under LeafKind, l Leaf) { of[under] = append(of[under], l) }
	for i, p := range b.Beside {
		leaf := Leaf{Path: p.File, Kind: After, Title: p.Title, Summary: p.Summary, Sections: p.Sections, Body: p.Body}
		if i == 0 {
			leaf.Kind = Preface
		}
		if !p.Index && p != b.Symptoms { // who has a symptom has a screen
			add(leaf.Kind, leaf)
		}
	}
	for _, c := range b.Chapters {
		for _, leaf := range c.leaves() {
			if leaf.Kind == Compared {
				add(Compared, leaf)
			} else {
				add(Reading, leaf)
			}
		}
		for _, l := range c.Listings {
			if l.Body != nil {
				add(Exercise, Leaf{Path: c.Slug + "/" + l.File + ".html", Kind: Exercise, Title: l.Title, Chapter: c, Body: l.Body})
			}
		}
	}
	slices.SortFunc(of[Exercise], func(a, b Leaf) int { return cmp.Compare(a.Path, b.Path) })
	return slices.Concat(of[Preface], of[Reading], of[After], of[Compared], of[Exercise])
}

// leaves returns the parts of the chapter.
func (c *Chapter) leaves() []Leaf {
	var leaves []Leaf
	for i, p := range c.Parts {
		leaf := Leaf{p.Path(), Reading, p.Page, p.Title, p.Summary, c, p.Initial, p.Sections, p.Body}
		switch {
		case p.Compared:
			leaf.Kind = Compared
		case i == 0:
			leaf.Kind, leaf.Number, leaf.Title, leaf.Summary = Opening, fmt.Sprint(c.Number), c.Title, c.Summary
		}
		leaves = append(leaves, leaf)
	}
	return leaves
}

// A Binder knows where everything is in a bound book.
type Binder interface {
	// ID returns the id in the book of an element of a page.
	ID(page, id string) string
	// Lead returns the address in the book of an element of a page or, without id,
	// of the page; empty if the book does not have it.
	Lead(page, id string) string
}

// In returns how the leaf is read in the book. A link to what the book does not have is
// none there.
func (l Leaf) In(to Binder) node.Reader {
	return func(n *html.Node) []html.Attribute {
		var kept []html.Attribute
		for _, a := range n.Attr {
			switch a.Key {
			case "id", "aria-labelledby":
				a.Val = to.ID(l.Path, a.Val)
			case "href":
				a.Val = l.lead(to, a.Val)
			}
			if a.Key != "href" || a.Val != "" {
				kept = append(kept, a)
			}
		}
		return kept
	}
}

// Bind returns the body of the leaf as it stands in the book.
func (l Leaf) Bind(to Binder) template.HTML { return l.Body.As(l.In(to)) }

func (l Leaf) lead(to Binder, address string) string {
	page, id, _ := strings.Cut(address, "#")
	if strings.Contains(page, ":") {
		return address
	}
	id, _ = url.PathUnescape(id) // as it was, if it can't be
	return to.Lead(cmp.Or(page, l.Path), id)
}

// Anchors bind leaves into one document. They are the ids that things have in it, by
// their addresses from the site's root:
//
//	01-control-loop/the-kubelet/index.html             the-kubelet
//	01-control-loop/the-kubelet/index.html#on-a-node   on-a-node
type Anchors map[string]string

// AnchorsOf makes ids unique in the bound book. A leaf gets the name of its page; an id
// in it stays or, if it is used already, gets that name as a prefix. Others are ids that
// the bound book uses itself.
func AnchorsOf(leaves []Leaf, others ...string) Anchors {
	at := Anchors{}
	taken := map[string]bool{}
	for _, id := range others {
		taken[id] = true
	}
	for _, leaf := range leaves {
		name := pageName(leaf.Path)
		if taken[name] {
			name = strings.ReplaceAll(path.Dir(leaf.Path), "/", ".")
		}
		at[leaf.Path] = name
		taken[name] = true
	}
	for _, leaf := range leaves {
		for n := range leaf.Body.All() {
			own := node.Get(n, "id")
			if own == "" {
				continue
			}
			id := own
			if taken[id] {
				id = at[leaf.Path] + "." + id
			}
			taken[id] = true
			at[leaf.Path+"#"+own] = id
		}
	}
	return at
}

// pageName returns the folder of a page, or what its file is called.
func pageName(at string) string {
	folder, file := path.Split(at)
	if file == "index.html" {
		return path.Base(folder)
	}
	return strings.TrimSuffix(strings.TrimSuffix(file, ".html"), ".md")
}

// ID implements Binder.
func (a Anchors) ID(page, id string) string {
	if own, ok := a[page+"#"+id]; ok {
		return own
	}
	return id
}

// Lead implements Binder.
func (a Anchors) Lead(page, id string) string {
	if id != "" {
		page += "#" + id
	}
	if own, ok := a[page]; ok {
		return (&url.URL{Fragment: own}).String()
	}
	return ""
}
