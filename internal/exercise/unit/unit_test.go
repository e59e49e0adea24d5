package unit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatOthersWereCompiledAgainstIsNotChanged(t *testing.T) {
	const book = "package p\n\nimport \"fmt\"\n\ntype T struct{ a int }\n\n// Add adds.\nfunc (t *T) Add(n int) int { return n }\n\n" +
		"func most[E any](all []E) E { return all[0] }\n\nfunc say() { fmt.Println() }\n"
	for name, c := range map[string]struct{ text, says string }{
		"the book's":            {book, ""},
		"another body":          {"package p\n\ntype T struct{ a int }\n\nfunc (t *T) Add(n int) int { return 0 }\n\nfunc most[E any](all []E) E { return all[0] }\n\nfunc say() {}\n", ""},
		"more":                  {book + "\nfunc helper() {}\n\ntype U int\n", ""},
		"a signature":           {"package p\n\ntype T struct{ a int }\n\nfunc (t *T) Add(n int64) int { return 0 }\n\nfunc most[E any](all []E) E { return all[0] }\n\nfunc say() {}\n", "*T.Add"},
		"a field":               {"package p\n\ntype T struct{ a, b int }\n\nfunc (t *T) Add(n int) int { return 0 }\n\nfunc most[E any](all []E) E { return all[0] }\n\nfunc say() {}\n", "type T struct{ a int }"},
		"one is gone":           {"package p\n\ntype T struct{ a int }\n\nfunc (t *T) Add(n int) int { return 0 }\n\nfunc most[E any](all []E) E { return all[0] }\n", "say"},
		"a body with type list": {"package p\n\ntype T struct{ a int }\n\nfunc (t *T) Add(n int) int { return 0 }\n\nfunc most[E any](all []E) E { return all[1] }\n\nfunc say() {}\n", "most"},
		"no Go":                 {"package p\n\nfunc {", ""}, // the compiler says it
	} {
		t.Run(name, func(t *testing.T) {
			u := &Unit{Files: []string{"p.go"}, Texts: map[string]string{"p.go": book}}
			said, err := u.changed(func(string) ([]byte, error) { return []byte(c.text), nil })
			require.NoError(t, err)
			if c.says == "" {
				assert.Empty(t, said)
				return
			}
			assert.Contains(t, said, c.says+": the tests have been compiled with another declaration")
		})
	}
}

func TestAnArchivePassesForAnother(t *testing.T) {
	archive := []byte("12345678 \x00go120ld12345678 …")
	mark, err := Fingerprint(archive)
	require.NoError(t, err)
	assert.Equal(t, "12345678", string(mark))
	passes, err := passFor(archive, []byte("abcdefgh"))
	require.NoError(t, err)
	assert.Equal(t, "abcdefgh \x00go120ldabcdefgh …", string(passes))
	_, err = Fingerprint([]byte("!<arch>"))
	assert.ErrorContains(t, err, "another format")
}
