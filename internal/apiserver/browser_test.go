package apiserver_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
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
