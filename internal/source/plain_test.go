package source_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/source"
)

func TestACarriageReturnIsNamedWithItsPlace(t *testing.T) {
	assert.NoError(t, source.PlainText("a.txt", []byte("one\ntwo\n")))
	assert.ErrorContains(t, source.PlainText("a.txt", []byte("one\ntwo\r\nthree\r\n")),
		"a.txt:2: this line has a carriage return: ")
}

func TestAByteThatIsNoCharacterIsNamedWithItsPlace(t *testing.T) {
	assert.NoError(t, source.PlainText("a.txt", []byte("\uFFFD is a character: 队列\n")))
	assert.EqualError(t, source.PlainText("a.txt", []byte("one\ntw\xf6\n")),
		"a.txt:2: the byte 0xf6 on this line is no UTF-8: save the file as UTF-8")
}
