package site_test

import (
	"bytes"
	"compress/gzip"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

// render returns the sample's files.
func render(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := site.Render(sample.Book())
	require.NoError(t, err)
	return files
}

func TestRenderMakesEveryKindOfFile(t *testing.T) {
	files := render(t)
	for _, name := range []string{
		"index.html", "contents.html", "symbols.html", "symbols/q.html", "404.html", "sitemap.xml", "feed.xml",
		"01-control-loop/index.html", "01-control-loop/the-kubelet/index.html", "01-control-loop/in-kubernetes/index.html",
		"01-control-loop/queue.go.html", "01-control-loop/naive_test.go.html", "01-control-loop/sql/parse.go.html",
		"assets/book.css", "assets/book.js", "assets/search.js", "assets/search-data.js", "assets/favicon.svg",
		"assets/front.css", "assets/listing.css", "assets/dialogs.css", "assets/scrub.js", "assets/scrub.css",
		"assets/fonts/newsreader-LICENSE.txt",
	} {
		assert.NotEmpty(t, files[name], "nothing was made for %s", name)
	}
	assert.Contains(t, string(files["sitemap.xml"]), "<loc>https://reconcile.example/01-control-loop/</loc>")
	assert.Contains(t, string(files["sitemap.xml"]), "<loc>https://reconcile.example/01-control-loop/the-kubelet/</loc>")
	assert.NotContains(t, files, "02-deployment/index.html", "a chapter that is not written has no page")
}

func TestRenderTwiceGivesTheSameBytes(t *testing.T) {
	assert.Equal(t, render(t), render(t))
}

func TestRenderRefusesTwoPagesAtOnePath(t *testing.T) {
	book := sample.Book()
	book.Chapters = append(book.Chapters, book.Chapters[0])
	_, err := site.Render(book)
	assert.ErrorContains(t, err, "01-control-loop/index.html")
}

func TestRenderKnowsNoAddressesWithoutAURL(t *testing.T) {
	book := sample.Book()
	book.URL = ""
	files, err := site.Render(book)
	require.NoError(t, err)
	assert.NotContains(t, files, "sitemap.xml")
	assert.NotContains(t, files, "feed.xml")
	for name, content := range files {
		if path.Ext(name) == ".html" {
			assert.NotRegexp(t, `canonical|og:url|og:image|<base|feed\.xml|Source of this page|Report a mistake|reconcile\.example`, string(content), name)
		}
	}
	assert.Contains(t, string(files["404.html"]), `href="index.html"`)
}

func TestUnwrittenChaptersAreNamedAndNotLinked(t *testing.T) {
	files := render(t)
	for _, page := range []string{"index.html", "contents.html", "01-control-loop/the-kubelet/index.html"} {
		assert.Contains(t, string(files[page]), "Deployment")
		assert.NotContains(t, string(files[page]), "02-deployment")
	}
}

var base = regexp.MustCompile(`<base [^>]*>`)

var link = regexp.MustCompile(`(?:href|src)="?([^" >]*)`)

func TestEveryLinkLeadsToAFileAndAnAnchorOfTheSite(t *testing.T) {
	files := render(t)
	for name, content := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		text := base.ReplaceAllString(string(content), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(m[1], "http") || strings.HasPrefix(m[1], "data:") {
				continue // canonical addresses, and those that prose cites
			}
			assertLeadsSomewhere(t, files, name, strings.ReplaceAll(m[1], "&#43;", "+"))
		}
	}
}

func assertLeadsSomewhere(t *testing.T, files map[string][]byte, from, href string) {
	t.Helper()
	u, err := url.Parse(href)
	require.NoError(t, err, "%s links to %q", from, href)
	to := from
	if u.Path != "" {
		to = path.Join(path.Dir(from), u.Path)
	}
	require.NotEmpty(t, files[to], "%s links to %q, and there is no such file", from, href)
	if u.Fragment != "" {
		there := regexp.MustCompile(` id="?` + regexp.QuoteMeta(u.Fragment) + `[" >]`)
		assert.True(t, there.Match(files[to]), "%s links to %q, and nothing there has that id", from, href)
	}
}

func TestAChapterWithStylesAndScriptsStaysSmall(t *testing.T) {
	files := render(t)
	shared := zipped(t, files["assets/book.css"]) + zipped(t, files["assets/book.js"])
	assert.Less(t, shared, 12_400, "styles and scripts, gzipped")
}

func zipped(t *testing.T, contents ...[]byte) int {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	require.NoError(t, err)
	for _, c := range contents {
		_, err = w.Write(c)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Len()
}

// foot matches what stands below a page, and where it leads for the licence.
var foot = regexp.MustCompile(`(?s)<footer class="colophon spread">.*<a rel="license" href="([^"]*)">Licence</a></p>\n.*</footer>`)

func TestTheFootOfEachPageLeadsToTheLicence(t *testing.T) {
	for _, files := range []map[string][]byte{render(t), clone(t)} {
		for name, content := range files {
			if path.Ext(name) != ".html" {
				continue
			}
			found := foot.FindStringSubmatch(string(content))
			if assert.NotNil(t, found, name) {
				assert.Equal(t, "licence.html", path.Join(path.Dir(name), found[1]), name)
			}
		}
		assert.NotEmpty(t, files["assets/LICENSE.txt"], "which the page leads to")
	}
}

func TestTheFrontPageNamesTheEdition(t *testing.T) {
	files := render(t)
	assert.Contains(t, string(files["index.html"]), "<p>Edition 4, 30 November 2026. Set in")
	assert.NotContains(t, string(files["words.html"]), "Edition 4", "so that a new edition changes one page")
}

func TestABookWithoutALicenceSaysNothingOfOne(t *testing.T) {
	book := sample.Book()
	book.Licence = nil
	files, err := site.Render(book)
	require.NoError(t, err)
	assert.NotContains(t, string(files["index.html"]), `rel="license"`)
}

func TestEverySiteHasTheViewOfARun(t *testing.T) {
	files, err := site.Render(sample.Book())
	require.NoError(t, err)
	script := string(files["assets/look.js"])
	assert.Contains(t, script, "const lookView=")
	assert.Contains(t, script, "openInside")
	assert.Contains(t, string(files["assets/look.css"]), "dialog.inside")
	assert.NotContains(t, string(files["assets/book.js"]), "lookView=", "it's loaded when a reader asks")
}
