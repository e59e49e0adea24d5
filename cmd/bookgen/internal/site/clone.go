package site

import (
	"bytes"
	"html"
	"iter"
	"net/url"
	"path"
	"strings"
)

// InClone returns the files that a clone of the book carries, made from those
// that Render returned: the pages that are read, and what they need. In them
// links to listings, which it does not carry, lead to the files themselves. The
// site of a clone lies beside its chapters.
func InClone(b *Book, files map[string][]byte) (map[string][]byte, error) {
	carried := map[string][]byte{}
	left := sources{}
	all := pages(b)
	for _, p := range all {
		if p.Listing != nil && !p.IsRead() {
			left[p.Path] = "../chapters/" + strings.TrimSuffix(p.Path, ".html")
		}
	}
	for _, p := range all {
		if p.IsRead() {
			carried[p.Path] = left.inPage(p, files[p.Path])
		}
	}
	for name, content := range files {
		if strings.HasPrefix(name, "assets/") {
			carried[name] = content
		}
	}
	index, err := searchData(b, left)
	carried[searchDataPath] = index
	return carried, err
}

// IsRead reports whether the page is for reading: it is no listing of a file, nor
// what a server says of pages that are not there.
func (p *page) IsRead() bool {
	return p.Kind != "notfound" && (p.Listing == nil || p.Listing.Prose)
}

// sources are the files of a clone that stand in for pages of the site, by the
// page's path; both are relative to the site's root. A site that has all of its
// pages has none.
type sources map[string]string

// to returns the address to use in place of one from the site's root. That of a
// file names no line in it, for which browsers have no use.
func (s sources) to(href string) string {
	name, _, _ := strings.Cut(href, "#")
	if source, ok := s[name]; ok {
		return source
	}
	return href
}

// inPage returns the page with its links led to sources.
func (s sources) inPage(p *page, content []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(content))
	done := 0
	for from, to := range addresses(content) {
		if content[from] == '#' {
			continue
		}
		u, err := url.Parse(html.UnescapeString(string(content[from:to])))
		if err != nil || u.Path == "" || u.IsAbs() {
			continue
		}
		if source, ok := s[path.Join(path.Dir(p.Path), u.Path)]; ok {
			out.Write(content[done:from])
			out.WriteString(html.EscapeString(p.To(source)))
			done = to
		}
	}
	out.Write(content[done:])
	return out.Bytes()
}

// addresses yields where in a page the addresses of its links begin and end. A
// tag ends with the first ">", as the templates and the weaving write it.
func addresses(content []byte) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for at := 0; ; {
			start := bytes.Index(content[at:], []byte("<a "))
			if start < 0 {
				return
			}
			at += start
			tag := content[at : at+bytes.IndexByte(content[at:], '>')+1]
			if before, address, ok := bytes.Cut(tag, []byte(" href=")); ok {
				from, ends := at+len(before)+len(" href="), " >"
				if address[0] == '"' {
					from, address, ends = from+1, address[1:], `"`
				}
				if !yield(from, from+bytes.IndexAny(address, ends)) {
					return
				}
			}
			at += len(tag)
		}
	}
}
