package site_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatARoomTypesIsOnASlide(t *testing.T) {
	page := string(render(t)["teach/hour/slides.html"])
	at := strings.Index(page, "lab kubectl get pods")
	require.Positive(t, at, "the listing in what there is to say of an item")
	slide := page[strings.LastIndex(page[:at], "<section"):at]
	assert.Contains(t, slide, `data-kind="code"`)
	assert.Contains(t, slide, "<h3>Questions in pairs</h3>")
	assert.Contains(t, slide, "--lines:2;--columns:39", "without markup, and as it is typed")
	assert.Contains(t, page[at:], `<div class="asked"><p>Which of them has the queue?</p></div>`, "so is a question, behind it")
	assert.Regexp(t, regexp.MustCompile(`(?s)data-kind="work".*<section.*lab kubectl get pods`), page, "behind the slide with the title")
}
