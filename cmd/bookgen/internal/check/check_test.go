package check

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/source"
)

func TestLinksAreFollowed(t *testing.T) {
	const at = "site/a/index.html:2: dead link "
	for _, c := range []struct{ name, link, want string }{
		{"a page", "../index.html", ""},
		{"an id on it", "../index.html#top", ""},
		{"an id here", "#here", ""},
		{"an id with an escape", "#%C3%A4", ""},
		{"a file", "../book.css", ""},
		{"the book as a file", "../book.pdf", ""},
		{"one that was not made", "../book.epub", at + "../book.epub: there is no such file"},
		{"out of the book", "https://example.com/none#none", ""},
		{"mail", "mailto:a@example.com", ""},
		{"no page", "b.html", at + "b.html: there is no such file"},
		{"no id", "../index.html#none", at + "../index.html#none: nothing there has that id"},
		{"no id here", "#none", at + "#none: nothing there has that id"},
		{"absolute", "/index.html", at + "/index.html: it is absolute: the site must work from any folder"},
		{"no address", "http://%", at + "http://%: it is no address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			count, err := checkLinks("site", map[string][]byte{
				"index.html":   []byte(`<p id=top>`),
				"book.css":     []byte(`p {}`),
				"book.pdf":     []byte(`%PDF`),
				"a/index.html": []byte("<p id=here>\n<b id=ä><a class=x href=\"" + c.link + "\">"),
			}, nil)
			assert.Equal(t, 1, count)
			assert.Equal(t, c.want, text(err))
		})
	}
}

func TestAClonesLinksMayLeadToItsFiles(t *testing.T) {
	const at = "site/a/index.html:1: dead link "
	around := fstest.MapFS{"chapters/a/a.go": {}}
	for _, c := range []struct{ name, link, want string }{
		{"a file", "../../chapters/a/a.go", ""},
		{"no file", "../../chapters/a/b.go", at + "../../chapters/a/b.go: there is no such file"},
		{"a file's page", "a.go.html", at + "a.go.html: there is no such file"},
		{"further out", "../../../chapters/a/a.go", at + "../../../chapters/a/a.go: there is no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pages := map[string][]byte{"a/index.html": []byte(`<a href="` + c.link + `">`)}
			_, err := checkLinks("site", pages, around)
			assert.Equal(t, c.want, text(err))
			_, err = checkLinks("public", pages, nil)
			assert.Error(t, err, "the published site has none of it")
		})
	}
}

func TestAnIDIsThereOnce(t *testing.T) {
	_, err := checkLinks("site", map[string][]byte{"index.html": []byte("<p id=a>\n\n<p id=a>")}, nil)
	assert.Equal(t, `site/index.html:3: the id "a" is there twice, first at line 1`, text(err))
}

func text(err error) string {
	var lines []string
	for _, e := range source.Flatten(err) {
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}
