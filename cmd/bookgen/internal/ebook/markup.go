package ebook

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// pageSigns is how long a page is: 1,800 signs, as a typed one had.
const pageSigns = 1800

// A typesetter writes markup as XML, and says where pages begin: where a block does, as
// soon as one is full.
type typesetter struct {
	file     string   // that is written
	breaks   *[]place // where pages begin, in all files; nil: in none
	out      strings.Builder
	depth    int  // of open elements
	signs    int  // since the page began
	drawings bool // there were some
}

// typeset returns the markup of a page of the site as XML.
func (t *typesetter) typeset(markup template.HTML) string {
	t.signs = pageSigns // a page begins at the first block
	tokens := html.NewTokenizer(strings.NewReader(string(markup)))
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken: // its end: a string can always be read
			return t.out.String()
		case html.TextToken:
			text := tokens.Token().Data
			t.signs += len(text)
			t.out.WriteString(html.EscapeString(text))
		case html.StartTagToken, html.SelfClosingTagToken:
			t.open(tokens.Token())
		case html.EndTagToken:
			t.depth--
			t.out.WriteString("</" + cased(tokens.Token().Data) + ">")
		}
	}
}

// turn begins a page.
func (t *typesetter) turn() {
	n := len(*t.breaks) + 1
	*t.breaks = append(*t.breaks, place{Title: fmt.Sprint(n), Href: fmt.Sprintf("%s#page-%d", t.file, n)})
	fmt.Fprintf(&t.out, `<span epub:type="pagebreak" role="doc-pagebreak" id="page-%[1]d" aria-label="%[1]d"/>`, n)
	t.signs = 0
}

// empty are the elements of HTML that have no end.
var empty = []string{"br", "hr", "img", "source", "wbr"}

// open begins an element.
func (t *typesetter) open(tag html.Token) {
	if t.depth == 0 && t.signs >= pageSigns && t.breaks != nil {
		t.turn()
	}
	if tag.Data == "svg" {
		t.drawings = true
		tag.Attr = slices.DeleteFunc(tag.Attr, func(a html.Attribute) bool { return a.Key == "xmlns" })
		tag.Attr = append(tag.Attr, html.Attribute{Key: "xmlns", Val: "http://www.w3.org/2000/svg"})
	}
	t.out.WriteString("<" + cased(tag.Data))
	for _, a := range tag.Attr {
		if a.Key != "tabindex" { // no e-reader scrolls a part of its page
			t.out.WriteString(" " + cased(a.Key) + `="` + html.EscapeString(a.Val) + `"`)
		}
	}
	if tag.Type == html.SelfClosingTagToken || slices.Contains(empty, tag.Data) {
		t.out.WriteString("/>")
		return
	}
	t.out.WriteString(">")
	t.depth++
}

// capitals are the names of SVG that are written with some. HTML has none.
var capitals = []string{"viewBox", "textPath", "startOffset"}

// cased returns a name as XML writes it.
func cased(name string) string {
	for _, c := range capitals {
		if strings.EqualFold(name, c) {
			return c
		}
	}
	return name
}
