package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAGoWorkThatDoesNotListTheBookIsLeft(t *testing.T) {
	above := t.TempDir()
	book, file := filepath.Join(above, "src", "book"), filepath.Join(above, "go.work")
	require.NoError(t, os.MkdirAll(book, 0o755))
	for text, left := range map[string]bool{
		"go 1.26\n\nuse ./other\n":                   true,
		"go 1.26\n\nuse (\n./other\n./src/book\n)\n": false,
		"go 1.26\n\nuse " + book + "\n":              false,
		"not for the go tool either":                 true,
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		want := ""
		if left {
			want = file
		}
		t.Setenv("GOWORK", "")
		assert.Equal(t, want, goWorkWithout(book), text)
		t.Setenv("GOWORK", "/some/other/go.work")
		assert.Empty(t, goWorkWithout(book), "the reader has set it")
	}
}

func TestTestSaysThatItLeavesAGoWork(t *testing.T) {
	t.Setenv("GOWORK", "") // and as it was, in the end
	newBook(t)
	require.NoError(t, os.WriteFile("../../go.work", []byte("go 1.26\n\nuse ./other\n"), 0o644))
	assert.Contains(t, ex(t, 0, "test", "--all"), "go.work does not list this module; Go runs with GOWORK=off\n")
	assert.Equal(t, "off", os.Getenv("GOWORK"), "for all that it starts")
	assert.NotContains(t, ex(t, 0, "test", "--all"), "go.work", "once is enough")
}
