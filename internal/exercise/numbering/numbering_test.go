package numbering_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/exercise/numbering"
)

func TestNumbersAreSortedByChapterAndThenByLetter(t *testing.T) {
	all := []string{"10a", "2b", "1o", "2a", "1a"}
	slices.SortFunc(all, numbering.Compare)
	assert.Equal(t, []string{"1a", "1o", "2a", "2b", "10a"}, all)
	assert.Zero(t, numbering.Compare("2b", "2b"))
	assert.Equal(t, 10, numbering.Chapter("10a"))
	assert.Zero(t, numbering.Chapter("1.4"), "a page")
	assert.True(t, numbering.Is("1o"))
	assert.False(t, numbering.Is("1.14"))
}
