package controlloop_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// What controllers rely on holds wherever the cluster is; a client of a remote
// API server is held to the same.
func TestTheStoreKeepsTheContractOfClients(t *testing.T) {
	kubetest.Contract(t, func(t *testing.T) controlloop.Client {
		store := newStore()
		for _, name := range []string{"default", "one", "two"} {
			mustCreate(t, store, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
		return store
	})
}

// What a Pod says itself may be as wrong as what is asked; and a kind of this
// chapter is not orphaned unless that is asked for.
func TestTheStoreTakesADeletionAtItsWord(t *testing.T) {
	s, _ := written()
	pod := kubetest.Pod("web")
	pod.Spec.NodeName, pod.Spec.TerminationGracePeriodSeconds = "node-1", new(int64(-7))
	for _, obj := range []controlloop.Object{
		mustCreate(t, s, pod), mustCreate(t, s, kubetest.ReplicationController("web", 1)),
	} {
		require.NoError(t, s.Delete(t.Context(), obj.GetObjectKind().GroupVersionKind(),
			controlloop.KeyOf(obj), metav1.DeleteOptions{}))
	}
	going, err := s.Get(t.Context(), controlloop.PodKind, kubetest.Named("web"))
	require.NoError(t, err)
	assert.EqualValues(t, 1, *going.GetDeletionGracePeriodSeconds())
	_, err = s.Get(t.Context(), controlloop.RCKind, kubetest.Named("web"))
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
}

// mustBind returns the Pod as it is on its node.
func mustBind(t *testing.T, s *controlloop.Store, pod *corev1.Pod, node string) *corev1.Pod {
	t.Helper()
	require.NoError(t, s.Bind(t.Context(), controlloop.NewBinding(pod, node)))
	obj, err := s.Get(t.Context(), controlloop.PodKind, controlloop.KeyOf(pod))
	require.NoError(t, err)
	return obj.(*corev1.Pod)
}
