package httpserve

import (
	"net/http"
	"path"
	"strings"
)

// Packed says of a file that was packed for a page what it is, for whatever serves it
// next: its name tells no type, and one in a zip can't be looked into first. Brotli is
// unpacked by the browsers that know it, which is all of them except over plain HTTP.
func Packed(w http.ResponseWriter, r *http.Request) {
	kind := path.Ext(r.URL.Path)
	if kind == ".gz" || kind == ".br" {
		w.Header().Set("Content-Type", "application/wasm")
	}
	if kind == ".br" && strings.Contains(r.Header.Get("Accept-Encoding"), "br") {
		w.Header().Set("Content-Encoding", "br")
	}
}
