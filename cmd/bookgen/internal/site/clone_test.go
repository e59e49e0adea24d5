package site_test

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/play"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

// clone returns the sample's files as a clone has them.
func clone(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := new(site.Memory).RenderClone(sample.Book())
	require.NoError(t, err)
	return files
}

// sources are the files of the sample that have listings.
var sources = []string{
	"../chapters/01-control-loop/queue.go", "../chapters/01-control-loop/naive_test.go", "../chapters/01-control-loop/sql/parse.go",
}

func TestACloneHasThePagesThatAreReadAndNoListings(t *testing.T) {
	files := clone(t)
	for _, name := range []string{
		"index.html", "contents.html", "symbols.html", "assets/book.css", "assets/search-data.js",
		"01-control-loop/index.html", "01-control-loop/in-kubernetes/index.html", "01-control-loop/exercises/1b.md.html",
	} {
		assert.NotEmpty(t, files[name], name)
	}
	for name := range files {
		assert.NotContains(t, name, ".go.html")
	}
	assert.NotContains(t, files, "404.html", "a server says that")
	assert.NotContains(t, files, "sitemap.xml", "it lists all that is published")
}

func TestAClonesLinksLeadToItsPagesAndFiles(t *testing.T) {
	files := clone(t)
	for _, source := range sources {
		files[source] = []byte("package controlloop")
	}
	toSources := 0
	for name, content := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(string(content), -1) {
			if strings.HasPrefix(m[1], "http") || strings.HasPrefix(m[1], "data:") {
				continue
			}
			assertLeadsSomewhere(t, files, name, strings.ReplaceAll(m[1], "&#43;", "+"))
			if strings.Contains(m[1], "../chapters/") {
				toSources++
			}
		}
	}
	assert.Greater(t, toSources, 10)
}

// index is the search index as its script has it.
func index(t *testing.T, files map[string][]byte) (pages [][2]string, rows [][4]string) {
	t.Helper()
	text := string(files["assets/search-data.js"])
	decoder := json.NewDecoder(strings.NewReader("[" + strings.TrimSuffix(strings.TrimPrefix(text, "bookIndex("), ")\n") + "]"))
	all := []any{&pages, &rows}
	require.NoError(t, decoder.Decode(&all))
	return pages, rows
}

func TestSearchInACloneLeadsToItsFiles(t *testing.T) {
	addresses := func(files map[string][]byte) map[string]string {
		pages, rows := index(t, files)
		addresses := map[string]string{}
		for _, row := range rows {
			number, rest, ok := strings.Cut(row[2], " ")
			require.True(t, ok, "%s is on none of the pages: %s", row[1], row[2])
			var at int
			require.NoError(t, json.Unmarshal([]byte(number), &at))
			addresses[row[1]] = pages[at][1] + rest
		}
		return addresses
	}
	published, carried := addresses(render(t)), addresses(clone(t))
	assert.Len(t, carried, len(published))
	assert.Equal(t, "01-control-loop/naive_test.go.html#L3", published["TestPlanCreatesWhatIsMissing"])
	assert.Equal(t, "../chapters/01-control-loop/naive_test.go", carried["TestPlanCreatesWhatIsMissing"])
	assert.Equal(t, published["Queue.Add"], carried["Queue.Add"], "it is on a page that a clone has")
}

func TestOnlyASiteWithTheEngineLeadsToAClusterInAPage(t *testing.T) {
	b := sample.Book()
	b.Symptoms = b.Beside[0]
	b.Play = &site.Play{Gallery: []play.Scene{{Name: "budget", Title: "Does a budget hold it back?", Answer: "No."}}}
	files, err := site.Render(b)
	require.NoError(t, err)
	for _, at := range [][2]string{{"index.html", `play.html"`}, {"contents.html", `play.html"`}, {"how-to-read.html", `play.html#questions"`}, {"how-to-read.html", `play.html#budget"`}, {"play.html", `#budget"`}} {
		assert.Contains(t, string(files[at[0]]), `<a href="`+at[1]+">")
	}
	assert.Regexp(t, `\["section","Does a budget hold it back\?","\d+ #budget","No\."\]`, string(files["assets/search-data.js"]))
	carried, err := new(site.Memory).RenderClone(b)
	require.NoError(t, err)
	for name, text := range carried {
		assert.NotContains(t, string(text), "play.html", name)
	}
}
