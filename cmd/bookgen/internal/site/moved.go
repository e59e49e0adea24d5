package site

import (
	"fmt"
	"html"
	"strings"

	"reconcile/cmd/bookgen/internal/node"
)

// addMoved adds a page at each address that a page had, which leads to where it is.
func (b *Book) addMoved(files map[string][]byte) error {
	for from, to := range b.Moved {
		if files[from] != nil {
			return fmt.Errorf("moved: there is a page at %s", from)
		}
		if files[to] == nil {
			return fmt.Errorf("moved: %s leads to %s, which is no page", from, to)
		}
		near, canonical := html.EscapeString(node.Relative(from, to)), ""
		if b.URL != "" {
			at := b.Absolute(strings.TrimSuffix(to, "index.html"))
			canonical = `<link rel="canonical" href="` + html.EscapeString(at) + `">`
		}
		files[from] = fmt.Appendf(nil, `<!doctype html><html lang="en"><meta charset="utf-8"><title>This page has moved</title>%s`+
			`<meta http-equiv="refresh" content="0; url=%s"><p><a href="%[2]s">It is here.</a></p></html>`+"\n", canonical, near)
	}
	return nil
}
