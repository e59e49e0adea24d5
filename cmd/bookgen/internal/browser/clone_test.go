package browser

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

// cloned writes the sample book as a clone of it has it, with two of its files.
func cloned(t *testing.T) place {
	t.Helper()
	carried, err := new(site.Memory).RenderClone(sample.Book())
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, write(filepath.Join(dir, "site"), carried))
	require.NoError(t, write(filepath.Join(dir, "chapters", "01-control-loop"), map[string][]byte{
		"queue.go": []byte("package controlloop\n"), "naive_test.go": []byte("package controlloop_test\n"),
	}))
	return place{dir: filepath.Join(dir, "site")}
}

func TestACloneOpenedFromDiskLeadsToItsFiles(t *testing.T) {
	t.Parallel()
	p := cloned(t)
	tb := newTab(t, 1440)
	tb.open(p.file() + "01-control-loop/index.html")
	tb.do(chromedp.Click(chromedp.CSS(`.body a[href*="chapters/01-control-loop/queue.go"]`)))
	tb.wait(`location.pathname.endsWith("/chapters/01-control-loop/queue.go") && document.body.textContent.includes("package controlloop")`)

	tb.open(p.file() + "01-control-loop/in-kubernetes/index.html")
	tb.search("TestPlanCreates")
	tb.wait(`document.querySelector(".results strong")?.textContent === "TestPlanCreatesWhatIsMissing"`)
	tb.press(enter)
	tb.wait(`location.pathname.endsWith("/chapters/01-control-loop/naive_test.go") && document.body.textContent.includes("controlloop_test")`)
}
