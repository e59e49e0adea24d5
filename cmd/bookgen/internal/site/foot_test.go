package site_test

import (
	"encoding/xml"
	"html"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

var (
	sourceLink = regexp.MustCompile(`<a href="([^"]*)">Source of this page</a>`)
	reportLink = regexp.MustCompile(`<a href="([^"]*)" data-page="([^"]*)">Report a mistake</a>`)
)

func TestTheFootLeadsToThePagesOwnFile(t *testing.T) {
	book := sample.Book()
	book.Source = "https://forge.example/reconcile/blob/main"
	files, err := site.Render(book)
	require.NoError(t, err)
	for page, file := range map[string]string{
		"index.html": "chapters/book.md", "how-to-read.html": "chapters/how-to-read.md", "words.html": "chapters/terms.md",
		"01-control-loop/index.html":                    "chapters/01-control-loop/chapter.md",
		"01-control-loop/the-kubelet/index.html":        "chapters/01-control-loop/the-kubelet.md",
		"01-control-loop/print.html":                    "chapters/01-control-loop/chapter.md",
		"01-control-loop/sql/parse.go.html":             "chapters/01-control-loop/sql/parse.go",
		"01-control-loop/exercises/1b.md.html":          "chapters/01-control-loop/exercises/1b.md",
		"teach/" + book.Courses[0].Slug + "/notes.html": "workshop/" + book.Courses[0].Slug + ".md",
	} {
		found := sourceLink.FindSubmatch(files[page])
		if assert.NotNil(t, found, page) {
			assert.Equal(t, "https://forge.example/reconcile/blob/main/"+file, string(found[1]), page)
		}
	}
	for _, page := range []string{"contents.html", "symbols/q.html", "404.html"} { // made of all files, or of none
		assert.NotRegexp(t, sourceLink, string(files[page]), page)
	}
	assert.NotContains(t, string(files["index.html"]), "Report a mistake")
}

func TestAReportNamesThePageAndTheEdition(t *testing.T) {
	book := sample.Book()
	book.Report = "https://forge.example/new?title={title}&body={body}"
	reported := func() (query url.Values, page string) {
		files, err := site.Render(book)
		require.NoError(t, err)
		found := reportLink.FindSubmatch(files["01-control-loop/the-kubelet/index.html"])
		require.NotNil(t, found)
		assert.NotRegexp(t, reportLink, string(files["404.html"]), "the page is another")
		at, err := url.Parse(html.UnescapeString(string(found[1])))
		require.NoError(t, err)
		assert.NotContains(t, at.RawQuery, "+", "to a program for mail, that's a plus")
		return at.Query(), string(found[2])
	}
	query, page := reported()
	assert.Equal(t, "https://reconcile.example/01-control-loop/the-kubelet/", page)
	assert.Equal(t, url.Values{"title": {"1.2 · The kubelet · Reconcile"}, "body": {"\n\n" + page + "\nEdition 4, 30 November 2026\n"}}, query)

	book.URL = ""
	query, page = reported()
	assert.Equal(t, "01-control-loop/the-kubelet/index.html", page)
	assert.Contains(t, query.Get("body"), page)
}

// A page is taken from memory only if its foot is the same.
func TestPagesInMemoryFollowAddressesThatChange(t *testing.T) {
	var memory site.Memory
	book := sample.Book()
	for _, report := range []string{"https://a.example/{title}", "https://b.example/{title}"} {
		book.Report, book.Source = report, report
		files, err := memory.Render(book)
		require.NoError(t, err)
		for _, page := range []string{"01-control-loop/queue.go.html", "symbols/q.html"} {
			found := reportLink.FindSubmatch(files[page])
			require.NotNil(t, found, page)
			assert.Contains(t, string(found[1]), report[:len("https://a.example/")], page)
		}
	}
}

func TestTheFeedHasEachEdition(t *testing.T) {
	files := render(t)
	type entry struct {
		Title   string `xml:"title"`
		ID      string `xml:"id"`
		Updated string `xml:"updated"`
		Content string `xml:"content"`
	}
	var feed struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		Updated string   `xml:"updated"`
		Entries []entry  `xml:"entry"`
	}
	require.NoError(t, xml.Unmarshal(files["feed.xml"], &feed))
	assert.Equal(t, "2026-11-30T00:00:00Z", feed.Updated)
	assert.Equal(t, []entry{
		{"Reconcile: Edition 4, 30 November 2026", "https://reconcile.example/#edition-4", "2026-11-30T00:00:00Z", "<p>Loops &amp; queues.</p>"},
		{"Reconcile: Editions 1 to 3", "https://reconcile.example/#editions-1-to-3", "2026-11-28T00:00:00Z", sample.Book().Description},
	}, feed.Entries)
	assert.Contains(t, string(files["index.html"]), `type="application/atom+xml" href="https://reconcile.example/feed.xml"`)
}

// Forges name the address of their pages without a slash at its end.
func TestLinksOfThePageNotFoundLeadIntoTheFolderOfTheSite(t *testing.T) {
	for address, base := range map[string]string{"https://ada.example/book": "/book/", "https://book.example": "/"} {
		book := sample.Book()
		book.URL = address
		files, err := site.Render(book)
		require.NoError(t, err)
		assert.Contains(t, string(files["404.html"]), `<base href="`+base+`">`)
	}
}
