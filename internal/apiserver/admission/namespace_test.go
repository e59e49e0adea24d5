package admission_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/admission"
)

func TestNothingIsMadeInANamespaceThatGoes(t *testing.T) {
	inLimits(t, nil, func(l limited) {
		l.must(l.store.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: "going", Finalizers: []string{"example.com/slow"}}}))
		require.NoError(t, l.store.Delete(t.Context(),
			corev1.SchemeGroupVersion.WithKind("Namespace"),
			controlloop.Key{Name: "going"}, metav1.DeleteOptions{}))
		late := pod("web", nil, nil)
		late.Namespace = "going"
		_, err := l.admitted(late)
		assert.True(t, apierrors.IsForbidden(err))
		assert.EqualError(t, err, `pods "web" is forbidden: unable to create new content `+
			`in namespace going because it is being terminated`)
		cause, ok := apierrors.StatusCause(err, corev1.NamespaceTerminatingCause)
		require.True(t, ok, "Kubernetes' controllers look for it")
		assert.Equal(t, metav1.StatusCause{
			Type: "NamespaceTerminating", Field: "metadata.namespace",
			Message: "namespace going is being terminated",
		}, cause)
	})
}

func TestNothingIsMadeInANamespaceThatIsNotThere(t *testing.T) {
	inLimits(t, nil, func(l limited) {
		lost := pod("web", nil, nil)
		lost.Namespace = "nowhere"
		_, err := l.admitted(lost)
		assert.EqualError(t, err, `namespaces "nowhere" not found`)
	})
}

func TestWhatIsInNoNamespaceIsLetThrough(t *testing.T) {
	inLimits(t, nil, func(l limited) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}
		got, err := admission.Admit(t.Context(), l.store, node, false)
		require.NoError(t, err)
		assert.Same(t, node, got)
	})
}
