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

// Lines returns the listing with each line in an element of its own, which
// carries the line's number as its id: L1, L2, …
func (p *page) Lines() template.HTML {
	var out strings.Builder
	for i, line := range splitLines(string(p.Listing.Body)) {
		fmt.Fprintf(&out, `<span class="line" id="L%d">%s`+"\n</span>", i+1, line)
	}
	return template.HTML(out.String())
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

// tags are the tags of a line of markup, in which < stands for nothing else.
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
