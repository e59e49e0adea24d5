package kubetest

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// Contract tries on a client all that controllers may rely on, wherever the
// cluster is. Each claim is tried in a bubble, on a client of its own of a
// cluster in which there is nothing but the namespaces default, one and two.
//
// These hold for the store alone, and are not among the claims:
//
//   - Versions count up by one, and uids and names come from a seed: to others a
//     version is a name.
//   - What comes back is shared, so that a write of nothing returns the object
//     that is there.
//   - 504 for a version of the future: Kubernetes' watches wait for it.
//   - 400 for a version that is none, or that a new object brings: a server's 500.
//   - Whatever no chapter refuses or defaults is left as it is. A server does more:
//     it orphans what a ReplicationController owns that is deleted without a word
//     about that, and takes no negative grace from a Pod's spec.
//   - How far back a watch can go, and what a compaction does to it: each server
//     has its own bound. That it is 410 then is claimed where there is a bound.
func Contract(t *testing.T, connect func(*testing.T) controlloop.Client) {
	for _, all := range [][]claim{claims, refusals(), deletions, bindings, watches} {
		for _, c := range all {
			t.Run(c.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { c.try(tried{t, connect(t)}) })
			})
		}
	}
}

// claim is one sentence of the contract.
type claim struct {
	name string
	try  func(tried)
}

// tried is a client that a claim is tried on.
type tried struct {
	*testing.T
	controlloop.Client
}

var configMaps = corev1.SchemeGroupVersion.WithKind("ConfigMap")

