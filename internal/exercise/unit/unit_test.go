package unit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestADeclarationThatOthersWereCompiledAgainstIsSeenToChange(t *testing.T) {
	const book = "package p\n\nimport \"fmt\"\n\ntype T struct{ a int }\n\n// Add adds.\nfunc (t *T) Add(n int) int { return n }\n\n" +
		"func most[E any](all []E) E { return all[0] }\n\nfunc say() { fmt.Println() }\n\nconst (\n\tone = 1\n)\n\nconst (\n\ttwo = 2\n)\n"
	for name, c := range map[string]struct {
		text    string
		changed bool
	}{
		"the book's":            {book, false},
		"another body":          {"package p\n\ntype T struct{ a int }\n\nfunc (t *T) Add(n int) int { return 0 }\n\nfunc most[E any](all []E) E { return all[0] }\n\nfunc say() {}\n\nconst (\n\tone = 1\n)\n\nconst (\n\ttwo = 2\n)\n", false},
		"more":                  {book + "\nfunc helper() {}\n\ntype U int\n", false},
		"a signature":           {"package p\n\ntype T struct{ a int }\n\nfunc (t *T) Add(n int64) int { return 0 }\n\nfunc most[E any](all []E) E { return all[0] }\n\nfunc say() {}\n", true},
		"a field":               {"package p\n\ntype T struct{ a, b int }\n\nfunc (t *T) Add(n int) int { return 0 }\n\nfunc most[E any](all []E) E { return all[0] }\n\nfunc say() {}\n", true},
		"one is gone":           {"package p\n\ntype T struct{ a int }\n\nfunc (t *T) Add(n int) int { return 0 }\n\nfunc most[E any](all []E) E { return all[0] }\n", true},
		"a body with type list": {"package p\n\ntype T struct{ a int }\n\nfunc (t *T) Add(n int) int { return 0 }\n\nfunc most[E any](all []E) E { return all[1] }\n\nfunc say() {}\n", true},
		"one constant of two":   {strings.Replace(book, "one = 1", "one = 11", 1), true},
		"no Go":                 {"package p\n\nfunc {", false}, // the compiler says it
	} {
		t.Run(name, func(t *testing.T) {
			u := &Unit{Package: Package{Files: []string{"p.go"}}, Texts: map[string]string{"p.go": book}}
			changed, err := u.changed(func(string) ([]byte, error) { return []byte(c.text), nil })
			require.NoError(t, err)
			assert.Equal(t, c.changed, changed)
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
