package openapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/apiserver/openapi"
)

// served is one handler for all tests: it makes its documents once.
var served = sync.OnceValue(func() http.Handler { return openapi.Handler(kinds.All()) })

func ask(h http.Handler, method, url string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, url, nil)
	r.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// addresses returns those of the documents, by group and version.
func addresses(t *testing.T, h http.Handler) map[string]string {
	t.Helper()
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	w := ask(h, http.MethodGet, "/openapi/v3")
	require.Equal(t, http.StatusOK, w.Code)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &index))
	found := map[string]string{}
	for path, at := range index.Paths {
		found[path] = at.ServerRelativeURL
	}
	return found
}

func TestEachGroupAndVersionHasADocument(t *testing.T) {
	h := served()
	var paths []string
	for path, address := range addresses(t, h) {
		paths = append(paths, path)
		assert.True(t, strings.HasPrefix(address, "/openapi/v3/"+path+"?hash="), address)
		assert.Equal(t, http.StatusOK, ask(h, http.MethodGet, address).Code)
	}
	slices.Sort(paths)
	assert.Equal(t, []string{
		"api/v1", "apis/apps/v1", "apis/batch/v1", "apis/coordination.k8s.io/v1",
		"apis/discovery.k8s.io/v1", "apis/networking.k8s.io/v1", "apis/policy/v1",
		"apis/resource.k8s.io/v1", "apis/scheduling.k8s.io/v1", "apis/storage.k8s.io/v1",
	}, paths)
}

func TestADocumentMayBeKeptAsLongAsItsAddressIsTheSame(t *testing.T) {
	h := served()
	address := addresses(t, h)["apis/apps/v1"]
	w := ask(h, http.MethodGet, address)
	assert.Equal(t, "public, immutable", w.Header().Get("Cache-Control"))
	assert.Equal(t, address, addresses(t, openapi.Handler(kinds.All()))["apis/apps/v1"],
		"the same document has the same address in every run")
	old := ask(h, http.MethodGet, "/openapi/v3/apis/apps/v1?hash=OLD")
	assert.Equal(t, http.StatusMovedPermanently, old.Code)
	assert.Equal(t, address, old.Header().Get("Location"))
}

func TestWhatIsNotDescribedIsRefusedAsAStatus(t *testing.T) {
	h := served()
	for _, test := range []struct {
		method, path string
		code         int
	}{
		{http.MethodGet, "/openapi/v2/", 404},
		{http.MethodGet, "/openapi/v3/apis/autoscaling/v2", 404},
		{http.MethodGet, "/openapi/v3/", 404},
		{http.MethodGet, "/openapi", 404},
		{http.MethodPost, "/openapi/v3", 405},
	} {
		w := ask(h, test.method, test.path)
		assert.Equal(t, test.code, w.Code, test.path)
		var status metav1.Status
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &status))
		assert.EqualValues(t, test.code, status.Code)
	}
}

func TestADocumentIsNotGivenInAFormNobodyHas(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/openapi/v3/apis/apps/v1", nil)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	served().ServeHTTP(w, r)
	assert.Equal(t, http.StatusNotAcceptable, w.Code)
}
