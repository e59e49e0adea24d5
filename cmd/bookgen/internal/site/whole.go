package site

import (
	"fmt"
	"html/template"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// whole returns the page that has all parts of a chapter on it, to be printed.
func whole(b *Book, c *Chapter) *page {
	return &page{
		Path: c.WholePath(), Kind: "whole", Chapter: c, Heading: title(c.Title, b.Title),
		Description: fmt.Sprintf("Chapter %d of %s, %s, on one page, to print.", c.Number, b.Title, c.Title),
	}
}

// WholePath returns the path of the page with all of the chapter's parts from
// the site's root.
func (c *Chapter) WholePath() string { return c.Slug + "/print.html" }

// A bound part stands on one page with the others of its chapter.
type bound struct {
	*page
	Part *Part
	ID   string        // of the part on the page
	Body template.HTML // with ids that no other part has, and links that lead from this page
}

// Opens reports whether the part opens its chapter.
func (b bound) Opens() bool { return b.Part == b.Chapter.Parts[0] }

// Bound returns the parts of the page's chapter as they stand on the page.
func (p *page) Bound() []bound {
	at := p.Chapter.anchors()
	var parts []bound
	for _, part := range p.Chapter.Parts {
		parts = append(parts, bound{p, part, at[part.Path()], at.bind(p, part)})
	}
	return parts
}

// HasAnswers reports whether a part of the chapter has an answer to show.
func (c *Chapter) HasAnswers() bool { return slices.ContainsFunc(c.Parts, (*Part).HasAnswers) }

// anchors are the ids that things have on the page of a whole chapter, by their
// addresses from the site's root:
//
//	01-control-loop/the-kubelet/index.html             the-kubelet
//	01-control-loop/the-kubelet/index.html#on-a-node   on-a-node
type anchors map[string]string

// anchors gives each part the name of its folder, and what stands in it the id
// that it has, with that name before it if something else has the id already.
func (c *Chapter) anchors() anchors {
	at := anchors{}
	taken := map[string]bool{"text": true, "search": true} // what the page's frame has
	for _, part := range c.Parts {
		at[part.Path()] = path.Base(part.Slug)
		taken[at[part.Path()]] = true
	}
	for _, part := range c.Parts {
		eachTag(part.Body, func(tag *html.Token) bool {
			for _, a := range tag.Attr {
				if a.Key != "id" {
					continue
				}
				id := a.Val
				if taken[id] {
					id = path.Base(part.Slug) + "." + id
				}
				taken[id] = true
				at[part.Path()+"#"+a.Val] = id
			}
			return false
		})
	}
	return at
}

// bind returns the body of a part for the page.
func (at anchors) bind(p *page, part *Part) template.HTML {
	return eachTag(part.Body, func(tag *html.Token) (changed bool) {
		for i := range tag.Attr {
			a := &tag.Attr[i]
			was := a.Val
			switch a.Key {
			case "id", "aria-labelledby":
				if id, ok := at[part.Path()+"#"+a.Val]; ok {
					a.Val = id
				}
			case "href":
				a.Val = at.lead(p, part, a.Val)
			}
			changed = changed || a.Val != was
		}
		return changed
	})
}

// lead returns the address for the page that leads to where one of a part does.
func (at anchors) lead(p *page, part *Part, href string) string {
	u, err := url.Parse(href)
	if err != nil || u.IsAbs() || u.RawQuery != "" {
		return href
	}
	to := part.Path()
	if u.Path != "" {
		to = path.Join(path.Dir(to), u.Path)
	}
	anchor := to
	if u.Fragment != "" {
		anchor += "#" + u.Fragment
	}
	if id, ok := at[anchor]; ok {
		return (&url.URL{Fragment: id}).String()
	}
	u.Path = strings.TrimPrefix(p.To(to), p.To(p.Chapter.Slug+"/"))
	return u.String()
}

// eachTag calls change for each tag that begins an element, and returns the
// markup with those that it has changed.
func eachTag(markup template.HTML, change func(*html.Token) bool) template.HTML {
	var out strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(string(markup)))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken { // its end: a string can always be read
			return template.HTML(out.String())
		}
		text := string(tokens.Raw())
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			if tag := tokens.Token(); change(&tag) {
				text = tag.String()
			}
		}
		out.WriteString(text)
	}
}
