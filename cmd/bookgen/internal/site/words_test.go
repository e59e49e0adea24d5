package site_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWordsStandInOrderWithTheirSentencePlaceAndNames(t *testing.T) {
	words := string(render(t)["words.html"])
	assert.Contains(t, words, `<div id="work-queue">
<dt>work queue <span lang="zh">工作队列，队列</span></dt>
<dd>A list of keys, of which each is handed out <em>once</em>.
<p class="where"><a href="01-control-loop/index.html#queue.go:Queue">1 · The loop</a> · <a href="01-control-loop/queue.go.html#L3"><code>Queue</code></a> · also <i>workqueue</i></p></dd>`)
	assert.Contains(t, words, `<p class="where"><a href="01-control-loop/index.html#deciding">1 · The loop</a></p>`, "no other name but in Chinese")
	assert.Less(t, strings.Index(words, `id="level"`), strings.Index(words, `id="work-queue"`))
}

func TestPagesBesideTheChaptersAreLinkedAndFound(t *testing.T) {
	files := render(t)
	assert.Contains(t, string(files["how-to-read.html"]), `<h1>How to read this book</h1>`)
	for page, href := range map[string]string{
		"index.html": "", "contents.html": "", "01-control-loop/index.html": "../", "01-control-loop/the-kubelet/index.html": "../../",
	} {
		assert.Contains(t, string(files[page]), `<a href="`+href+`how-to-read.html">How to read this book</a>`, page)
		assert.Contains(t, string(files[page]), `<a href="`+href+`words.html">Words</a>`, page)
	}
	assert.Contains(t, string(files["assets/search-data.js"]), `["section","Three ways","0 #three-ways","One of them is short."]`)
}
