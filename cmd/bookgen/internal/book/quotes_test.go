package book_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/book"
)

func TestQuotesAndApostrophesAreCurved(t *testing.T) {
	for straight, curved := range map[string]string{
		"Ours and Kubernetes'":    "Ours and Kubernetes’",
		"The store's own":         "The store’s own",
		`What "there" means`:      "What “there” means",
		`("it" and 'its')`:        "(“it” and ‘its’)",
		"Kubernetes' and others'": "Kubernetes’ and others’",
	} {
		assert.Equal(t, curved, book.Typographic(straight))
		doc, err := book.Parse("x.md", []byte("## "+straight+"\n\n| "+straight+" | `'` |\n|-|-|\n| a | b |\n"), 1)
		require.NoError(t, err)
		assert.Equal(t, curved, doc.Headings[0].Title)
		assert.Contains(t, doc.Text(doc.Root), curved+"'", "in the head of a table, with code left alone")
	}
}

func TestCurvingAQuoteKeepsTheLineBreakBehindIt(t *testing.T) {
	doc, err := book.Parse("x.md", []byte("Kubernetes' own\nand others'\nwords, \\'so\\'.\n"), 1)
	require.NoError(t, err)
	assert.Equal(t, `Kubernetes’ own and others’ words, \'so\'.`, doc.Text(doc.Root))
}
