package apiserver

import (
	"io"
	"net/http"
)

// health answers that all is well: a server over memory that can answer is
// healthy.
func health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, "ok")
}
