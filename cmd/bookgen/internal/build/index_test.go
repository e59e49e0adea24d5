package build_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/site"
)

// twoChapters is a book whose second chapter uses the first.
const twoChapters = `
-- loop.go --
package loop

// Sizes of a loop.
const (
	Small = 1 // is enough
	Large = 2
)

// Loop goes round. It never
// ends.
type Loop struct{ n int }

// Turn turns once.
func (l *Loop) Turn() int { return l.n + Small }
-- loop_test.go --
package loop

import "testing"

func TestTurn(t *testing.T) { new(Loop).Turn() }
-- chapters/02-later/later.go --
package later

import loop "reconcile/chapters/01-loop"

func later(l *loop.Loop) int { return l.Turn() }
-- chapters/02-later/chapter.md --
---
number: 2
title: Later
core: [later.go]
parts: [in-kubernetes.md]
---
# Later

More of [the same](../01-loop/loop.go#Loop.Turn), and of [loops](../01-loop/chapter.md).

[later.go](later.go)

## Again

Words to find.
`

func composeTwo(t *testing.T) *site.Book {
	t.Helper()
	edition, err := build.Compose(context.Background(), options(t, twoChapters))
	require.NoError(t, err)
	return edition.Book
}

func TestTheIndexKnowsEveryDeclarationAndItsUses(t *testing.T) {
	symbols := map[string]*site.Symbol{}
	var names []string
	for _, s := range composeTwo(t).Symbols {
		symbols[s.Name] = s
		names = append(names, s.Name)
	}
	assert.Equal(t, []string{"Large", "later", "Loop", "Loop.Turn", "Small"}, names)
	assert.Equal(t, &site.Symbol{
		Name: "Loop.Turn", Kind: "method", Chapter: "01-loop", File: "loop.go", Line: 14,
		Signature: "func (l *Loop) Turn() int", Synopsis: "Turn turns once.",
		Href: "01-loop/index.html#Loop.Turn",
		Uses: []site.Use{
			{Href: "01-loop/loop_test.go.html#L5", Label: "TestTurn"},
			{Href: "02-later/index.html#.later", Label: "later"},
		},
	}, symbols["Loop.Turn"])
	assert.Equal(t, "const Small = 1", symbols["Small"].Signature)
	assert.Equal(t, "is enough", symbols["Small"].Synopsis)
	assert.Equal(t, "type Loop struct{ … }", symbols["Loop"].Signature)
	assert.Equal(t, "Loop goes round.", symbols["Loop"].Synopsis)
}

func TestTheIndexKnowsWhatIsToBeWritten(t *testing.T) {
	archive, err := os.ReadFile("testdata/parts/book.txtar")
	require.NoError(t, err)
	edition, err := build.Compose(context.Background(), options(t, string(archive)))
	require.NoError(t, err)
	statements := map[string]string{}
	for _, s := range edition.Book.Symbols {
		statements[s.Name] = s.Statement
	}
	assert.Equal(t, map[string]string{
		"Loop": "", "Stop": "01-loop/stopping/index.html#exercise-1b", "text": "", "Later": "",
	}, statements)
}

func TestCodeLeadsIntoOtherChapters(t *testing.T) {
	body := composeTwo(t).Chapters[1].Parts[0].Body.String()
	assert.Contains(t, body, `<a href=01-loop/index.html>"reconcile/chapters/01-loop"</a>`)
	assert.Contains(t, body, `*<a href=01-loop/index.html#Loop>loop.Loop</a>`)
	assert.Contains(t, body, `.<a href=01-loop/index.html#Loop.Turn>Turn</a>()`)
	assert.Contains(t, body, `<a href=01-loop/index.html#Loop.Turn>the same</a>`)
	assert.Contains(t, body, `<a href=01-loop/index.html>loops</a>`)
}

func TestEveryFileHasAListingThatLeadsToThePage(t *testing.T) {
	listings := composeTwo(t).Chapters[0].Listings
	require.Len(t, listings, 2)
	assert.Equal(t, []string{"loop.go", "loop_test.go"}, []string{listings[0].File, listings[1].File})
	assert.Equal(t, []bool{false, true}, []bool{listings[0].Test, listings[1].Test})
	assert.Contains(t, markup(listings[0]), `<a class=d href=index.html#Loop>Loop</a>`)
	assert.Contains(t, markup(listings[0]), `<a href=#L14>l</a>.<a href=#L11>n</a>`)
	assert.Contains(t, markup(listings[1]), `<a href=loop.go.html#L14>Turn</a>`)
}

