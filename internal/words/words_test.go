package words_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/words"
)

func TestAListReadsAsInASentence(t *testing.T) {
	assert.Empty(t, words.List(nil))
	assert.Equal(t, "a", words.List([]string{"a"}))
	assert.Equal(t, "a and b", words.List([]string{"a", "b"}))
	assert.Equal(t, "a, b and c", words.List([]string{"a", "b", "c"}))
}
