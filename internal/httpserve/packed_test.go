package httpserve_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/httpserve"
)

func TestWhatIsPackedIsServedFromAZip(t *testing.T) {
	var text bytes.Buffer
	made := zip.NewWriter(&text)
	for _, name := range []string{"lab.wasm.gz", "lab.wasm.br"} {
		file, err := made.Create(name)
		require.NoError(t, err)
		_, err = file.Write([]byte("packed"))
		require.NoError(t, err)
	}
	require.NoError(t, made.Close())
	files, err := zip.NewReader(bytes.NewReader(text.Bytes()), int64(text.Len()))
	require.NoError(t, err)
	for _, c := range []struct{ name, accepts, encoding string }{
		{"lab.wasm.gz", "gzip, br", ""}, {"lab.wasm.br", "gzip, br", "br"}, {"lab.wasm.br", "gzip", ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/"+c.name, nil)
		r.Header.Set("Accept-Encoding", c.accepts)
		w := httptest.NewRecorder()
		httpserve.Packed(w, r)
		http.FileServerFS(files).ServeHTTP(w, r)
		assert.Equal(t, 200, w.Code, c)
		assert.Equal(t, "packed", w.Body.String(), c)
		assert.Equal(t, "application/wasm", w.Header().Get("Content-Type"), c)
		assert.Equal(t, c.encoding, w.Header().Get("Content-Encoding"), c)
	}
}
