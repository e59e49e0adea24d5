package highlight

import (
	"sort"
	"strings"
)

// Links decides where the identifiers of one file lead on the page that shows
// it. Every answer may be "".
type Links interface {
	// To returns the address of a name of a package.
	To(pkg, name string) string
	// Define returns the id that a definition gets, and the address that it
	// leads to itself.
	Define(name string) (id, href string)
	// Local returns the address of a definition within a function.
	Local(offset int) string
}

// Code is a Go file ready to be marked up piece by piece.
type Code struct {
	src    []byte
	tokens []tok // nil until they are asked for
	refs   []Ref
}

// NewCode reads a file. Without refs it gets no links.
func NewCode(src []byte, refs []Ref) *Code {
	return &Code{src: src, refs: refs}
}

// HTML marks up the bytes from start to end.
func (c *Code) HTML(start, end int, links Links) string {
	if c.tokens == nil {
		c.tokens = tokens(c.src)
	}
	var b strings.Builder
	at := start
	first := sort.Search(len(c.tokens), func(i int) bool { return c.tokens[i].end > start })
	for i := first; i < len(c.tokens) && c.tokens[i].start < end; i++ {
		t := c.tokens[i]
		if t.class == comment && c.depth(t.start) >= 0 {
			i, t = c.joinComments(i, end)
		}
		from, to := max(t.start, start), min(t.end, end)
		if from < at {
			continue // the second half of pkg.Name
		}
		escape(&b, c.src[at:from])
		at = to
		switch {
		case t.class == name, t.class == literal && c.ref(t.start) != nil:
			at = c.identifier(&b, i, end, links)
		case t.class == comment:
			remark(&b, string(c.src[from:to]), c.depth(from))
		default:
			c.wrap(&b, t.class, c.src[from:to])
		}
	}
	escape(&b, c.src[at:end])
	return b.String()
}

// joinComments joins a comment with those of the lines that follow, if only
// space is between them.
func (c *Code) joinComments(i, end int) (int, tok) {
	t := c.tokens[i]
	for i+1 < len(c.tokens) {
		next := c.tokens[i+1]
		between := string(c.src[t.end:next.start])
		if next.class != comment || next.start >= end || strings.TrimSpace(between) != "" || strings.Count(between, "\n") > 1 {
			break
		}
		i, t.end = i+1, next.end
	}
	return i, t
}

func (c *Code) wrap(b *strings.Builder, class class, text []byte) {
	open, end := "<i class="+string(class)+">", "</i>"
	switch class {
	case keyword:
		open, end = "<b>", "</b>"
	}
	b.WriteString(open)
	escape(b, text)
	b.WriteString(end)
}

// identifier writes a name as a link, a definition, or plain, and returns the
// index of its last token: pkg.Name is one link.
func (c *Code) identifier(b *strings.Builder, i, end int, links Links) int {
	t := c.tokens[i]
	ref := c.ref(t.start)
	switch {
	case ref == nil:
		escape(b, c.src[t.start:t.end])
		return t.end
	case ref.Pkg != "" && ref.Name == "" && i+1 < len(c.tokens):
		next := c.tokens[i+1]
		member := c.ref(next.start)
		if next.start == t.end+1 && c.src[t.end] == '.' && next.end <= end && member != nil && member.Pkg == ref.Pkg {
			c.global(b, member, c.src[t.start:next.end], links)
			return next.end
		}
	}
	text := c.src[t.start:t.end]
	switch {
	case ref.Local == ref.Offset+1:
		escape(b, text)
	case ref.Local > 0:
		anchor(b, "", links.Local(ref.Local-1), "", text)
	default:
		c.global(b, ref, text, links)
	}
	return t.end
}

// global writes an identifier that has a name outside of its function. An
// embedded field is a definition, and leads to its type.
func (c *Code) global(b *strings.Builder, ref *Ref, text []byte, links Links) {
	if ref.Def == "" {
		anchor(b, "", links.To(ref.Pkg, ref.Name), "", text)
		return
	}
	id, href := links.Define(ref.Def)
	if ref.Name != "" {
		href = links.To(ref.Pkg, ref.Name)
	}
	anchor(b, "d", href, id, text)
}

// anchor writes text as <a>, or bare if the element would carry nothing.
func anchor(b *strings.Builder, class, href, id string, text []byte) {
	if class == "" && href == "" && id == "" {
		escape(b, text)
		return
	}
	b.WriteString("<a")
	attribute(b, "class", class)
	attribute(b, "id", id)
	attribute(b, "href", href)
	b.WriteByte('>')
	escape(b, text)
	b.WriteString("</a>")
}

// attribute leaves the quotes out: no id and no address of ours needs them.
func attribute(b *strings.Builder, name, value string) {
	if value != "" {
		b.WriteString(" " + name + "=" + value)
	}
}

func (c *Code) ref(offset int) *Ref {
	i := sort.Search(len(c.refs), func(i int) bool { return c.refs[i].Offset >= offset })
	if i < len(c.refs) && c.refs[i].Offset == offset {
		return &c.refs[i]
	}
	return nil
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escape(b *strings.Builder, text []byte) {
	escaper.WriteString(b, string(text)) // a builder takes every write
}
