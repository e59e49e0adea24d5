package remote_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
	"reconcile/takeover/internal/served"
	"reconcile/takeover/remote"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

var configMaps = corev1.SchemeGroupVersion.WithKind("ConfigMap")

func connect(t *testing.T, s *served.Cluster, opts remote.Options) *remote.Client {
	c, err := remote.New(s.Config, s.Store.Kinds(), opts)
	require.NoError(t, err)
	return c
}

func settings(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

func create(t *testing.T, c controlloop.Client, obj controlloop.Object) controlloop.Object {
	t.Helper()
	stored, err := c.Create(t.Context(), obj)
	require.NoError(t, err)
	return stored
}

func TestARemoteClientKeepsTheContract(t *testing.T) {
	kubetest.Contract(t, func(t *testing.T) controlloop.Client {
		return connect(t, served.New(t), remote.Options{QPS: -1, Page: 10})
	})
}

// bubble runs a test in virtual time.
func bubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

func TestAListIsAskedForPageByPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := served.New(t)
		c := connect(t, s, remote.Options{QPS: -1, Page: 10})
		for i := range 25 {
			create(t, s.Store, settings(fmt.Sprintf("c%02d", i)))
		}
		list, err := c.List(t.Context(), configMaps, controlloop.ListOptions{})
		require.NoError(t, err)
		assert.Len(t, list.Items, 25)
		assert.EqualValues(t, 3, s.Requests.Load())
	})
}

// A reflector takes 410 for "list again", whenever it comes.
func TestAWatchFromTooLongAgoIsExpired(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := served.New(t, controlloop.WithHistory(5))
		c := connect(t, s, remote.Options{QPS: -1})
		first := create(t, c, settings("first")).GetResourceVersion()
		for i := range 50 {
			create(t, s.Store, settings(fmt.Sprintf("later-%d", i)))
		}
		w, err := c.Watch(t.Context(), configMaps, controlloop.ListOptions{ResourceVersion: first})
		if err == nil {
			_, err = w.Next(t.Context())
			w.Stop()
		}
		assert.True(t, apierrors.IsResourceExpired(err), "%v", err)
	})
}

// An informer over a server that forgets, and that ends its watches, has in its
// cache what there is.
func TestAnInformerOutlivesTheEndOfItsWatches(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := served.New(t, controlloop.WithHistory(5))
		var watches atomic.Int64
		s.Ask(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("watch") != "" {
				watches.Add(1)
			}
			return false
		})
		c := connect(t, s, remote.Options{QPS: -1})
		informer := controlloop.NewInformer(c, configMaps, controlloop.ListOptions{}, 0, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { informer.Run(ctx); close(ended) }()
		for round := range 3 {
			for i := range 20 {
				create(t, s.Store, settings(fmt.Sprintf("c-%d-%d", round, i)))
			}
			time.Sleep(11 * time.Minute) // longer than any watch lasts
			assert.Len(t, informer.Cache.List(), 20*(round+1))
		}
		assert.Greater(t, watches.Load(), int64(3))
		cancel()
		<-ended
	})
}

func TestTheEndOfAWatchIsSaid(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := served.New(t)
		w, err := connect(t, s, remote.Options{}).
			Watch(t.Context(), configMaps, controlloop.ListOptions{})
		require.NoError(t, err)
		defer w.Stop()
		_, err = w.Next(t.Context())
		assert.ErrorIs(t, err, io.EOF)
		_, _, err = w.TryNext()
		assert.ErrorIs(t, err, io.EOF)
	})
}

func TestADryRunWritesNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := served.New(t)
		for _, obj := range []controlloop.Object{
			settings("there"), kubetest.Pod("web"),
			kubetest.ReplicationController("rc", 1),
		} {
			create(t, s.Store, obj)
		}
		list, err := s.Store.List(t.Context(), configMaps, controlloop.ListOptions{})
		require.NoError(t, err)
		before := list.ResourceVersion

		c := connect(t, s, remote.Options{QPS: -1, DryRun: true})
		obj, err := c.Get(t.Context(), controlloop.PodKind, kubetest.Named("web"))
		require.NoError(t, err)
		pod := obj.(*corev1.Pod)
		require.NoError(t, c.Bind(t.Context(), controlloop.NewBinding(pod, "node-1")))
		pod.Labels = map[string]string{"a": "b"}
		_, err = c.Update(t.Context(), pod)
		require.NoError(t, err)
		pod.Status.Message = "b"
		_, err = c.UpdateStatus(t.Context(), pod)
		require.NoError(t, err)
		create(t, c, settings("new"))
		_, err = c.Create(t.Context(), settings("there"))
		assert.True(t, apierrors.IsAlreadyExists(err), "the server has looked at it: %v", err)
		require.NoError(t, c.Delete(t.Context(), configMaps, kubetest.Named("there"), metav1.DeleteOptions{}))
		list, err = s.Store.List(t.Context(), configMaps, controlloop.ListOptions{})
		require.NoError(t, err)
		assert.Equal(t, before, list.ResourceVersion)
	})
}

func TestRequestsWaitTheirTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := connect(t, served.New(t), remote.Options{QPS: 10, Burst: 5})
		start := time.Now()
		for i := range 25 {
			create(t, c, settings(fmt.Sprintf("c%d", i)))
		}
		assert.InDelta(t, 2*time.Second, time.Since(start), float64(100*time.Millisecond),
			"five at once, then ten a second")
	})
}

// A server that has too much to do says when to come again, and client-go does.
func TestAServerThatIsBusyIsAskedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := served.New(t)
		var refused atomic.Bool
		s.Ask(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || refused.Swap(true) {
				return false
			}
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		})
		start := time.Now()
		create(t, connect(t, s, remote.Options{}), settings("a"))
		assert.Equal(t, 2*time.Second, time.Since(start))
	})
}

func TestAKubeconfigThatLeadsNowhereIsSaid(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	_, err := remote.Config(t.TempDir()+"/none", "", "test")
	assert.ErrorContains(t, err, "no such file")

	file := t.TempDir() + "/config"
	require.NoError(t, os.WriteFile(file, []byte("apiVersion: v1\nkind: Config\ncontexts: [{name: there, context: {cluster: c}}]\n"+
		"clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"), 0o600))
	_, err = remote.Config(file, "elsewhere", "test")
	assert.ErrorContains(t, err, `context "elsewhere" does not exist`)
	config, err := remote.Config(file, "there", "agent/1")
	require.NoError(t, err)
	assert.Equal(t, "https://127.0.0.1:1", config.Host)
	assert.Equal(t, "agent/1", config.UserAgent)
}
