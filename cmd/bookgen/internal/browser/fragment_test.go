package browser

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/engine"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

// sampleWithPrompts serves the sample with all that a page of a live site runs but the
// engine itself.
func sampleWithPrompts(t *testing.T) place {
	t.Helper()
	files, err := site.Render(sample.Book())
	require.NoError(t, err)
	require.NoError(t, (&engine.Module{}).AddTo(files, filepath.Join(root, "chapters")))
	dir := filepath.Join(t.TempDir(), "live")
	require.NoError(t, write(dir, files))
	return serve(t, dir)
}

// Anybody can pass on an address with a percent sign in it that encodes nothing.
func TestAStrayPercentSignInAFragmentStopsNoScript(t *testing.T) {
	t.Parallel()
	browserContext(t)
	still, live := sampleSite(t), sampleWithPrompts(t)
	const searches = `!!document.getElementById("find")`
	for name, page := range map[string]struct{ url, works string }{
		"page":       {still.url + "01-control-loop/index.html", searches},
		"folder":     {still.file() + "01-control-loop/index.html", searches},
		"short path": {still.url + "01-control-loop/index.html?path=short", searches + ` && !!document.querySelector("p.path")`},
		"slides":     {still.url + "teach/hour/slides.html", `document.querySelector(".slide.now")?.id === "1"`},
		"live page":  {live.url + "01-control-loop/index.html", searches + ` && !!document.querySelector(".live")`},
		"live link":  {live.url + "01-control-loop/index.html", searches + ` && typeof fromLink === "function"`},
	} {
		for _, fragment := range []string{"#100%", "#a%", "#%E0%A4%A"} {
			t.Run(name+fragment, func(t *testing.T) {
				if name == "live link" {
					fragment += "~kubectl%20get%20pods"
				}
				tb := newTab(t, 1440)
				tb.open(page.url + fragment)
				console, _ := tb.said()
				require.Empty(t, console)
				tb.wait(page.works)
				assert.True(t, ask[bool](tb, `typeof fromLink === "undefined" || (fromLink(), true)`), "what a live page does with its address")
				console, _ = tb.said()
				assert.Empty(t, console)
			})
		}
	}
}
