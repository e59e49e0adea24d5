package source_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/source"
)

func TestACarriageReturnIsNamedWithItsPlace(t *testing.T) {
	assert.NoError(t, source.OneByteNewlines("a.txt", []byte("one\ntwo\n")))
	assert.ErrorContains(t, source.OneByteNewlines("a.txt", []byte("one\ntwo\r\nthree\r\n")),
		"a.txt:2: this line has a carriage return: ")
}
