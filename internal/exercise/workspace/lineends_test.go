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
	r.start("1.1")
	stub := r.read(planGo)
	compared := func(text string) (done Tested) {
		r.write(planGo, strings.ReplaceAll(text, "\n", "\r\n"))
		require.NoError(t, r.do(t.Context(), func(s *session) (err error) {
			if done.Exercise, err = s.exercise("1.1"); err != nil {
				return err
			}
			return s.compare(&done)
		}))
		return done
	}
	assert.False(t, compared(book).Own)
	assert.True(t, compared(stub).Own)
	assert.Equal(t, []string{"plan"}, compared(stub).Empty)
}
