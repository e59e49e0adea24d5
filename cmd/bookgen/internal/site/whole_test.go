package site_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

const whole = "01-control-loop/print.html"

// wholeWith renders the page of a whole chapter whose second part is this.
func wholeWith(t *testing.T, body string) string {
	t.Helper()
	book := sample.Book()
	part := book.Chapters[0].Parts[1]
	require.Equal(t, "01-control-loop/the-kubelet", part.Slug)
	part.Body = node.Parse(body)
	files, err := site.Render(book)
	require.NoError(t, err)
	return string(files[whole])
}

func TestAChapterIsThereOnOnePage(t *testing.T) {
	text := string(render(t)[whole])
	at := -1
	for _, piece := range []string{
		"<h1>The control loop</h1>", `id=a-queue-of-keys`, "<h1>The kubelet</h1>", "A loop for each.", "<h1>Loops in Kubernetes</h1>", "The three sets are the same.",
	} {
		next := strings.Index(text, piece)
		assert.Greater(t, next, at, piece)
		at = next
	}
	for _, page := range []string{"index.html", "the-kubelet/index.html"} {
		assert.Contains(t, string(render(t)["01-control-loop/"+page]), `print.html">The chapter on one page`)
	}
}

func TestLinksOnThePageOfAWholeChapterLeadFromThere(t *testing.T) {
	for from, to := range map[string]string{
		"01-control-loop/index.html#a-queue-of-keys": "#a-queue-of-keys", // a section of another part
		"01-control-loop/in-kubernetes/index.html":   "#in-kubernetes",   // a part
		"01-control-loop/the-kubelet/index.html#own": "#own",
		"#deciding":                                      "#the-kubelet.deciding", // the part's own, not the first part's
		"01-control-loop/index.html#deciding":            "#deciding",
		"01-control-loop/queue.go.html#L3":               "queue.go.html#L3",
		"how-to-read.html#three-ways":                    "../how-to-read.html#three-ways",
		"01-control-loop/index.html?path=short#deciding": "index.html?path=short#deciding",
		"https://kubernetes.io/docs/#x":                  "https://kubernetes.io/docs/#x",
	} {
		text := wholeWith(t, `<p id="own" title="a &lt; b">Here.</p><h2 id=deciding>Deciding</h2><p aria-labelledby="deciding"><a href="`+from+`">there</a></p>`)
		assert.Regexp(t, `<a href="?`+regexp.QuoteMeta(to)+`"?>there</a>`, text, from)
		assert.Contains(t, text, `<p id=own title="a &lt; b">`)
		assert.Contains(t, text, `<h2 id=the-kubelet.deciding>`)
		assert.Contains(t, text, `aria-labelledby=the-kubelet.deciding`)
	}
}

func TestThePageOfAWholeChapterHasEachIDOnce(t *testing.T) {
	text := wholeWith(t, `<h2 id="in-kubernetes">In Kubernetes</h2><h2 id="text">Text</h2><h2 id="waiting">Waiting</h2>`)
	var ids []string
	for _, m := range regexp.MustCompile(` id="?([^" >]*)`).FindAllStringSubmatch(text, -1) {
		ids = append(ids, m[1])
	}
	slices.Sort(ids)
	assert.Len(t, slices.Compact(slices.Clone(ids)), len(ids), "%v", ids)
}

func TestThePageOfAWholeChapterIsNoSecondPlaceForASearch(t *testing.T) {
	files := render(t)
	assert.Contains(t, string(files[whole]), `<link rel="canonical" href="https://reconcile.example/01-control-loop/">`)
	assert.NotContains(t, string(files["sitemap.xml"]), "print.html")
	assert.NotContains(t, string(files["assets/search-data.js"]), "print.html")
}
