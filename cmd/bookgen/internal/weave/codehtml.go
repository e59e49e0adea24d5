package weave

import (
	"fmt"
	"strings"

	"reconcile/internal/source"
)

func (c *piece) html(p *page) string {
	figure := c.figure(p)
	if len(c.answers) == 0 {
		return figure
	}
	if p.volume.memory.Ebook {
		return p.fold("class=answer id="+c.answerID, c.answerIDs()+"Exercise "+c.answers[0].Exercise, figure)
	}
	return fmt.Sprintf("<details class=answer id=%s open><summary><code>%s</code> <span>Exercise %s<span class=ask> · write it before you look</span></span></summary>%s</details>",
		c.answerID, c.answerSignatures(), c.answers[0].Exercise, figure)
}

func (c *piece) figure(p *page) string {
	var b strings.Builder
	if c.id != "" && !c.signature {
		b.WriteString("<figure class=code id=" + quoted(c.id) + ">")
	} else {
		b.WriteString("<figure class=code>")
	}
	b.WriteString(p.caption(c.chapter, c.chapter.name(c.file), c.spans(), c.after))
	if len(c.head) > 0 && !p.volume.memory.Ebook {
		b.WriteString("<details class=head><summary>package and imports</summary><pre tabindex=0><code>" +
			plainText(c.file, c.head) + "</code></pre></details>")
	}
	b.WriteString("<pre tabindex=0><code>" + p.runs(c.chapter, c.file, c.runs) + "</code></pre></figure>")
	return b.String()
}

// plainText returns the code of runs for a place that needs no links.
func plainText(file *source.File, runs []run) string {
	var b strings.Builder
	for i, r := range runs {
		if i > 0 && !r.inline {
			b.WriteByte('\n')
		}
		b.WriteString(escaped(string(file.Content[r.start:r.end])))
	}
	return b.String()
}

// caption names the file and the lines, links to them, and says where in the
// file they go.
func (p *page) caption(c *Chapter, file string, spans []span, place string) string {
	if place != "" {
		place = " <span class=place>" + escaped(place) + "</span>"
	}
	href := fmt.Sprintf("%s%s.html#L%d", p.to(c), file, spans[0].first)
	return fmt.Sprintf("<figcaption><a class=file href=%s>%s</a> %s%s</figcaption>",
		quoted(href), escaped(file), runsText(spans), place)
}

// runs returns the markup of the runs of a piece.
func (p *page) runs(c *Chapter, file *source.File, runs []run) string {
	code := c.programOf(file).codes[file.Name]
	var b strings.Builder
	for i, r := range runs {
		if i > 0 && !r.inline {
			b.WriteByte('\n')
		}
		if r.gap != "" {
			b.WriteString("<span class=ctx>" + escaped(r.gap) + "</span>")
			continue
		}
		html := code.HTML(r.start, r.end, &pageLinks{page: p, chapter: c, file: file, owned: r.owned, runs: runs})
		if r.faded && html != "" {
			html = "<span class=ctx>" + html + "</span>"
		}
		b.WriteString(html)
	}
	return b.String()
}

// signaturesOf returns the signatures of functions that are written elsewhere
// on the page.
func (p *page) signaturesOf(c *Chapter, decls []*source.Decl) string {
	var lines []string
	for _, decl := range decls {
		lines = append(lines, p.runs(c, decl.File, signature(decl)))
	}
	return strings.Join(lines, "\n")
}

// answerSignatures returns the functions' signatures on one line, without
// links: a summary is itself to click. A link to a function leads here, where
// its reader sees that it is folded.
func (c *piece) answerSignatures() string {
	var all []string
	for _, decl := range c.answers {
		text := escaped(oneLine(decl))
		if c.declares(decl) {
			text = fmt.Sprintf("<span id=%s>%s</span>", quoted(c.chapter.definitionID(c.file, decl.Name)), text)
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
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
