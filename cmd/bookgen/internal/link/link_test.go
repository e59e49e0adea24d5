package link_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/link"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

const queue = "package a\n\n// Queue hands out keys.\ntype Queue struct{}\n\nfunc helper() { var q Queue; _ = q }\n"

// fixture is a book with a chapter of one part, which shows Queue, and with an
// exercise, and a page beside it.
func fixture(t *testing.T) (*link.Book, *link.Chapter) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "01-a")
	for name, text := range map[string]string{"queue.go": queue, "manifests/web.yaml": "kind: Pod\n", "exercises/1b.md": ""} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	code, err := source.Load(os.DirFS(dir), dir)
	require.NoError(t, err)
	part := &book.Part{Slug: "01-a", Name: "chapter.md", Title: "A", Document: &book.Document{File: "chapter.md"}}
	of := &book.Chapter{Number: 1, Slug: "01-a", Dir: dir, Core: []string{"queue.go"}, CoreLines: 10, Parts: []*book.Part{part}}
	shown := snippet.NewChapter(of, []*snippet.Program{snippet.NewProgram(".", code, &highlight.Info{
		Path: "m/a", Refs: map[string][]highlight.Ref{"queue.go": {
			{Offset: strings.Index(queue, "Queue struct"), Len: 5, Def: "Queue"}, {Offset: strings.Index(queue, "helper"), Len: 6, Def: "helper"},
		}},
	})})
	_, err = shown.Piece(book.Reference{Path: "queue.go", Fragment: "Queue", Part: part})
	require.NoError(t, err)
	c, err := link.NewChapter(shown, []*exercise.Exercise{{Number: "1b"}})
	require.NoError(t, err)
	c.Cards["1b"] = part
	b := link.New(&book.Book{
		Chapters: []*book.Chapter{of, {Slug: "02-b"}}, Beside: []*book.Page{{Name: "how.md", Slug: "how"}},
	}, "m", func(name string, _ []byte) string { return "assets/" + name })
	b.Add(c)
	return b, c
}

func TestAReferenceLeadsToThePageThatShowsWhatItNames(t *testing.T) {
	b, c := fixture(t)
	inside, outside := b.Page(c, c.Parts[0], "01-a"), b.Page(nil, nil, "how.html")
	for _, ask := range []struct {
		on         *link.Page
		path, name string
		leads      string
	}{
		{inside, "", "here", "#here"},
		{inside, "chapter.md", "", "01-a/index.html"},
		{inside, "queue.go", "Queue", "01-a/index.html#Queue"},
		{inside, "queue.go", "helper", "01-a/queue.go.html#L6"},
		{inside, "manifests/web.yaml", "", "01-a/manifests/web.yaml.html"},
		{inside, "exercises/1b.md", "", "01-a/index.html#exercise-1b"},
		{inside, "../how.md", "top", "how.html#top"},
		{outside, "01-a/queue.go", "Queue", "01-a/index.html#Queue"},
		{b.Page(c, nil, site.TeachFolder), "../how.md", "", "how.html"},
	} {
		href, err := ask.on.Href(&book.Document{}, book.Reference{Path: ask.path, Fragment: ask.name})
		require.NoError(t, err, ask.path)
		assert.Equal(t, ask.leads, href)
	}
}

func TestALinkThatLeadsNowhereIsDead(t *testing.T) {
	b, c := fixture(t)
	for path, says := range map[string]string{
		"../02-b/x.go": "dead link: chapter 02-b is not written yet",
		"../03-c/x.go": "dead link: ../03-c/x.go is not in the book",
		"lost.yaml":    "dead link: there is no file lost.yaml in 01-a",
		"manifests":    "dead link: manifests is a folder",
	} {
		_, err := b.Page(c, c.Parts[0], "01-a").Href(&book.Document{}, book.Reference{Path: path})
		assert.EqualError(t, err, says)
	}
}

func TestAHeadingMayBeOnAPageThatIsRenderedLater(t *testing.T) {
	b, c := fixture(t)
	_, err := b.Page(nil, nil, "how.html").Href(&book.Document{File: "how.md"}, book.Reference{Path: "01-a/chapter.md", Fragment: "later", Line: 3})
	require.NoError(t, err)
	assert.EqualError(t, b.Dead(), `how.md:3: dead link: nothing on 01-a has the id "later"`)
	b.Rendered(c.Parts[0].Slug, node.List{node.New("h2", node.ID("later"))})
	assert.NoError(t, b.Dead())
}

func TestANameInCodeLeadsToItsDefinition(t *testing.T) {
	b, c := fixture(t)
	file := c.Code[0].File("queue.go")
	piece := b.Page(c, c.Parts[0], "01-a").OfPiece(c.Chapter, file, true, nil)
	assert.Equal(t, "01-a/index.html#Queue", piece.To("m/a", "Queue"))
	assert.Equal(t, "https://pkg.go.dev/sync#Mutex", piece.To("sync", "Mutex"))
	assert.Empty(t, piece.To("sync", "Mutex"), "a page leads out of the book once for each name")
	assert.Empty(t, piece.To("sync", "Mutex.Lock"), "a method is on its type's page")
	assert.Empty(t, piece.To("builtin", "len"))
	listing := b.OfListing(c, file)
	assert.Equal(t, "https://pkg.go.dev/sync#Mutex.Lock", listing.To("sync", "Mutex.Lock"))
	_, href := listing.Define("Queue")
	assert.Equal(t, "index.html#Queue", href, "from a listing to the page that shows it")
}
