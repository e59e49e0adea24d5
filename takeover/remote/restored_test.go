package remote_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver"
	"reconcile/internal/apiserver/kinds"
	"reconcile/takeover/internal/served"
	"reconcile/takeover/remote"
)

// restorable is a server whose data can be exchanged for older ones, with an informer
// of the book's and one of Kubernetes' own beside it.
type restorable struct {
	*testing.T
	*served.Cluster
	ours   *controlloop.Informer
	theirs cache.SharedIndexInformer
	cut    context.CancelFunc
	end    context.CancelFunc
	ended  chan struct{}
}

func newRestorable(t *testing.T) *restorable {
	r := &restorable{T: t, Cluster: served.New(t), ended: make(chan struct{}, 2)}
	r.serve(r.Serve)
	config := *r.Config
	config.QPS = -1
	api, err := kubernetes.NewForConfig(&config)
	require.NoError(t, err)
	factory := informers.NewSharedInformerFactory(api, 0)
	r.theirs = factory.Core().V1().ConfigMaps().Informer()
	r.ours = controlloop.NewInformer(connect(t, r.Cluster, remote.Options{QPS: -1}), configMaps,
		controlloop.ListOptions{}, 0, nil)
	ctx, end := context.WithCancel(context.Background())
	r.end = end
	go func() { r.ours.Run(ctx); r.ended <- struct{}{} }()
	go func() { r.theirs.Run(ctx.Done()); r.ended <- struct{}{} }()
	return r
}

// serve has requests answered by a handler, until they are cut off.
func (r *restorable) serve(answer http.HandlerFunc) {
	if r.cut != nil {
		r.cut()
	}
	alive, cut := context.WithCancel(context.Background())
	r.cut = cut
	r.Ask(func(w http.ResponseWriter, req *http.Request) bool {
		ctx, end := context.WithCancel(req.Context())
		defer context.AfterFunc(alive, end)()
		answer(w, req.WithContext(ctx))
		return true
	})
}

// restore exchanges the data for those of a store that is not as far.
func (r *restorable) restore(names ...string) *controlloop.Store {
	store := controlloop.NewStore(kinds.Store(kinds.All()))
	create(r.T, store, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	for _, name := range names {
		create(r.T, store, settings(name))
	}
	r.serve(apiserver.New(store, apiserver.Options{}).ServeHTTP)
	return store
}

// known returns what both have in their caches.
func (r *restorable) known() (ours, theirs string) {
	synctest.Wait()
	var all []string
	for _, obj := range r.ours.Cache.List() {
		all = append(all, obj.GetName())
	}
	keys := r.theirs.GetStore().ListKeys()
	for i, key := range keys {
		keys[i] = strings.TrimPrefix(key, "default/")
	}
	return fmt.Sprint(len(all), has(all)), fmt.Sprint(len(keys), has(keys))
}

// has returns the names that begin with n, for new.
func has(names []string) (fresh []string) {
	for _, name := range names {
		if strings.HasPrefix(name, "n") {
			fresh = append(fresh, name)
		}
	}
	return fresh
}

func (r *restorable) stop() {
	r.end()
	r.cut()
	<-r.ended
	<-r.ended
}

// A server's data are restored from a backup: its counter is far below the versions
// that everybody knows. Kubernetes' informer opens its watch from the future, hears
// nothing, and believes its cache.
func TestACacheLearnsThatTheServerHasBeenRestored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRestorable(t)
		defer r.stop()
		for i := range 100 {
			create(t, r.Store, settings(fmt.Sprintf("c%d", i)))
		}
		time.Sleep(time.Second)
		ours, theirs := r.known()
		assert.Equal(t, "100 []", ours)
		assert.Equal(t, "100 []", theirs)

		store := r.restore("c1", "c2")
		time.Sleep(10 * time.Second)
		create(t, store, settings("new"))
		time.Sleep(time.Hour)
		ours, theirs = r.known()
		assert.Equal(t, "3 [new]", ours)
		assert.Equal(t, "100 []", theirs, "theirs has nothing of it, and will not")
	})
}

// Worse than a watch that is silent for ever is one that speaks again: once the
// counter has passed the version that it was opened from, all between is missing.
func TestACacheMissesNothingOfWhatARestoredServerDidBeforeItsWatchSpeaksAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRestorable(t)
		defer r.stop()
		for i := range 30 {
			create(t, r.Store, settings(fmt.Sprintf("c%d", i)))
		}
		time.Sleep(time.Second)
		store := r.restore("c1", "c2")
		time.Sleep(10 * time.Second)
		for i := range 40 {
			create(t, store, settings(fmt.Sprintf("n%d", i)))
			time.Sleep(time.Second)
		}
		time.Sleep(time.Hour)
		require.Len(t, r.ours.Cache.List(), 42)
		theirs := r.theirs.GetStore().ListKeys()
		assert.NotContains(t, theirs, "default/n0", "theirs misses it")
		assert.Contains(t, theirs, "default/c20", "and has what is gone")
		assert.Contains(t, theirs, "default/n39", "and hears the rest")
	})
}
