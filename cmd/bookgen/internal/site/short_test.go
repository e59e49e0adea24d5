package site_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

// shortTurn returns what a page has for those who come to it by the short path.
func shortTurn(page []byte) string {
	_, turn, _ := strings.Cut(string(page), `<template id="short-turn">`)
	turn, _, _ = strings.Cut(turn, "</template>")
	return turn
}

func TestTheShortPathNamesItsSectionsAndNoOthers(t *testing.T) {
	short := string(render(t)["short.html"])
	assert.Contains(t, short, `<h2>The control loop <small>14 minutes</small></h2>`)
	assert.Contains(t, short, `About 12 minutes of text`)
	assert.Contains(t, short, `<h3><a href="01-control-loop/index.html?path=short#a-queue-of-keys">The loop</a></h3>`)
	assert.Contains(t, short, `<a href="01-control-loop/index.html?path=short#a-queue-of-keys">A queue of keys, not of events</a></li>`)
	assert.Contains(t, short, `<a href="01-control-loop/the-kubelet/index.html?path=short">How it opens</a>`)
	for _, other := range []string{"Waiting without spinning", "Deciding", "Loops in Kubernetes", "Deployment"} {
		assert.NotContains(t, short, other)
	}
}

func TestTheContentsAndTheShortPathLeadToEachOther(t *testing.T) {
	files := render(t)
	assert.Contains(t, string(files["contents.html"]), `<a href="contents.html" aria-current="page">All of it</a> <a href="short.html">Three hours</a>`)
	assert.Contains(t, string(files["short.html"]), `<a href="contents.html">All of it</a> <a href="short.html" aria-current="page">Three hours</a>`)
}

func TestOnTheShortPathAReaderTurnsFromMarkToMark(t *testing.T) {
	files := render(t)
	turn := func(page string) string { return shortTurn(files[page]) }
	first := turn("01-control-loop/index.html")
	assert.Contains(t, first, `<a rel="prev" href="../short.html"><small>Before, on the short path</small> The three-hour path</a>`)
	assert.Contains(t, first, `<a rel="next" href="../01-control-loop/the-kubelet/index.html?path=short"><small>Next, on the short path</small> 1.2 · The kubelet</a>`)
	second := turn("01-control-loop/the-kubelet/index.html")
	assert.Contains(t, second, `<a rel="prev" href="../../01-control-loop/index.html?path=short#a-queue-of-keys">`)
	assert.Contains(t, second, `<a rel="next" href="../../short.html">`)
	assert.Empty(t, turn("01-control-loop/in-kubernetes/index.html"), "the path does not come by")
}

func TestBothPathsEndAtThePageAfterTheLastChapter(t *testing.T) {
	book := sample.Book()
	book.Chapters = book.Chapters[:1]
	book.End = book.Beside[0]
	files, err := site.Render(book)
	require.NoError(t, err)
	last := files["01-control-loop/the-kubelet/index.html"]
	assert.Contains(t, shortTurn(last), `<a rel="next" href="../../how-to-read.html"><small>Next, on the short path</small> How to read this book</a>`)
	assert.Contains(t, string(last), `<a rel="next" href="../../how-to-read.html"><small>At the end</small> How to read this book</a>`)
}