// rooms weaves a first chapter with a package of its core below it, and a given one.
func rooms(t *testing.T) *build.Edition {
	t.Helper()
	archive, err := os.ReadFile("testdata/parts/rooms.txtar")
	require.NoError(t, err)
	edition, err := build.Compose(context.Background(), options(t, string(archive)))
	require.NoError(t, err)
	return edition
}

func TestNamesBelowTheRootAreFoundByTheirPackage(t *testing.T) {
	symbols := map[string]*site.Symbol{}
	for _, s := range rooms(t).Book.Symbols {
		symbols[s.Name] = s
	}
	assert.Equal(t, &site.Symbol{
		Name: "sql.Parse", Kind: "func", Chapter: "01-loop", File: "sql/parse.go", Line: 5,
		Signature: "func Parse(text string) int", Synopsis: "Parse reads a statement.",
		Href: "01-loop/sql/parse.go.html#L5",
		Uses: []site.Use{{Href: "01-loop/index.html#node/New", Label: "node.New"}, {Href: "01-loop/sql/parse_test.go.html#L8", Label: "TestParse"}, {Href: "02-later/index.html#Later", Label: "Later"}},
	}, symbols["sql.Parse"])
	assert.Equal(t, "01-loop/index.html#node/New", symbols["node.New"].Href)
	assert.Equal(t, "01-loop/sql/parse.go:sql.Parse", symbols["sql.Parse"].ID())
}

func TestWhatIsBelowTheRootIsSearched(t *testing.T) {
	assert.Contains(t, rooms(t).Book.Chapters[0].Text, site.SearchEntry{
		Kind: "test", Title: "TestParse", Href: "01-loop/sql/parse_test.go.html#L8",
	})
}

func TestListingsGoPackageByPackage(t *testing.T) {
	edition := rooms(t)
	listings := map[string]site.Listing{}
	var files []string
	for _, l := range edition.Book.Chapters[0].Listings {
		listings[l.File] = l
		files = append(files, l.File)
		assert.Contains(t, edition.Files, "01-loop/"+l.File+".html")
	}
	assert.Equal(t, []string{
		"loop.go", "loop_test.go", "node/new.go", "node/node.go", "sql/parse.go", "sql/parse_test.go",
		"testdata/a.txt", "node/testdata/b.txt", "node/init/start.sh",
	}, files)
	assert.True(t, listings["sql/parse.go"].Leant)
	assert.False(t, listings["node/node.go"].Leant)
	assert.Contains(t, markup(listings["node/node.go"]), `<a href=../sql/parse.go.html#L5>sql.Parse</a>`)
	assert.Contains(t, markup(listings["node/node.go"]), `<a class=d href=../index.html#node/New>New</a>`)
	assert.Contains(t, markup(listings["sql/parse_test.go"]), `<a href=parse.go.html#L5>sql.Parse</a>`)
	assert.Contains(t, string(edition.Files["01-loop/sql/parse.go.html"]), "The chapter leans on it, and no page shows it.")
	assert.Equal(t, 4, edition.Counts.Given)
	later := edition.Book.Chapters[1].Parts[0].Body.String()
	assert.Contains(t, later, `<a href=01-loop/sql/parse.go.html>"reconcile/chapters/01-loop/sql"</a>`)
	assert.Contains(t, later, `<a href=01-loop/sql/parse.go.html>the engine</a>`)
}

func TestSectionsAreSearchedWithTheirWords(t *testing.T) {
	assert.Equal(t, []site.SearchEntry{
		{Kind: "part", Title: "Later", Href: "02-later/index.html", Text: "More of the same, and of loops."},
		{Kind: "section", Title: "Again", Href: "02-later/index.html#again", Text: "Words to find."},
	}, composeTwo(t).Chapters[1].Parts[0].Text)
}

