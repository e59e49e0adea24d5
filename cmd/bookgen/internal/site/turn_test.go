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

func TestTheComparisonStandsBesideTheWay(t *testing.T) {
	files := render(t)
	const link = `in-kubernetes/index.html"><small>Compared</small> Loops in Kubernetes</a>`
	assert.NotContains(t, string(files["01-control-loop/index.html"]), link)
	assert.Contains(t, string(files["01-control-loop/the-kubelet/index.html"]), link, "the last part names it")
	compared := string(files["01-control-loop/in-kubernetes/index.html"])
	assert.Contains(t, compared, `<small>Before</small> 1.2 · The kubelet</a>`)
	assert.Contains(t, compared, `<small>Next, not yet written</small> 2 · Deployment</span>`)
}

func TestWhatGoesUnderneathStandsBesideTheWayAsAGroup(t *testing.T) {
	book := sample.Book()
	first := book.Chapters[0]
	for _, name := range []string{"files", "logs"} {
		first.Parts = append(first.Parts, &site.Part{Slug: first.Slug + "/" + name, Beneath: true, Page: "1", Title: name})
	}
	files, err := site.Render(book)
	require.NoError(t, err)
	turns := func(page string) string { return string(files["01-control-loop/"+page+"/index.html"]) }
	assert.Contains(t, turns("the-kubelet"), `<small>Next, not yet written</small> 2 · Deployment</span>`)
	assert.Contains(t, turns("files"), `<small>Before</small> 1.2 · The kubelet</a>`)
	assert.Contains(t, turns("files"), `<small>Next</small> 1 · logs</a>`)
	assert.Contains(t, turns("logs"), `<small>Before</small> 1 · files</a>`)
	assert.Contains(t, turns("logs"), `<small>Next, not yet written</small> 2 · Deployment</span>`)
}

func TestAPageSaysWhichPartOfItsChapterItIs(t *testing.T) {
	second := string(render(t)["01-control-loop/the-kubelet/index.html"])
	assert.Contains(t, second, "<span>1.2 · The kubelet</span>")
	assert.Contains(t, second, "<title>1.2 · The kubelet · Reconcile</title>")
	assert.Contains(t, second, `<h1>The kubelet</h1>`)
	assert.Contains(t, second, `<a href="../../01-control-loop/the-kubelet/index.html" aria-current="page">The kubelet</a>`)
	assert.Contains(t, second, `<li class="compared"><a href="../../01-control-loop/in-kubernetes/index.html">Loops in Kubernetes</a>`)
}

func TestTheContentsNameThePartsWithTheirSections(t *testing.T) {
	contents := string(render(t)["contents.html"])
	assert.Contains(t, contents, `<h3><a href="01-control-loop/the-kubelet/index.html">1.2 · The kubelet</a></h3>`)
	assert.Contains(t, contents, `<h3><a href="01-control-loop/in-kubernetes/index.html">Loops in Kubernetes</a></h3>`)
	assert.Contains(t, contents, `<a href="01-control-loop/the-kubelet/index.html#on-a-node">On a node</a>`)
}
