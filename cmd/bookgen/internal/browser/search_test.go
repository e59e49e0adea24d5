package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// search opens the search with its key, types, and waits until all of the query
// has arrived, and the index: the results for its first letter are no answer.
func (tb *tab) search(query string) {
	tb.t.Helper()
	tb.press("/")
	tb.wait(`document.activeElement?.id === "query"`)
	tb.press(query)
	tb.wait(fmt.Sprintf(`document.querySelector("#query").value === %q`, query))
	tb.wait(`!document.querySelector("#searching .status").textContent.includes("on its way")`)
}

// closeSearch closes it by its key, and waits until keys go to the page again. What is
// typed when it is opened once more takes the place of the query.
func (tb *tab) closeSearch() {
	tb.t.Helper()
	tb.press(escape)
	tb.wait(`!document.querySelector("#searching").open && document.activeElement?.id !== "query"`)
}

// results returns the titles of the results, best first.
func (tb *tab) results() []string {
	tb.t.Helper()
	return ask[[]string](tb, `[...document.querySelectorAll(".results strong")].map((e) => e.textContent)`)
}

func TestSearchFinds(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ query, first string }{
		"a dotted name":               {"Queue.Add", "Queue.Add"},
		"a name by the parts of it":   {"fifo", "DeltaFIFO"},
		"words in any order":          {"add queue", "Queue.Add"},
		"a phrase":                    {"almost every look finds nothing", "The naive loop, and what it costs"},
		"an exercise":                 {"compare and act", "1b Compare and act"},
		"an exercise by its number":   {"exercise 1b", "1b Compare and act"},
		"a letter missing":            {"desied", ""},
		"a word with a letter wrong":  {"conditien", "Waiting without spinning"},
		"a word with one missing":     {"conditon", "Waiting without spinning"},
		"a word with one too many":    {"conditionn", "Waiting without spinning"},
		"two that changed places":     {"cnodition", "Waiting without spinning"},
		"another name":                {"workqueue", "work queue"},
		"a word before a section":     {"work queue", "work queue"},
		"a page beside the chapters":  {"how to read", "How to read this book"},
		"a chapter":                   {"control loop", "The control loop"},
		"a part":                      {"the loop", "The loop"},
		"a name in Chinese":           {"工作队列", "work queue"},
		"what was typed":              {"kubectl events", "kubectl events"},
		"half of the words":           {"failed to pull", "kubectl events"},
		"the beginning of a field":    {"terminationGrace", "PodSpec.terminationGracePeriodSeconds"},
		"a test":                      {"TestPlan", "TestPlanCreatesWhatIsMissing"},
		"a section before its code":   {"naive", "The naive loop, and what it costs"},
		"Chinese":                     {"期望状态", "Waiting without spinning"},
		"Chinese, not as it is there": {"控制器一步", "Waiting without spinning"},
		"Chinese words apart":         {"实际 控制器", "Waiting without spinning"},
		"nothing":                     {"zebra", ""},
	}
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "index.html")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			tb.search(c.query)
			defer tb.closeSearch()
			if c.first == "" {
				assert.Empty(t, tb.results())
				return
			}
			require.NotEmpty(t, tb.results(), "nothing found for %q", c.query)
			assert.Equal(t, c.first, tb.results()[0])
			assert.NotEmpty(t, ask[[]string](tb, `[...document.querySelectorAll(".results mark")].map((e) => e.textContent)`))
		})
	}
}

func TestSearchSaysHowMuchItFoundAndWhere(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "index.html")
	tb.search("conditien")
	assert.Equal(t, "1 found for “condition”.", ask[string](tb, `document.querySelector("#searching .status").textContent`))
	assert.Equal(t, "section, 1.1 · The loop", ask[string](tb, `document.querySelector(".results small").textContent`))
	tb.closeSearch()
}

func TestATermIsExplainedByItsSentence(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 390)
	tb.open(p.url + "index.html")
	tb.search("workqueue")
	tb.wait(`!!document.querySelector(".results p")`)
	assert.Equal(t, "A list of keys, of which each is handed out once. (工作队列, workqueue, 队列)", ask[string](tb, `document.querySelector(".results p").textContent`))
}

// The search's scripts come when it is asked for, and somebody types meanwhile.
func TestWhatIsTypedBeforeTheIndexHasComeIsKept(t *testing.T) {
	t.Parallel()
	browserContext(t)
	for _, late := range []string{"assets/search.js", "assets/search-data.js"} {
		p, release := held(t, late)
		tb := newTab(t, 1440)
		tb.open(p.url + "01-control-loop/index.html")
		tb.press("/")
		if late == "assets/search-data.js" {
			tb.wait(`document.activeElement?.id === "query"`)
		}
		tb.press("jkwork")
		assert.Zero(t, ask[int](tb, `scrollY`), "j and k are typed, and turn no section")
		release()
		tb.wait(`document.activeElement?.id === "query"`)
		tb.press(" queue")
		tb.wait(`document.querySelector("#query").value === "jkwork queue"`)
		tb.wait(`document.querySelector("#searching .status").textContent.startsWith("Nothing has all of these words.")`)
	}
}

