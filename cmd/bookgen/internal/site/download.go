package site

import "fmt"

// A Download is the whole book as one file, which lies beside the front page.
type Download struct {
	Name    string // in a sentence: "a PDF"
	File    string // "reconcile.pdf"
	Pages   int    // of the file; 0: it is not divided into any
	Content []byte
}

// Extent returns how much it is: "412 pages, 9.2 MB".
func (d Download) Extent() string {
	extent := fmt.Sprintf("%.1f MB", float64(len(d.Content))/1e6)
	if d.Pages > 0 {
		extent = fmt.Sprintf("%d pages, %s", d.Pages, extent)
	}
	return extent
}

// Offer adds downloads to the files that Render returned of the book, and makes the
// pages anew that offer them: the front page, the contents, and the page that says how
// to read the book.
func Offer(b *Book, files map[string][]byte, downloads []Download) error {
	for _, p := range pages(b) {
		if p.Kind != "home" && p.Kind != "contents" && (p.Beside == nil || p.Beside != b.Beside[0]) {
			continue
		}
		p.Downloads = downloads
		content, err := p.render()
		if err != nil {
			return fmt.Errorf("page %s: %w", p.Path, err)
		}
		files[p.Path] = content
	}
	for _, d := range downloads {
		files[d.File] = d.Content
	}
	return nil
}
