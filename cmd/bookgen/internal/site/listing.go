package site

import (
	"fmt"
	"html/template"
	"iter"
	"strings"
)

// Sibling is a link from a listing to a file of the same chapter.
type Sibling struct {
	File, Href string
	Current    bool
}

// Siblings returns the files of the listing's chapter, itself included.
func (p *page) Siblings() []Sibling {
	up := strings.Repeat("../", strings.Count(p.Listing.File, "/"))
	var list []Sibling
	for _, l := range p.Chapter.Listings {
		list = append(list, Sibling{l.File, up + l.File + ".html", l.File == p.Listing.File})
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
	lines := splitLines(string(p.Listing.Body))
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
func (p *page) block(out *strings.Builder, lines []string, first, last int) {
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

// splitLines cuts markup at its line ends. An element that spans several
// lines is closed at the end of each and opened again in the next, so that
// every line is well formed.
func splitLines(markup string) []string {
	markup = strings.TrimRight(markup, "\n")
	var lines, open []string
	for line := range strings.SplitSeq(markup, "\n") {
		text := strings.Join(open, "") + line
		for tag := range tags(line) {
			if !strings.HasPrefix(tag, "</") {
				open = append(open, tag)
			} else if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
		for i := len(open) - 1; i >= 0; i-- {
			name, _, _ := strings.Cut(strings.Trim(open[i], "<>"), " ")
			text += "</" + name + ">"
		}
		lines = append(lines, text)
	}
	return lines
}

// tags yields the tags of a line of markup, in which < stands for nothing else.
func tags(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			start := strings.IndexByte(line, '<')
			if start < 0 {
				return
			}
			end := strings.IndexByte(line[start:], '>')
			if end < 0 || !yield(line[start:start+end+1]) {
				return
			}
			line = line[start+end+1:]
		}
	}
}
