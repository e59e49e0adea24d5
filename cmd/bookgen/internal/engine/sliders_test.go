package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASiteWithSlidersHasTheirForms(t *testing.T) {
	files := map[string][]byte{"03-third/index.html": []byte("page"), "assets/book.js": []byte("const load = 1;\n")}
	s := Sliders{&Module{Name: "sliders-1.wasm", Raw: 3, Gzip: []byte("gz"), Brotli: []byte("b")}}
	require.NoError(t, s.AddTo(files))
	assert.Equal(t, "page", string(files["03-third/index.html"]), "no page is another")
	assert.Regexp(t, `^const load = 1;\n(?s).*slider-forms\.js`, string(files["assets/book.js"]))
	assert.Regexp(t, `^const sliderForms = \{.*"four-ways":.*form class=slider`, string(files["assets/slider-forms.js"]))
	assert.Equal(t, "gz", string(files["assets/sliders-1.wasm.gz"]))
	assert.Contains(t, string(files["assets/slider.js"]), `const sliders = {"name":"sliders-1.wasm","raw":3,"gzip":2,"brotli":1};`)
}
