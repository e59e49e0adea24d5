package browser

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// held serves the sample book like a slow network: files whose path ends like
// that wait until they are released.
func held(t *testing.T, ending string) (p place, release func()) {
	t.Helper()
	dir, err := renderSample()
	require.NoError(t, err)
	gate := make(chan struct{})
	release = sync.OnceFunc(func() { close(gate) })
	t.Cleanup(release)
	files := http.FileServer(http.Dir(filepath.FromSlash(dir)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ending) {
			select {
			case <-gate:
			case <-r.Context().Done():
			}
		}
		files.ServeHTTP(w, r)
	}))
	atTheEnd(server.Close)
	return place{dir: dir, url: server.URL + "/"}, release
}
