package site

import (
	"fmt"
	"html/template"
	"strings"
)

// Sibling is a link from a listing to a file of the same chapter.
type Sibling struct {
	File, Href string
	Current    bool
}

// Siblings returns the files of the listing's chapter, itself included.
func (p *page) Siblings() []Sibling {
	var list []Sibling
	for _, l := range p.Chapter.Listings {
		list = append(list, Sibling{l.File, p.ToListing(l), l.File == p.Listing.File})
	}
	return list
}

// ChapterHref returns the way from a listing to the page of its chapter.
func (p *page) ChapterHref() string { return p.To(p.Chapter.Path()) }

// A Fold is a run of lines of a listing that are folded away.
type Fold struct {
	First, Last int
	Summary     string
}

// Code returns the listing with each line in an element of its own, which
// carries the line's number as its id: L1, L2, … It is one block, but for the
// lines that are folded.
func (p *page) Code() template.HTML {
	var out strings.Builder
	lines := p.Listing.Code
	next := 1
	for _, fold := range p.Listing.Folds {
		p.block(&out, lines, next, fold.First-1)
		fmt.Fprintf(&out, "<details class=\"answer within\" open><summary><span>%s<span class=ask> · write it before you look</span></span></summary>", template.HTMLEscapeString(fold.Summary))
		p.block(&out, lines, fold.First, fold.Last)
		out.WriteString("</details>")
		next = fold.Last + 1
	}
	p.block(&out, lines, next, len(lines))
	return template.HTML(out.String())
}

// placeOf returns the place of a line, or nil if it is on no page.
func (l *Listing) placeOf(number int) *Place {
	for i := range l.Places {
		if at := &l.Places[i]; at.First <= number && number <= at.Last {
			return at
		}
	}
	return nil
}

// block writes lines that are shown, or folded away, together.
func (p *page) block(out *strings.Builder, lines []template.HTML, first, last int) {
	label := p.Listing.File
	if first > 1 || last < len(lines) {
		label = fmt.Sprintf("%s, lines %d to %d", label, first, last)
	}
	fmt.Fprintf(out, `<pre tabindex="0" role="region" aria-label="%s"><code style="counter-reset: line %d">`, template.HTMLEscapeString(label), first-1)
	for number := first; number <= last; number++ {
		class, back := "line", ""
		if at := p.Listing.placeOf(number); at != nil {
			class += " woven"
			if number == at.First {
				back = fmt.Sprintf(`<a class="back" href="%s" title="on page %s">%s</a>`, p.To(at.Href), template.HTMLEscapeString(at.Label), at.Page)
			}
		}
		fmt.Fprintf(out, `<span class="%s" id="L%d">%s%s`+"\n</span>", class, number, lines[number-1], back)
	}
	out.WriteString("</code></pre>")
}
