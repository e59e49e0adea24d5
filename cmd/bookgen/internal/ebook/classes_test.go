package ebook_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	given   = regexp.MustCompile(`node\.Class\("([^"]*)"`)
	styled  = regexp.MustCompile(`\.([a-z][a-z0-9-]*)`)
	unlike  = "illustration"                                                                            // is code, but for its caption
	unbound = "answered ask exercises head illustration num outline question scene signature to-answer" // a device shows them like what they are in
)

// matches returns what a pattern finds in files, word by word.
func matches(t *testing.T, pattern *regexp.Regexp, globs ...string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, glob := range globs {
		files, err := filepath.Glob(glob)
		require.NoError(t, err)
		require.NotEmpty(t, files, glob)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, match := range pattern.FindAllStringSubmatch(string(text), -1) {
				for word := range strings.FieldsSeq(match[1]) {
					found[word] = true
				}
			}
		}
	}
	return found
}

// A kind of block that is new has to look like something, on the site and in an e-book.
func TestWhatATextIsMadeOfHasAStyleHereAndThere(t *testing.T) {
	onSite, inBook := matches(t, styled, "../site/styles/*.css"), matches(t, styled, "style.css")
	for class := range matches(t, given, "../prose/*.go", "../weave/*.go") {
		assert.True(t, onSite[class] || strings.Contains(" "+unlike+" ", " "+class+" "), "no style sheet of the site has .%s", class)
		assert.True(t, inBook[class] || strings.Contains(" "+unbound+" ", " "+class+" "), "ebook/style.css doesn't have .%s", class)
	}
}
