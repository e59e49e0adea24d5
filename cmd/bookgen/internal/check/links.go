package check

import (
	"bytes"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"reconcile/internal/source"
)

// link is an address in a page.
type link struct {
	line   int
	target string
}

// page is what one file of the site offers and asks for.
type page struct {
	ids   map[string]int // the line of each
	links []link
	errs  []error
}

// checkLinks follows every link and anchor within the site, and counts them.
// It also reports ids that a page has twice. The site is a folder of around, into
// which links may lead as well; with nil, they may not.
func checkLinks(dir string, files map[string][]byte, around fs.FS) (int, error) {
	pages := map[string]*page{}
	for name, content := range files {
		if path.Ext(name) == ".html" {
			pages[name] = scan(filepath.Join(dir, filepath.FromSlash(name)), content)
		}
	}
	count := 0
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		errs = append(errs, pages[name].errs...)
		for _, l := range pages[name].links {
			count++
			if problem := follow(name, l.target, pages, files, around); problem != "" {
				errs = append(errs, source.At(filepath.Join(dir, filepath.FromSlash(name)), l.line, "dead link %s: %s", l.target, problem))
			}
		}
	}
	return count, source.Join(errs...)
}

func scan(file string, content []byte) *page {
	p := &page{ids: map[string]int{}}
	tokens := html.NewTokenizer(bytes.NewReader(content))
	line := 1
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return p
		}
		raw := tokens.Raw()
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			p.tag(file, line, tokens)
		}
		line += bytes.Count(raw, []byte("\n"))
	}
}

func (p *page) tag(file string, line int, tokens *html.Tokenizer) {
	if name, _ := tokens.TagName(); string(name) == "base" {
		return // a server sends this page for any address: it says where the book is
	}
	for {
		key, value, more := tokens.TagAttr()
		switch string(key) {
		case "id":
			if first := p.ids[string(value)]; first > 0 {
				p.errs = append(p.errs, source.At(file, line, "the id %q is there twice, first at line %d", value, first))
			}
			p.ids[string(value)] = line
		case "href", "src":
			p.links = append(p.links, link{line, string(value)})
		}
		if !more {
			return
		}
	}
}

// follow returns the error of a link, or "".
func follow(from, target string, pages map[string]*page, files map[string][]byte, around fs.FS) string {
	u, err := url.Parse(target)
	switch {
	case err != nil:
		return "it is no address"
	case u.Scheme != "" || u.Host != "":
		return "" // out of the book
	case strings.HasPrefix(u.Path, "/"):
		return "it is absolute: the site must work from any folder"
	}
	name := from
	if u.Path != "" {
		name = path.Join(path.Dir(from), u.Path)
	}
	if outside, ok := strings.CutPrefix(name, "../"); ok && around != nil && u.Fragment == "" {
		if _, err := fs.Stat(around, outside); err == nil {
			return ""
		}
	}
	to := pages[name]
	switch {
	case to == nil && files[name] == nil:
		return "there is no such file"
	case u.Fragment != "" && to != nil && to.ids[u.Fragment] == 0:
		return "nothing there has that id"
	}
	return ""
}
