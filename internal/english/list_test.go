package english_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/english"
)

func TestAListReadsAsInASentence(t *testing.T) {
	assert.Empty(t, english.List(nil))
	assert.Equal(t, "a", english.List([]string{"a"}))
	assert.Equal(t, "a and b", english.List([]string{"a", "b"}))
	assert.Equal(t, "a, b and c", english.List([]string{"a", "b", "c"}))
}
