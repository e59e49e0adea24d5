package site

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheIndexIsInOrderWithoutRegardToCase(t *testing.T) {
	p := &page{Book: &Book{Symbols: []*Symbol{{Name: "store"}, {Name: "Queue.Add"}, {Name: "Queue"}, {Name: "sql.Step"}, {Name: "run"}, {Name: "Run"}}}}
	letters := p.Letters()
	require.Len(t, letters, 3)
	assert.Equal(t, "Q", letters[0].Name)
	assert.Equal(t, "Queue", letters[0].Exported[0].Name)
	assert.Equal(t, []string{"Run", "run"}, []string{letters[1].Exported[0].Name, letters[1].Others[0].Name})
	assert.Equal(t, []string{"sql.Step", "store"}, []string{letters[2].Exported[0].Name, letters[2].Others[0].Name})
}

func TestOtherPackagesMayUseWhatIsExportedAllTheWay(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		want       bool
	}{
		{"Queue", "type", true}, {"queue", "type", false}, {"sql.Parse", "func", true}, {"sql.parse", "func", false},
		{"Queue.Add", "method", true}, {"Queue.add", "method", false}, {"queue.Add", "method", false}, {"sql.Statement.Run", "method", true},
	} {
		assert.Equal(t, c.want, (&Symbol{Name: c.name, Kind: c.kind}).exported(), c.name)
	}
}

func TestALetterHasAsManyPagesAsItNeeds(t *testing.T) {
	b := &Book{}
	for i := range mostSymbols + 1 {
		b.Symbols = append(b.Symbols, &Symbol{Name: fmt.Sprintf("s%03d", i)})
	}
	b.Symbols = append(b.Symbols, &Symbol{Name: "Set"})
	all := letters(b)
	require.Len(t, all, 2)
	assert.Equal(t, []string{"S, 1 of 2", "S, 2 of 2"}, []string{all[0].Title(), all[1].Title()})
	assert.Equal(t, []string{"symbols/s.html", "symbols/s-2.html"}, []string{all[0].Path, all[1].Path})
	assert.Equal(t, "Set", all[0].Exported[0].Name, "what is exported comes first")
	assert.Len(t, all[1].Others, 2)
}

func TestTheSearchIndexHoldsEachSymbolOnce(t *testing.T) {
	b := &Book{
		Symbols:  []*Symbol{{Name: "Queue", Href: "01/index.html#q"}},
		Chapters: []*Chapter{{Parts: []*Part{{Text: []SearchEntry{{Kind: "section", Title: "队列", Href: "01/index.html#x"}}}}}},
	}
	entries := searchEntries(b)
	require.Len(t, entries, 2)
	assert.Equal(t, "队列", entries[0].Title)
	assert.Equal(t, "01/index.html#q", entries[1].Href)
}

func TestWhatIsToBeWrittenIsFoundWhereThatIsSaid(t *testing.T) {
	entries := searchEntries(&Book{Symbols: []*Symbol{
		{Name: "plan", Href: "01/index.html#plan", Statement: "01/on/index.html#exercise-1b"},
	}})
	require.Len(t, entries, 1)
	assert.Equal(t, "01/on/index.html#exercise-1b", entries[0].Href)
}
