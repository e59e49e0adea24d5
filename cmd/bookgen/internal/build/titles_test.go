package build_test

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var ofWindow = regexp.MustCompile(`<title>(.*) · Reconcile</title>`)

// TestTitlesSayWhatAPageIsAbout reads the book's own pages as who comes from outside
// does: by their titles in a list of results, which are cut off after some 80 signs.
func TestTitlesSayWhatAPageIsAbout(t *testing.T) {
	pages, err := filepath.Glob("../../../../site/0*/index.html")
	require.NoError(t, err)
	parts, err := filepath.Glob("../../../../site/0*/*/index.html")
	require.NoError(t, err)
	seen := map[string]string{}
	for _, page := range append(pages, parts...) {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		found := ofWindow.FindSubmatch(content)
		require.NotNil(t, found, page)
		title := html.UnescapeString(string(found[1]))
		assert.Contains(t, title, "Kubernetes", page)
		assert.LessOrEqual(t, utf8.RuneCountInString(title), 80, title)
		assert.Empty(t, seen[title], "two pages are called %q", title)
		seen[title] = page
	}
	assert.Greater(t, len(seen), 40)
}
