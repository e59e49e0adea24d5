package workspace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLineEndsMakeNoAnswerOnesOwn(t *testing.T) {
	r := newReader(t)
	book := r.read(planGo)
	r.start("1b")
	stub := r.read(planGo)
	compared := func(text string) Tested {
		r.write(planGo, strings.ReplaceAll(text, "\n", "\r\n"))
		a := attempt{}
		require.NoError(t, r.do(t.Context(), func(s *session) error { return a.prepare(s, "1b", false) }))
		return a.Tested
	}
	assert.False(t, compared(book).Own)
	assert.True(t, compared(stub).Own)
	assert.Equal(t, []string{"plan"}, compared(stub).Empty)
}
