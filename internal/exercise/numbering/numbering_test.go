package numbering_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/exercise/numbering"
)

func TestADottedNumberIsChapterAndLetter(t *testing.T) {
	for said, want := range map[string]string{
		"1.0": "1a", "1.4": "1e", "1.14": "1o", "2.1": "2a", "7.13": "7m", "7.17": "7q", "10.1": "10a",
		"1e": "1e", "1E": "1e",
		"2.0": "2.0", "1.26": "1.26", "2.01": "2.01", "1.4.1": "1.4.1", "1.99999999999999999999": "1.99999999999999999999",
		"": "", "e1": "e1", "1ee": "1ee", "no-disks": "no-disks",
	} {
		assert.Equal(t, want, numbering.Of(said), said)
	}
}

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
