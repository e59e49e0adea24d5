package browser

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// searched opens the search of the book's own site.
func searched(t *testing.T) *tab {
	t.Helper()
	browserContext(t)
	tb := newTab(t, 390)
	tb.open(serve(t, book).url + "index.html")
	tb.search("x")
	return tb
}

// addresses are those of the first ten results.
func (tb *tab) addresses(typed string) []string {
	tb.t.Helper()
	return ask[[]string](tb, `bestMatches(entries, `+quote(typed)+`).found.slice(0, 10).map((entry) => entry.href)`)
}

// linesOf returns the lines of a file in testdata, but for comments.
func linesOf(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool {
		return line == "" || strings.HasPrefix(line, "# ")
	})
}

// tally counts at which place the first right result stands.
type tally struct {
	all, first, three, ten int
	late, missing          []string // not within three, and not within ten
}

func (c *tally) add(typed string, at int) {
	c.all++
	switch {
	case at < 0:
		c.missing = append(c.missing, typed)
		return
	case at < 3:
		c.three++
	default:
		c.late = append(c.late, typed)
	}
	c.ten++
	if at == 0 {
		c.first++
	}
}

func (c *tally) log(t *testing.T) {
	t.Helper()
	t.Logf("of %d: %d first, %d within three, %d within ten; late: %q, missing: %q", c.all, c.first, c.three, c.ten, c.late, c.missing)
}

// answered searches for what is typed in a file, whose lines have a pattern of the
// addresses that answer it.
func answered(t *testing.T, name string) *tally {
	t.Helper()
	tb := searched(t)
	count := &tally{}
	for _, line := range linesOf(t, name) {
		typed, pattern, ok := strings.Cut(line, "\t")
		require.True(t, ok, line)
		count.add(typed, slices.IndexFunc(tb.addresses(typed), regexp.MustCompile(pattern).MatchString))
	}
	count.log(t)
	return count
}

func TestSearchFindsPhrasings(t *testing.T) {
	t.Parallel()
	count := answered(t, "phrasings.txt")
	assert.GreaterOrEqual(t, count.all, 103)
	assert.GreaterOrEqual(t, 100*count.three, 95*count.all, "within the first three, but for %q", count.late)
	assert.Empty(t, count.missing, "nothing right among the first ten")
}

func TestSearchFindsPhrasingsForWhichItWasNotMade(t *testing.T) {
	t.Parallel()
	count := answered(t, "unseen.txt")
	assert.GreaterOrEqual(t, count.all, 47)
	assert.GreaterOrEqual(t, 100*count.three, 80*count.all, "within the first three, but for %q", append(count.late, count.missing...))
}

// texts are the texts of all pages that the search knows, by their addresses. Those of
// courses repeat what others say.
const texts = `(async () => {
	const pages = new Set(entries.map((entry) => entry.href.replace(/#.*/, "")).filter((page) => /^(?!teach|\.\.).*\.html$/.test(page)));
	const text = async (page) => new DOMParser().parseFromString(await (await fetch(page)).text(), "text/html").body.textContent;
	return Object.fromEntries(await Promise.all([...pages].map(async (page) => [page, plain(await text(page)).replace(/\s+/g, " ")])));
})()`

var number = regexp.MustCompile(`\d+`)

// A sentence is the same whatever number is in it.
func TestSearchFindsSentencesThatAPagePrints(t *testing.T) {
	t.Parallel()
	tb := searched(t)
	pages := ask[map[string]string](tb, texts)
	count, nowhere := &tally{}, []string{}
	for _, sentence := range linesOf(t, "sentences.txt") {
		prints := func(address string) bool {
			page, _, _ := strings.Cut(address, "#")
			return strings.Contains(number.ReplaceAllString(pages[page], "1"), number.ReplaceAllString(strings.ToLower(sentence), "1"))
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(pages)), prints) {
			nowhere = append(nowhere, sentence)
			continue
		}
		count.add(sentence, slices.IndexFunc(tb.addresses(sentence), prints))
	}
	count.log(t)
	t.Logf("on no page: %q", nowhere)
	assert.GreaterOrEqual(t, count.all, 50)
	assert.Empty(t, append(count.late, count.missing...), "a page prints it, and isn't among the first three")
}

// Kubernetes' documentation in Chinese has words of its own.
func TestSearchFindsTheChineseWordsOfKubernetes(t *testing.T) {
	t.Parallel()
	tb := searched(t)
	for typed, place := range map[string]string{
		"申领": "claims-pending-bound-lost", "解除挂接": "attach-and-detach", "控制回路": "the-naive-loop", "腾空": "drain-and-poddisruptionbudgets",
	} {
		found := tb.addresses(typed)
		require.NotEmpty(t, found, typed)
		assert.Contains(t, found[0], place, typed)
	}
}

// What is pasted has names and numbers in it that are nowhere in the book.
func TestSearchIsNotHinderedByNamesAndNumbers(t *testing.T) {
	t.Parallel()
	tb := searched(t)
	for typed, place := range map[string]string{
		`pod "shop-7d4b9c5f-x2x9z" is stuck terminating`: "my-cluster-stands-still.html#a-node", "3/5 nodes are available, insufficient cpu on ip-10-1-2-3": "failedscheduling",
		`Multi-Attach error for volume "pvc-8d1c" in namespace shop-qa`: "attach-and-detach",
	} {
		assert.Contains(t, strings.Join(tb.addresses(typed)[:3], " "), place, typed)
	}
}

// entryOf is the address of a sentence's entry in the index of sentences.
const entryOf = "^what-kubernetes-says.html#"

// Whatever pages print a sentence, the index says what it means.
func TestSearchFindsTheEntryOfASentenceFirst(t *testing.T) {
	t.Parallel()
	tb := searched(t)
	count := &tally{}
	for _, sentence := range linesOf(t, "sentences.txt") {
		count.add(sentence, slices.IndexFunc(tb.addresses(sentence), regexp.MustCompile(entryOf).MatchString))
	}
	count.log(t)
	assert.GreaterOrEqual(t, count.all, 72)
	assert.GreaterOrEqual(t, 100*count.first, 95*count.all, "first")
	assert.Empty(t, append(count.late, count.missing...), "not within the first three")
}

func TestSearchFindsTheEntryOfASentenceWithOtherNamesAndNumbers(t *testing.T) {
	t.Parallel()
	count := answered(t, "pasted.txt")
	assert.GreaterOrEqual(t, count.all, 12)
	assert.Equal(t, count.all, count.first, "first")
}
