package apiserver_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/apiserver"
)

func TestPagesOfOtherSitesDoNotWrite(t *testing.T) {
	a := newAPI(t)
	for name, header := range map[string]http.Header{
		"a page that says so":      {"Sec-Fetch-Site": {"cross-site"}},
		"a page of an old browser": {"Origin": {"https://example.org"}},
	} {
		got := a.send(request{method: "POST", path: pods, body: aPod("evil"), header: header})
		assert.Equal(t, http.StatusForbidden, got.code, name)
		got.refusal()
	}
	assert.Equal(t, 404, a.get(pods+"/evil").code)
}

func TestNamesThatCanBePointedHereAreNotOurs(t *testing.T) {
	for host, want := range map[string]int{
		"127.0.0.1:8001": 200, "[::1]:8001": 200, "[::1]": 200, "localhost": 200,
		"localhost:8001": 200, "lab": 200, "lab.localhost:1": 200,
		"evil.example.org": 403, "evil.example.org:8001": 403, "127.0.0.1.evil.org": 403,
	} {
		open := newAPI(t)
		assert.Equal(t, want, under(t, open, host, ""), host)
	}
	guarded := newAPIWith(t, apiserver.Options{Token: "secret"})
	assert.Equal(t, 200, under(t, guarded, "lab.example.org", "Bearer secret"),
		"who knows the token may come by any name")
}

func under(t *testing.T, a *api, host, authorization string) int {
	got := a.send(request{method: "GET", path: pods, host: host,
		header: http.Header{"Authorization": {authorization}}})
	got.t = t
	return got.code
}
