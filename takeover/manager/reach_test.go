package manager

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
)

func TestANamespaceThatIsNotThereIsSaidAtOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		for want, change := range map[string]func(*Options){
			"there is no namespace nothere: create it, or give another --home":      func(o *Options) { o.Home = "nothere" },
			"there is no namespace nothere: create it, or give another --namespace": func(o *Options) { o.Namespace = "nothere" },
		} {
			assert.EqualError(w, <-w.start(change).ended, want)
		}
		dry := w.start(func(o *Options) { o.Namespace, o.DryRun = "nothere", true })
		assert.ErrorContains(w, <-dry.ended, "there is no namespace nothere", "in a dry run, too")
	})
}

// The account of a manifest may not look at namespaces, and need not.
func TestWhoMayNotLookAtANamespaceGoesOn(t *testing.T) {
	inBubble(t, func(w *world) {
		w.Ask(func(rw http.ResponseWriter, r *http.Request) bool {
			if strings.HasPrefix(r.URL.Path, "/api/v1/namespaces/") && strings.Count(r.URL.Path, "/") == 4 {
				http.Error(rw, "no", http.StatusForbidden)
				return true
			}
			return false
		})
		r := w.start()
		w.settle()
		assert.Contains(w, r.log.String(), "msg=working")
		require.NoError(w, r.stop())
	})
}

func TestAKindThatTheServerDoesNotHaveIsSaidAtOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		w.Ask(func(rw http.ResponseWriter, r *http.Request) bool {
			if strings.HasPrefix(r.URL.Path, "/apis/policy/v1") {
				http.NotFound(rw, r)
				return true
			}
			return false
		})
		for _, dry := range []bool{false, true} {
			err := <-w.start(func(o *Options) { o.DryRun, o.Controllers = dry, []string{"deployment", "disruption"} }).ended
			assert.ErrorContains(w, err, "the server does not have:\n"+
				"  poddisruptionbudgets of policy/v1, for disruption-controller\n")
			assert.ErrorContains(w, err, "leave these controllers out")
		}
		list, err := w.Store.List(w.Context(), daemonset.LeaseKind, controlloop.ListOptions{Namespace: metav1.NamespaceSystem})
		require.NoError(w, err)
		assert.Empty(w, list.Items, "no lease was taken")
	})
}
