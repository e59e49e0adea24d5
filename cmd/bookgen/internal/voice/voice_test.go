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
	return voice.Of(doc)
}

func TestWhatIsCounted(t *testing.T) {
	assert.Equal(t, voice.Voice{
		Words: 36, Sentences: 5, Contractions: 4, Speakers: 3, Nobodies: 2, Its: 2, Short: 3, Colons: 1, Semicolons: 1, Headless: 1, Paragraphs: 1,
	}, of(t, `It's ours; nobody's. It doesn't matter who says "it is": we do. Whoever asks (you'll see) gets an answer.

- I'm in a list, with the store's own `+"`It`"+` and a very long sentence.
- Our other one.
`))
}

func TestOnlyProseIsCounted(t *testing.T) {
	v := of(t, "# It is a title\n\nOne [link](a.go#A) here.\n\n[it is woven](b.go)\n\n| It | we |\n|-|-|\n| a; | b: |\n\n```go\nIt: we; I\n```\n\nWhy?[^n]\n:   We know.\n\n[^n]: I do.\n")
	assert.Equal(t, voice.Voice{Words: 8, Sentences: 4, Paragraphs: 1, LeadIns: 1, Short: 4, Speakers: 2}, v)
}

func TestWordsThatAreHadTooOftenAreCounted(t *testing.T) {
	v := of(t, strings.Repeat("and on ", 17)+"it goes. Look: those who looked came, and are gone.\n\nHere it is:\n\n[a](a.go#A)\n\n[run](a.txt)\n")
	assert.Equal(t, []int{2, 1, 3, 1}, []int{v.Looks, v.Headless, v.Moves, v.Long})
	assert.Equal(t, []int{2, 1}, []int{v.Paragraphs, v.LeadIns})
}

func TestASentenceEndsBeforeACapitalLetter(t *testing.T) {
	assert.Equal(t, 2, of(t, "It says e.g. this, i.e. that … and more. (Then it ends.)\n").Sentences)
}

func TestTheTableIsPerThousandWords(t *testing.T) {
	var out strings.Builder
	v := of(t, strings.Repeat("We don't. ", 10))
	require.NoError(t, voice.Write(&out, []voice.Row{{Name: "1", Voice: v}, {Name: "2", Voice: voice.Voice{}}}))
	assert.Contains(t, out.String(), "contractions  500.0  0.0")
	assert.Contains(t, out.String(), "sentences of 8 words or fewer  100 %  0 %")
}
