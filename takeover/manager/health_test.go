package manager

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/takeover/remote"
)

// A copy is ill when its cache is behind a server that answers, and not when the
// server is away: then each copy would be started again.
func TestACopyIsIllWhenItsCacheIsBehindAServerThatAnswers(t *testing.T) {
	inBubble(t, func(w *world) {
		m, err := newManager(Options{
			Config: w.Config, Remote: remote.Options{QPS: -1}, Controllers: []string{"deployment"}, Yes: true,
			Home: metav1.NamespaceSystem, Lease: "l", Log: slog.New(slog.DiscardHandler),
		})
		require.NoError(w, err)
		ctx, cancel := context.WithCancel(w.Context())
		ended := make(chan error, 1)
		go func() { ended <- m.elect(ctx) }()
		w.settle()
		healthy := func() bool {
			code, text := answerOf(m.metrics, "/healthz")
			if code != http.StatusOK {
				assert.Contains(w, text, "nothing was heard of any ")
				assert.Contains(w, text, ", and the server answers")
			}
			return code == http.StatusOK
		}
		time.Sleep(time.Hour)
		assert.True(w, healthy(), "nothing happens, and that is said each minute")

		var away atomic.Bool
		w.Ask(func(rw http.ResponseWriter, r *http.Request) bool {
			all := r.URL.Query().Get("limit") == "500" || r.URL.Query().Get("watch") != ""
			switch {
			case away.Load():
				rw.WriteHeader(http.StatusServiceUnavailable)
				return true
			case all:
				<-r.Context().Done() // the request leads nowhere
				return true
			}
			return false
		})
		time.Sleep(15 * time.Minute) // no watch lasts longer than ten
		assert.False(w, healthy())
		away.Store(true)
		assert.True(w, healthy())
		w.Ask(func(http.ResponseWriter, *http.Request) bool { return false })
		cancel()
		<-ended
	})
}