// People look for the reasons of events, which stand in code, and for what goes wrong.
func TestSectionsAreSearchedWithWhatTheirProgramsSay(t *testing.T) {
	edition, err := build.Compose(context.Background(), options(t, `
-- loop.go --
package loop

// Says is a reason.
func Says() (string, string) { return "NodeNotReady", "Ready" }
-- loop_test.go --
package loop

import "testing"

func TestOutput(t *testing.T) { t.Log("output") }
-- testdata/output.txt --
NAME    READY
web-0   1/1
failed to pull web: quota of 3 is exceeded
web-0   0/1
-- chapter.md --
---
number: 1
title: Loop
core: [loop.go]
parts: [in-kubernetes.md]
---
# Loop

[loop.go](loop.go)

## Runs

[it runs](testdata/output.txt)
`))
	require.NoError(t, err)
	text := edition.Book.Chapters[0].Parts[0].Text
	assert.Equal(t, "NodeNotReady", text[0].Text)
	assert.Equal(t, "NAME READY web-0 failed to pull web: quota of 3 is exceeded", text[1].Text)
}

// A term is explained by the paragraph below it.
func TestWhatReadersCallOtherwiseLeadsToWhatTheBookHas(t *testing.T) {
	edition, err := build.Compose(context.Background(), options(t, twoChapters+`
-- chapters/terms.md --
The book's words.

- [round](01-loop/loop.go#Loop.Turn): 循环, cycle

  Once *all* the way, as `+"`Turn`"+` goes.

- [again](02-later/chapter.md#again), [Turn](01-loop/loop.go#Loop.Turn): 再

  It isn't
  the first time.
`))
	require.NoError(t, err)
	var meanings []string
	for i := range edition.Book.Terms {
		term := &edition.Book.Terms[i]
		meanings, term.Meaning = append(meanings, term.Meaning.String()), nil
	}
	assert.Equal(t, []string{"Once <em>all</em> the way, as <code>Turn</code> goes.", "It isn’t\nthe first time."}, meanings)
	assert.Equal(t, []site.Term{
		{Name: "round", Text: "Once all the way, as Turn goes.",
			Others: "循环, cycle", Place: site.Use{Href: "01-loop/index.html#Loop.Turn", Label: "1 · Loop"}},
		{Name: "again", Text: "It isn’t the first time.",
			Others: "再", Place: site.Use{Href: "02-later/index.html#again", Label: "2 · Later"},
			Code: site.Use{Href: "01-loop/index.html#Loop.Turn", Label: "Turn"}},
	}, edition.Book.Terms)
}

// A section is on the short path with all that is below it, and the opening of a
// page by itself.
func TestSectionsKnowTheirLengthAndTheirPath(t *testing.T) {
	edition, err := build.Compose(context.Background(), options(t, `
-- chapter.md --
---
number: 1
title: Loop
summary: Round.
core: [loop.go]
parts: [in-kubernetes.md]
path: short
---
# Loop

Two words.[^n]

[^n]: And three more.

[loop.go](loop.go)

## First {path="short"}

One.

### Below

One two.

#### Deep

Three.

## Second

Not it.

### Deeper {path="short"}

It is.
`))
	require.NoError(t, err)
	part := edition.Book.Chapters[0].Parts[0]
	assert.Equal(t, site.Section{Short: true, Words: 6, Lines: 3}, part.Opening)
	assert.Equal(t, []site.Section{
		{ID: "first", Title: "First", Level: 2, Short: true, Words: 2},
		{ID: "below", Title: "Below", Level: 3, Short: true, Words: 5},
		{ID: "second", Title: "Second", Level: 2, Words: 3},
		{ID: "deeper", Title: "Deeper", Level: 3, Short: true, Words: 3},
	}, part.Sections)
	assert.Equal(t, 19, part.Words)
}

func TestTestsAndWhatWasTypedCanBeFound(t *testing.T) {
	edition, err := build.Compose(context.Background(), options(t, twoChapters+`
-- chapter.md --
# Loop

[loop.go](loop.go)

[it lives](testdata/life.scene)
-- testdata/life.scene --
# A life.
$ kubectl create \
    -f pod.yaml
pod/web created

$ kubectl get pod web
NAME   READY
web    1/1
`))
	require.NoError(t, err)
	page := "01-loop/index.html#testdata/life.scene"
	assert.Equal(t, []site.SearchEntry{
		{Kind: "kubectl", Title: "kubectl create -f pod.yaml", Href: page, Text: "pod/web created"},
		{Kind: "kubectl", Title: "kubectl get pod web", Href: page, Text: "NAME READY"},
	}, edition.Book.Chapters[0].Parts[0].Text[1:])
	assert.Equal(t, []site.SearchEntry{
		{Kind: "test", Title: "TestTurn", Href: "01-loop/loop_test.go.html#L5"},
	}, edition.Book.Chapters[0].Text)
}