// Nine of ten lead to what was wanted, among the first three.
func TestTheBookFindsWhatPeopleType(t *testing.T) {
	t.Parallel()
	browserContext(t)
	p := serve(t, book)
	tb := newTab(t, 390)
	tb.open(p.url + "index.html")
	tb.search("x")
	queries, missed := 0, []string{}
	data, err := os.ReadFile("testdata/queries.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		query, wanted, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		queries++
		best := ask[[]string](tb, `bestMatches(entries, `+quote(query)+`).found.slice(0, 3).map((entry) => entry.title)`)
		if !slices.ContainsFunc(strings.Split(wanted, "|"), func(title string) bool { return slices.Contains(best, title) }) {
			missed = append(missed, query)
		}
	}
	assert.GreaterOrEqual(t, queries, 100)
	assert.LessOrEqual(t, len(missed), queries/10, "not among the first three: %q", missed)
}

func TestWhereNothingHasAllWordsMostAreEnough(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 390)
	tb.open(p.url + "index.html")
	tb.search("condition zebra")
	assert.Equal(t, "Nothing has all of these words. With most of them: 1 found.", ask[string](tb, `document.querySelector("#searching .status").textContent`))
	assert.Equal(t, "Waiting without spinning", tb.results()[0])
}

func TestTheBookFindsWhatItsTermsNameOtherwise(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(book, "assets", "search-data.js"))
	if err != nil || !strings.Contains(string(data), `"term"`) {
		t.Skip("the book has not been built")
	}
	browserContext(t)
	p := serve(t, book)
	tb := newTab(t, 390)
	tb.open(p.url + "index.html")
	tb.search("x")
	for query, first := range map[string]string{
		"控制器": "controller", "滚动更新": "rolling update", "副本": "ReplicationController", "expectaions": "expectations",
		"exponential backoff": "backoff", "kubectl rollout undo": "kubectl rollout undo",
		"terminationGracePeriod": "graceful termination",
		"mysql cluster":          "The MySQL cluster",
		"replication lag":        "replication lag", "node failure": "node failure", "init container": "init container",
		"overlayfs": "root file system", "sidecar": "sidecar",
		"workshop": "To teach with it", "work queue": "work queue", "lister": "indexer",
	} {
		ask[bool](tb, `(() => { const field = document.querySelector("#query"); field.value = `+quote(query)+`;
			field.dispatchEvent(new Event("input")); return true })()`)
		tb.wait(`document.querySelector(".results strong")?.textContent === ` + quote(first))
	}
}

func TestWhoWantsToTeachFindsHow(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		tb := newTab(t, 1440)
		tb.open(p.url + "index.html")
		tb.search("x")
		for query, first := range map[string]string{
			"workshop": "To teach with it", "teach": "To teach with it",
			"instructor": "To teach with it", "slides": "An hour: slides", "an hour": "An hour", "handout": "An hour: the handout",
		} {
			ask[bool](tb, `(() => { const field = document.querySelector("#query"); field.value = `+quote(query)+`;
				field.dispatchEvent(new Event("input")); return true })()`)
			tb.wait(`document.querySelector(".results strong")?.textContent === ` + quote(first))
		}
	})
}

func TestSearchLeadsToWhatWasChosen(t *testing.T) {
	t.Parallel()
	for name, root := range map[string]func(place) string{
		"served":        func(p place) string { return p.url },
		"from a folder": place.file,
	} {
		t.Run(name, func(t *testing.T) {
			p := sampleSite(t)
			tb := newTab(t, 1440)
			tb.open(root(p) + "01-control-loop/queue.go.html")
			tb.search("plan")
			assert.Equal(t, "result-0", ask[string](tb, `document.activeElement.getAttribute("aria-activedescendant")`))
			tb.press(arrowDown)
			assert.Equal(t, "result-1", ask[string](tb, `document.activeElement.getAttribute("aria-activedescendant")`))
			tb.press(enter)
			tb.wait(`location.hash === "#L3"`)
		})
	}
}

func TestSearchFindsADeclarationOfTheBook(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		tb := newTab(t, 1440)
		tb.open(p.url + "symbols.html")
		name := ask[string](tb, `document.querySelector(".symbol a").textContent`)
		tb.search(name)
		assert.Contains(t, tb.results(), name)
	})
}
