package voice_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/voice"
)

func of(t *testing.T, text string) voice.Voice {
	t.Helper()
	doc, err := book.Parse("x.md", []byte(text), 1)
	require.NoError(t, err)
	var v voice.Voice
	v.Add(doc)
	return v
}

func TestWordsAreCounted(t *testing.T) {
	assert.Equal(t, voice.Voice{Words: 29, Signs: [6]int{4, 2, 1, 5, 2, 5}}, of(t,
		`It's ours; nobody's. It doesn't matter what says "it is": its ones do, and not that one.

- Nothing, none and `+"`it`"+`; nothing's whatever you'll note.
- I can't, it seems.
`))
}

func TestOnlyProseIsCounted(t *testing.T) {
	v := of(t, "# It is a title\n\nOne [link](a.go#A) here.\n\n[it is woven](b.go)\n\n"+
		"| It | one |\n|-|-|\n| not | what |\n\n```go\nIt: what; nothing\n```\n\nWhat?[^n]\n:   Not we.\n\n[^n]: It does.\n")
	assert.Equal(t, voice.Voice{Words: 8, Signs: [6]int{1, 1, 1, 1, 0, 0}}, v)
}

func TestTheTableIsPerThousandWords(t *testing.T) {
	var out strings.Builder
	v := of(t, strings.Repeat("We don't. ", 10))
	v.Name = "a"
	require.NoError(t, voice.Write(&out, []voice.Voice{v, {Name: "b"}}))
	assert.Regexp(t, `^ *per 1,000 words +a +b\n +it +0\.0 +0\.0\n`, out.String())
	assert.Regexp(t, `contractions +500\.0 +0\.0\n +words +20 +0\n$`, out.String())
}
