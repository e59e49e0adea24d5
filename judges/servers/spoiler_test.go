package servers

import (
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spoilerOf returns a spoiler in front of a server that counts what reaches it.
func spoilerOf(t *testing.T, share float64) (s *Spoiler, url string, arrived *atomic.Int64) {
	t.Helper()
	arrived = &atomic.Int64{}
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived.Add(1)
		_, _ = io.WriteString(w, "done")
	}))
	t.Cleanup(behind.Close)
	s = &Spoiler{dice: rand.New(rand.NewPCG(1, 1)), proxy: httputil.NewSingleHostReverseProxy(parsed(t, behind.URL))}
	s.Share(share)
	front := httptest.NewServer(s)
	t.Cleanup(front.Close)
	return s, front.URL, arrived
}

func parsed(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	return u
}

func TestRealRequestsAreSpoiledInThreeWays(t *testing.T) {
	s, url, arrived := spoilerOf(t, 1)
	post := func() (*http.Response, error) { return http.Post(url, "", strings.NewReader("a Pod")) }
	for _, code := range []int{500, 503} {
		answer, err := post()
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, code, answer.StatusCode)
	}
	assert.Zero(t, arrived.Load(), "neither arrived")
	_, err := post()
	require.Error(t, err, "the third is not answered")
	assert.EqualValues(t, 1, arrived.Load(), "and was done")
	assert.EqualValues(t, 3, s.Spoiled.Load())
}

func TestOtherRealRequestsPass(t *testing.T) {
	s, url, arrived := spoilerOf(t, 0)
	answer, err := http.Get(url)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	assert.Equal(t, "done", string(text))
	assert.EqualValues(t, 1, arrived.Load())
	assert.EqualValues(t, 1, s.Passed.Load())
}
