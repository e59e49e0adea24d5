package snippet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/source"
)

const queue = `package a

import "sync"

// Queue hands out keys.
type Queue struct {
	mu sync.Mutex
	// keys wait.
	keys []string
}

// Add adds a key.
func (q *Queue) Add(key string) {
	q.mu.Lock()
	//book:region append
	q.keys = append(q.keys, key)
	//book:end
	q.mu.Unlock()
}
`

// chapter returns one with a file that it is about, and one that it leans on, with its
// page.
func chapter(t *testing.T) (*snippet.Chapter, *book.Part) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"queue.go": queue, "given.go": "package a\n\nfunc given() {}\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	code, err := source.Load(os.DirFS(dir), dir)
	require.NoError(t, err)
	part := &book.Part{Slug: "01-a", Name: "chapter.md", Title: "A", Document: &book.Document{File: "chapter.md"}}
	of := &book.Chapter{Number: 1, Slug: "01-a", Dir: dir, Core: []string{"queue.go"}, CoreLines: 10, Parts: []*book.Part{part}}
	return snippet.NewChapter(of, []*snippet.Program{snippet.NewProgram(".", code, &highlight.Info{Path: "m/a"})}), part
}

// text returns what a reference shows.
func text(t *testing.T, ref book.Reference) string {
	t.Helper()
	c, _ := chapter(t)
	p, err := c.Piece(ref)
	require.NoError(t, err)
	return strings.Join(p.Texts(), "\n")
}

func TestAReferenceChoosesAForm(t *testing.T) {
	assert.Equal(t, "func (q *Queue) Add(key string)", text(t, book.Reference{Path: "queue.go", Fragment: "Queue.Add", Title: "signature"}))
	assert.Equal(t, "// Queue hands out keys.\ntype Queue struct {\n\t… 1 line\n\t// keys wait.\n\tkeys []string\n}",
		text(t, book.Reference{Path: "queue.go", Fragment: "Queue", Title: "fields: keys"}))
	assert.Equal(t, "// Add adds a key.\nfunc (q *Queue) Add(key string) {\n\t… 1 line\n\tq.keys = append(q.keys, key)\n\t… 1 line\n}",
		text(t, book.Reference{Path: "queue.go", Fragment: "append"}), "a region stands in its function")
	assert.Equal(t, strings.TrimSuffix(queue[strings.Index(queue, "// Queue"):strings.Index(queue, "\n// Add")], "\n"),
		text(t, book.Reference{Path: "queue.go", Fragment: "Queue"}))
}

func TestALineOfTheCoreStandsOnAPageOnce(t *testing.T) {
	c, part := chapter(t)
	_, err := c.Piece(book.Reference{Path: "queue.go", Fragment: "Queue.Add", Part: part, Line: 7})
	require.NoError(t, err)
	_, err = c.Piece(book.Reference{Path: "queue.go", Fragment: "append", Part: part, Line: 9})
	assert.ErrorContains(t, err, "append: queue.go: line 16 is on the page already, by the reference at line 7")
}

func TestLinesOfTheCoreThatNoPageShowsAreNamed(t *testing.T) {
	c, part := chapter(t)
	_, err := c.Piece(book.Reference{Path: "queue.go", Fragment: "Queue", Part: part})
	require.NoError(t, err)
	err = c.Coverage.Missing()
	assert.ErrorContains(t, err, "queue.go:12: lines 12–19 (Queue.Add) are on no page")
	assert.NotContains(t, err.Error(), "given.go")
	_, err = c.Piece(book.Reference{Path: "queue.go", Fragment: "Queue.Add", Part: part})
	require.NoError(t, err)
	assert.NoError(t, c.Coverage.Missing())
}

func TestWhatAChapterLeansOnIsShownAsOftenAsAPageLikes(t *testing.T) {
	c, part := chapter(t)
	for range 2 {
		_, err := c.Piece(book.Reference{Path: "given.go", Fragment: "given", Part: part})
		require.NoError(t, err)
	}
	assert.Equal(t, []site.On{{Use: site.Use{Href: "01-a/index.html", Label: "0 · A"}, Lines: "3"}}, c.PagesOf(c.Code[0].File("given.go")))
}

func TestSomeLinesOfAPieceAreChosen(t *testing.T) {
	c, _ := chapter(t)
	p, err := c.Piece(book.Reference{Path: "queue.go", Fragment: "Queue.Add"})
	require.NoError(t, err)
	p.Choose(snippet.Span{First: 2, Last: 3})
	assert.Equal(t, []string{"func (q *Queue) Add(key string) {", "\tq.mu.Lock()"}, p.Texts())
	assert.Equal(t, "13–14", snippet.RunsText(p.Spans()))
}

func TestACoreMayBeTooLarge(t *testing.T) {
	c, _ := chapter(t)
	assert.Len(t, c.Measured().Over, 1)
	c.CoreLines = 100
	assert.Empty(t, c.Measured().Over)
	c.Chapter.Core = []string{"queue.go", "nothing.go"}
	assert.ErrorContains(t, c.MissingCore(), "there is neither a Go file nor a package nothing.go")
}
