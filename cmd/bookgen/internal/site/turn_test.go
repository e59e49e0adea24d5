package site_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

func TestAReaderTurnsFromPartToPart(t *testing.T) {
	files := render(t)
	first, second := string(files["01-control-loop/index.html"]), string(files["01-control-loop/the-kubelet/index.html"])
	assert.Contains(t, first, `<a rel="prev" href="../index.html"><small>Before</small> The front page</a>`)
	assert.Contains(t, first, `<a rel="next" href="../01-control-loop/the-kubelet/index.html"><small>Next</small> 1.2 · The kubelet</a>`)
	assert.Contains(t, second, `<a rel="prev" href="../../01-control-loop/index.html"><small>Before</small> 1.1 · The loop</a>`)
	assert.Contains(t, second, `<span class="unwritten"><small>Next, not yet written</small> 2 · Deployment</span>`)
	assert.Contains(t, second, `<link rel="prev" href="../../01-control-loop/index.html">`)
}

func TestTheLastPageLeadsToTheContents(t *testing.T) {
	book := sample.Book()
	book.Chapters = book.Chapters[:1]
	files, err := site.Render(book)
	require.NoError(t, err)
	assert.Contains(t, string(files["01-control-loop/the-kubelet/index.html"]), `<a rel="next" href="../../contents.html"><small>At the end</small> The contents</a>`)
}

func TestTheAnnexStandsBesideTheWay(t *testing.T) {
	files := render(t)
	const link = `annex/index.html"><small>Annex</small> What the texts say</a>`
	assert.NotContains(t, string(files["01-control-loop/index.html"]), link)
	assert.Contains(t, string(files["01-control-loop/the-kubelet/index.html"]), link, "the last part names it")
	annex := string(files["01-control-loop/annex/index.html"])
	assert.Contains(t, annex, `<small>Before</small> 1.2 · The kubelet</a>`)
	assert.Contains(t, annex, `<small>Next, not yet written</small> 2 · Deployment</span>`)
}

func TestTheLastPartNamesEveryAnnex(t *testing.T) {
	book := sample.Book()
	loop := book.Chapters[0]
	more := *loop.Parts[len(loop.Parts)-1]
	more.Slug, more.Title = loop.Slug+"/annex-kubelet", "The rest"
	loop.Parts = append(loop.Parts, &more)
	files, err := site.Render(book)
	require.NoError(t, err)
	last := string(files["01-control-loop/the-kubelet/index.html"])
	assert.Contains(t, last, `annex/index.html"><small>Annex</small> What the texts say</a>`)
	assert.Contains(t, last, `annex-kubelet/index.html"><small>Annex</small> The rest</a>`)
	assert.Contains(t, string(files["01-control-loop/annex-kubelet/index.html"]), `<small>Before</small> 1.2 · The kubelet</a>`)
}

func TestAPageSaysWhichPartOfItsChapterItIs(t *testing.T) {
	second := string(render(t)["01-control-loop/the-kubelet/index.html"])
	assert.Contains(t, second, "<span>1.2 · The kubelet</span>")
	assert.Contains(t, second, "<title>1.2 · The kubelet · Reconcile</title>")
	assert.Contains(t, second, `<h1>The kubelet <small class="term">a node’s agent</small></h1>`)
	assert.Contains(t, second, `<a href="../../01-control-loop/the-kubelet/index.html" title="a node’s agent" aria-current="page">The kubelet</a>`)
	assert.Contains(t, second, `<a href="../../01-control-loop/annex/index.html">Annex: What the texts say</a>`)
}

func TestTheContentsNameThePartsWithTheirSections(t *testing.T) {
	contents := string(render(t)["contents.html"])
	assert.Contains(t, contents, `<h3><a href="01-control-loop/the-kubelet/index.html">The kubelet</a> <small>a node’s agent</small></h3>`)
	assert.Contains(t, contents, `<a href="01-control-loop/the-kubelet/index.html#on-a-node">On a node</a>`)
}

func TestTheTermOfASectionStandsBesideItsTitle(t *testing.T) {
	files := render(t)
	assert.Contains(t, string(files["01-control-loop/index.html"]), `<a href="#a-queue-of-keys" title="the work queue" data-path="short">A queue of keys, not of events</a>`)
	contents := string(files["contents.html"])
	assert.Contains(t, contents, `#a-queue-of-keys">A queue of keys, not of events</a> <small>the work queue</small>`)
	assert.Contains(t, contents, `#waiting">Waiting without spinning</a> <small>condition variables</small></li>`)
	assert.Contains(t, string(files["assets/search-data.js"]), `"Waiting without spinning","2 #waiting","condition variables\nA worker`)
}
