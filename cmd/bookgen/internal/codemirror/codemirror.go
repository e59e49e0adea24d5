package codemirror

import (
	_ "embed"
	"slices"
)

//go:generate ./bundle.sh

var (
	//go:embed codemirror.min.js
	bundle []byte
	//go:embed code.js
	script []byte
	//go:embed LICENSE
	licence []byte
)

// AddTo adds the editor to the files of a site: assets/code.js, which a page loads
// when a reader asks for an editor, and the licences of what it is made of.
func AddTo(files map[string][]byte) {
	files["assets/code.js"] = slices.Concat(bundle, script)
	files["assets/codemirror-licence.txt"] = licence
}
