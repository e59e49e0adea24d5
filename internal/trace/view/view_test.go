package view_test

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/trace/view"
)

func TestEachScriptIsJoinedOnce(t *testing.T) {
	joined := string(view.Script())
	names, err := fs.Glob(view.Files, "scripts/*.js")
	require.NoError(t, err)
	for _, name := range names {
		text, err := view.Files.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(joined, string(text)), "%s has to be among view's parts", name)
	}
	assert.Regexp(t, `^const lookView = \(\(\) => \{\n`, joined)
}

// files returns all that the lab's page consists of.
func files() map[string][]byte {
	return map[string][]byte{
		"look.js": view.Script(), "look.css": view.Style(), "page.html": view.Page(),
		"page.js": view.PageScript(), "page.css": view.PageStyle(),
	}
}

// What the policy forbids in a page, and what makes code of text.
var forbidden = map[string]*regexp.Regexp{
	"page.html": regexp.MustCompile(`<style|<script>|<script [^>]*>[^<]|\sstyle=|\son\w+=|javascript:`),
	".js":       regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\("(style|on)|javascript:|createElement\("(style|script)`),
	".css":      regexp.MustCompile(`url\(|@import`),
}

func TestThePageDoesNothingThatItsPolicyForbids(t *testing.T) {
	for name, text := range files() {
		not := forbidden[name]
		if not == nil {
			not = forbidden[path.Ext(name)]
		}
		assert.Empty(t, not.FindAllString(string(text), -1), name)
	}
	assert.Contains(t, view.Policy, "default-src 'self';")
	for _, link := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(string(view.Page()), -1) {
		if link[1] != "data:," { // of the icon, which is an image
			assert.Contains(t, files(), link[1])
		}
	}
}

var address = regexp.MustCompile(`(?:https?:)?//[\w.-]+\.[a-z]{2,}|@import|url\(`)

// svg is a name, and nobody asks for it.
const svg = "http://www.w3.org/2000/svg"

func TestNothingIsLoadedFromElsewhere(t *testing.T) {
	for name, text := range files() {
		for _, found := range address.FindAllString(strings.ReplaceAll(string(text), svg, ""), -1) {
			t.Errorf("%s asks for %s", name, found)
		}
	}
	assert.Regexp(t, `src="look\.js"`, string(view.Page()))
	assert.Regexp(t, `href="look\.css"`, string(view.Page()))
}

// The bounds are what the view had when it was made, and a tenth.
func TestTheViewStaysSmall(t *testing.T) {
	assert.LessOrEqual(t, len(view.Script()), 81_000, "bytes of look.js, as it's written")
	assert.LessOrEqual(t, len(view.Style()), 18_000, "bytes of look.css, as it's written")
	lines := 0
	for _, text := range files() {
		lines += strings.Count(string(text), "\n")
	}
	assert.LessOrEqual(t, lines, 1750, "lines of script and style")
}