func settings(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// edited returns a copy of obj with a change.
func edited[T controlloop.Object](obj T, change func(T)) T {
	next := controlloop.Copy(obj)
	change(next)
	return next
}

// made, updated and told return an object as it was stored.
func made[T controlloop.Object](c tried, obj T) T {
	c.Helper()
	stored, err := c.Create(c.Context(), obj)
	require.NoError(c, err)
	return stored.(T)
}

func updated[T controlloop.Object](c tried, obj T) T {
	c.Helper()
	stored, err := c.Update(c.Context(), obj)
	require.NoError(c, err)
	return stored.(T)
}

func told[T controlloop.Object](c tried, obj T) T {
	c.Helper()
	stored, err := c.UpdateStatus(c.Context(), obj)
	require.NoError(c, err)
	return stored.(T)
}

// now returns an object as it is, or nil if it is gone.
func (c tried) now(kind schema.GroupVersionKind, key controlloop.Key) controlloop.Object {
	c.Helper()
	obj, err := c.Get(c.Context(), kind, key)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(c, err)
	return obj
}

func (c tried) pod() *corev1.Pod {
	return c.now(controlloop.PodKind, Named("web")).(*corev1.Pod)
}

// version returns the newest version: it stays the same where nothing is
// written.
func (c tried) version() string {
	list, err := c.List(c.Context(), controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(c, err)
	return list.ResourceVersion
}

func labelled(key, value string) labels.Selector {
	return labels.SelectorFromSet(labels.Set{key: value})
}

func field(name, value string) fields.Selector {
	return fields.OneTermEqualSelector(name, value)
}

var claims = []claim{
	{"What is created says what only the cluster can know", func(c tried) {
		given := Pod("web")
		given.UID, given.Generation = "mine", 7
		given.DeletionTimestamp = new(metav1.Now())
		given.Status.Phase = corev1.PodRunning
		pod, other := made(c, given), made(c, Pod("other"))
		assert.NotEqual(c, given.UID, pod.UID)
		assert.NotEqual(c, pod.UID, other.UID)
		assert.False(c, pod.CreationTimestamp.IsZero())
		assert.Nil(c, pod.DeletionTimestamp)
		assert.EqualValues(c, 1, pod.Generation)
		assert.Equal(c, corev1.PodPending, pod.Status.Phase, "only the kubelet knows better")
		assert.Equal(c, "default", pod.Namespace)
		assert.Equal(c, controlloop.PodKind, pod.GroupVersionKind())
		assert.EqualValues(c, "mine", given.UID, "what was handed in is the caller's")
	}},
	{"What is handed in stays the caller's", func(c tried) {
		given := Pod("web")
		made(c, given)
		given.Labels["app"] = "another"
		kept := c.pod()
		assert.Equal(c, "web", kept.Labels["app"])

		next := edited(kept, func(p *corev1.Pod) { p.Labels["app"] = "new" })
		updated(c, next)
		next.Labels["app"] = "another"
		assert.Equal(c, "new", c.pod().Labels["app"])
		assert.Equal(c, "web", kept.Labels["app"], "who read before reads it still")
	}},
	{"A generated name is what it begins with and five letters", func(c tried) {
		pod := Pod("")
		pod.GenerateName = "web-"
		assert.Regexp(c, `^web-[bcdfghjklmnpqrstvwxz2456789]{5}$`, made(c, pod).Name)
	}},
	{"An update without a version overwrites", func(c tried) {
		made(c, ReplicationController("web", 1))
		now := updated(c, ReplicationController("web", 4))
		assert.EqualValues(c, 4, *now.Spec.Replicas)
	}},
	{"An update leaves the status, and an update of the status the rest", func(c tried) {
		rc := made(c, ReplicationController("web", 1))
		rc = told(c, edited(rc, func(rc *corev1.ReplicationController) {
			rc.Status.Replicas, *rc.Spec.Replicas = 3, 7
			rc.Annotations = map[string]string{"seen": "yes"}
		}))
		assert.EqualValues(c, 1, *rc.Spec.Replicas)
		assert.Equal(c, map[string]string{"seen": "yes"}, rc.Annotations)
		rc = updated(c, edited(rc, func(rc *corev1.ReplicationController) {
			rc.Status.Replicas, *rc.Spec.Replicas = 9, 5
		}))
		assert.EqualValues(c, 3, rc.Status.Replicas)
		assert.EqualValues(c, 5, *rc.Spec.Replicas)
		assert.EqualValues(c, 2, rc.Generation)
	}},
	{"An update that changes nothing writes nothing", func(c tried) {
		pod, before := made(c, Pod("web")), c.version()
		assert.Equal(c, pod.ResourceVersion, updated(c, pod).ResourceVersion)
		assert.Equal(c, pod.ResourceVersion, told(c, pod).ResourceVersion)
		assert.Equal(c, before, c.version())
	}},
	{"Lists are sorted and select", func(c tried) {
		for _, name := range []string{"b", "c", "a"} {
			for _, namespace := range []string{"two", "one"} {
				pod := Pod(name)
				pod.Namespace, pod.Spec.NodeName = namespace, "node-"+name
				made(c, pod)
			}
		}
		list := func(opts controlloop.ListOptions) (keys []string) {
			found, err := c.List(c.Context(), controlloop.PodKind, opts)
			require.NoError(c, err)
			for _, obj := range found.Items {
				assert.Equal(c, controlloop.PodKind, obj.GetObjectKind().GroupVersionKind())
				keys = append(keys, controlloop.KeyOf(obj).String())
			}
			return keys
		}
		assert.Equal(c, []string{"one/a", "one/b", "one/c", "two/a", "two/b", "two/c"},
			list(controlloop.ListOptions{}))
		assert.Equal(c, []string{"two/a", "two/b", "two/c"},
			list(controlloop.ListOptions{Namespace: "two"}))
		assert.Equal(c, []string{"one/a", "two/a"},
			list(controlloop.ListOptions{Labels: labelled("app", "a")}))
		assert.Equal(c, []string{"one/b"}, list(controlloop.ListOptions{
			Namespace: "one", Fields: field("spec.nodeName", "node-b")}))
		assert.Equal(c, []string{"two/a", "two/b", "two/c"},
			list(controlloop.ListOptions{Fields: field("metadata.namespace", "two")}))
	}},
	{"A list of many is whole", func(c tried) {
		for i := range 25 {
			made(c, settings(fmt.Sprintf("c%02d", i)))
		}
		list, err := c.List(c.Context(), configMaps, controlloop.ListOptions{})
		require.NoError(c, err)
		require.Len(c, list.Items, 25)
		for i, obj := range list.Items {
			assert.Equal(c, fmt.Sprintf("c%02d", i), obj.GetName())
		}
		assert.Equal(c, c.version(), list.ResourceVersion)
	}},
	// Every object can be selected by the fields that all share, even if its kind
	// adds none.
	{"A kind without fields is selected by its name", func(c tried) {
		made(c, settings("a"))
		made(c, settings("b"))
		list, err := c.List(c.Context(), configMaps, controlloop.ListOptions{
			Fields: field("metadata.name", "b")})
		require.NoError(c, err)
		require.Len(c, list.Items, 1)
		assert.Equal(c, "b", list.Items[0].GetName())
	}},
	{"A namespace stays until its finalizer is taken away", func(c tried) {
		shop := made(c, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})
		kind, key := shop.GroupVersionKind(), controlloop.KeyOf(shop)
		require.NoError(c, c.Delete(c.Context(), kind, key, metav1.DeleteOptions{}))
		going := c.now(kind, key).(*corev1.Namespace)
		assert.Equal(c, corev1.NamespaceTerminating, going.Status.Phase)
		assert.NotNil(c, going.DeletionTimestamp)
		updated(c, edited(going, func(n *corev1.Namespace) { n.Spec.Finalizers = nil }))
		assert.Nil(c, c.now(kind, key))
	}},
	{"A kind that is not known is refused", func(c tried) {
		unknown := &strange{}
		for _, write := range []func() (controlloop.Object, error){
			func() (controlloop.Object, error) { return c.Create(c.Context(), unknown) },
			func() (controlloop.Object, error) { return c.Update(c.Context(), unknown) },
			func() (controlloop.Object, error) { return c.UpdateStatus(c.Context(), unknown) },
		} {
			_, err := write()
			assert.True(c, runtime.IsNotRegisteredError(err), "%v", err)
		}
	}},
}

// strange is of a kind that no cluster has.
type strange struct{ appsv1.Deployment }
