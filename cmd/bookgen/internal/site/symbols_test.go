package site

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheIndexIsInOrderWithoutRegardToCase(t *testing.T) {
	p := &page{Book: &Book{Symbols: []*Symbol{{Name: "store"}, {Name: "Queue.Add"}, {Name: "Queue"}, {Name: "Step"}}}}
	letters := p.Letters()
	require.Len(t, letters, 2)
	assert.Equal(t, "Q", letters[0].Name)
	assert.Equal(t, "Queue", letters[0].Symbols[0].Name)
	assert.Equal(t, []string{"Step", "store"}, []string{letters[1].Symbols[0].Name, letters[1].Symbols[1].Name})
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
		{Name: "plan", Href: "01/index.html#plan", Statement: "01/on/index.html#exercise-1.1"},
	}})
	require.Len(t, entries, 1)
	assert.Equal(t, "01/on/index.html#exercise-1.1", entries[0].Href)
}
