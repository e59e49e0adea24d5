package gowork_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/gowork"
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
		t.Setenv("GOWORK", "")
		var said strings.Builder
		gowork.Leave(book, "lab", &said)
		if left {
			assert.Equal(t, "off", os.Getenv("GOWORK"), text)
			assert.Equal(t, "lab: "+file+" does not list this module; Go runs with GOWORK=off\n", said.String())
		} else {
			assert.Empty(t, os.Getenv("GOWORK")+said.String(), text)
		}
		t.Setenv("GOWORK", "/some/other/go.work")
		gowork.Leave(book, "lab", &said)
		assert.Equal(t, "/some/other/go.work", os.Getenv("GOWORK"), "the reader has set it")
	}
}
