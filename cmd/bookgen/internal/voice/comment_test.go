package voice_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/voice"
)

func TestWhatIsCountedInComments(t *testing.T) {
	comments, err := voice.InComments(fstest.MapFS{
		"a/a.go": {Data: []byte(`// Copyright Nobody. Who copies this is copied.

// Package a is short. Where it ends, it ends.
package a

//go:generate Who

// b is what Somebody asked for. Who is told?
// (What
// comes first, comes "twice.") Whoever reads:
//
//	Who is this? Nobody knows
//
// Of two:
//
//   - Which one
//   - Where [b] is
func b() {
	// What for?
}

// C returns it.
func C() {}
`)},
		"a/b/b.go":        {Data: []byte("package b\n\nvar b int // Everybody's.\n")},
		"a/a_test.go":     {Data: []byte("// Who tests\npackage a\n")},
		"a/testdata/t.go": {Data: []byte("no Go")},
		"b/b.go":          {Data: []byte("// Package b: nobody's.\npackage b\n")},
	}, "a")
	require.NoError(t, err)
	var found []string
	for _, at := range comments.Found {
		found = append(found, at.Error())
	}
	assert.Equal(t, []string{
		"a/a.go:3: Where it ends, it ends.",
		"a/a.go:8: b is what Somebody asked for.",
		`a/a.go:8: (What comes first, comes "twice.")`,
		"a/a.go:8: Whoever reads:",
		"a/a.go:8: Where [b] is",
		"a/a.go:8: b is what Somebody asked for. Who is",
		"a/b/b.go:3: Everybody's.",
	}, found)
	comments.Found = nil
	assert.Equal(t, voice.Comments{Words: 38, Headless: 4, Nobodies: 3, Functions: 2, Are: 1}, comments)
}

func TestAFolderThatIsNotThereHasNoComments(t *testing.T) {
	comments, err := voice.InComments(fstest.MapFS{}, "internal")
	require.NoError(t, err)
	assert.Zero(t, comments)
}
