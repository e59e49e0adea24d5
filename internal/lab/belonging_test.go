package lab_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
)

var belonging = map[string]schema.GroupVersionKind{
	"default":          corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
	"kube-root-ca.crt": configMapKind,
}

func (f fixture) find(kind schema.GroupVersionKind, namespace, name string) controlloop.Object {
	f.t.Helper()
	for _, obj := range f.list(kind, namespace) {
		if obj.GetName() == name {
			return obj
		}
	}
	return nil
}

func TestEveryNamespaceHasWhatBelongsIntoEach(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		f.create(namespace("shop"))
		for name, kind := range belonging {
			for _, namespace := range []string{"default", "kube-system", "kube-public", "kube-node-lease", "shop"} {
				first := f.find(kind, namespace, name)
				require.NotNil(f.t, first, "%s in %s", name, namespace)
				f.delete(kind, namespace, name)
				second := f.find(kind, namespace, name)
				require.NotNil(f.t, second, "%s in %s, after somebody deleted it", name, namespace)
				assert.NotEqual(f.t, first.GetUID(), second.GetUID())
			}
		}
	})
}

func TestWhatBelongsIntoANamespaceGoesWithIt(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		f.create(namespace("shop"))
		f.delete(namespaceKind, "", "shop")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Nil(f.t, f.namespace("shop"))
		for name, kind := range belonging {
			assert.Nil(f.t, f.find(kind, "shop", name))
		}
	})
}

// Kubernetes brings the certificate back, and lets an account have labels.
func TestWhoChangesTheRootCertificateHasChangedNothing(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		before := f.find(configMapKind, "default", "kube-root-ca.crt").(*corev1.ConfigMap)
		next := controlloop.Copy(before)
		next.Data = map[string]string{"ca.crt": "mine"}
		next.Annotations = nil
		f.update(next)
		now := f.find(configMapKind, "default", "kube-root-ca.crt").(*corev1.ConfigMap)
		assert.Equal(f.t, before.Data, now.Data)
		assert.Equal(f.t, before.Annotations, now.Annotations)
		assert.Contains(f.t, now.Annotations["kubernetes.io/description"], "verify the kube-apiserver")

		account := controlloop.Copy(f.find(belonging["default"], "default", "default"))
		account.SetLabels(map[string]string{"mine": "yes"})
		f.update(account)
		assert.Equal(f.t, map[string]string{"mine": "yes"},
			f.find(belonging["default"], "default", "default").GetLabels())
	})
}

// In an hour a node renews its lease 360 times, and says 12 times how it is.
func TestAFullLabAtRestWritesOnlyThatItsNodesLive(t *testing.T) {
	var mu sync.Mutex
	written := map[string]int{}
	count := controlloop.OnWrite(func(w controlloop.Write) {
		mu.Lock()
		defer mu.Unlock()
		written[w.Object.GetObjectKind().GroupVersionKind().Kind]++
	})
	opts := lab.Options{Nodes: 1, StoreOptions: []controlloop.Option{count}}
	running(t, opts, func(f fixture) {
		pass(time.Second)
		f.delete(eventKind, "default", f.list(eventKind, "default")[0].GetName())
		mu.Lock()
		clear(written)
		mu.Unlock()
		pass(time.Hour)
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(f.t, map[string]int{"Lease": 360, "Node": 12}, written)
	})
}
