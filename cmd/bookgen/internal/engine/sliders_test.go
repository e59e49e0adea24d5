package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASiteWithSlidersHasAFormBelowTheirFigures(t *testing.T) {
	files := map[string][]byte{
		"03-third/index.html": []byte(`<html><head></head><figure class=drawing id=a data-slider=four-ways><div>svg</div><figcaption>c</figcaption></figure><figure class=drawing id=b><div></div></figure></html>`),
		"index.html":          []byte("<head></head>none"),
	}
	s := Sliders{"chapter03": {Name: "chapter03-1.wasm", Raw: 3, Gzip: []byte("gz"), Brotli: []byte("b")}}
	require.NoError(t, s.AddTo(files))
	page := string(files["03-third/index.html"])
	assert.Regexp(t, `<div>svg</div><form class=slider data-slider=four-ways data-module=chapter03 .*</form><figcaption>c`, page)
	assert.Contains(t, page, "<script defer src=../assets/slider-begin.js></script>\n</head>")
	assert.Contains(t, page, `<figure class=drawing id=b><div></div></figure>`)
	assert.Equal(t, "<head></head>none", string(files["index.html"]))
	assert.Equal(t, "gz", string(files["assets/chapter03-1.wasm.gz"]))
	assert.Contains(t, string(files["assets/slider.js"]), `const sliders = {"chapter03":{"brotli":1,"gzip":2,"name":"chapter03-1.wasm","raw":3}};`)

	files["x.html"] = []byte(`<figure class=drawing id=a data-slider=five-ways></figure>`)
	assert.ErrorContains(t, s.AddTo(files), `x.html: there is no slider "five-ways"`)
}
