package site

import (
	"bytes"
	"encoding/xml"
)

// sitemap lists the pages that a search engine should know.
func sitemap(b *Book) []byte {
	var out bytes.Buffer
	out.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, p := range pages(b) {
		if p.Kind == "notfound" || p.Kind == "whole" {
			continue
		}
		out.WriteString("<url><loc>")
		// A bytes.Buffer does not fail, and so neither does writing into it.
		_ = xml.EscapeText(&out, []byte(p.Canonical()))
		out.WriteString("</loc></url>\n")
	}
	out.WriteString("</urlset>\n")
	return out.Bytes()
}
