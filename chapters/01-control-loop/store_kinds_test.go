package controlloop_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/kubetest"
)

// The peculiarities of a kind are stated by the kind.
func TestTheStoreKnowsNoKind(t *testing.T) {
	files, err := filepath.Glob("store*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range file.Imports {
			assert.NotEqual(t, `"k8s.io/api/core/v1"`, i.Path.Value, name)
		}
	}
}

func TestWhatHasAStatusCanBeWrittenOne(t *testing.T) {
	store := newStore()
	meta := metav1.ObjectMeta{Name: "a"}
	pod := mustUpdateStatus(t, store, edited(mustCreate(t, store, kubetest.Pod("a")),
		func(p *corev1.Pod) { p.Status.Reason = "Because" }))
	assert.Equal(t, "Because", pod.Status.Reason)
	rc := mustUpdateStatus(t, store, edited(mustCreate(t, store, kubetest.ReplicationController("a", 1)),
		func(rc *corev1.ReplicationController) { rc.Status.Replicas = 1 }))
	assert.EqualValues(t, 1, rc.Status.Replicas)
	namespace := mustUpdateStatus(t, store, edited(mustCreate(t, store, &corev1.Namespace{ObjectMeta: meta}),
		func(n *corev1.Namespace) { n.Status.Conditions = []corev1.NamespaceCondition{{Type: "Empty"}} }))
	assert.Len(t, namespace.Status.Conditions, 1)
	node := mustUpdateStatus(t, store, edited(mustCreate(t, store, &corev1.Node{ObjectMeta: meta}),
		func(n *corev1.Node) { n.Status.Conditions = []corev1.NodeCondition{{Type: "Ready"}} }))
	assert.Len(t, node.Status.Conditions, 1)
}

func TestOnlyANodeIsCreatedWithItsState(t *testing.T) {
	store, meta := newStore(), metav1.ObjectMeta{Name: "a"}
	node, err := store.Create(t.Context(), &corev1.Node{
		ObjectMeta: meta, Status: corev1.NodeStatus{Phase: corev1.NodeRunning},
	})
	require.NoError(t, err)
	assert.Equal(t, corev1.NodeRunning, node.(*corev1.Node).Status.Phase)
	rc, err := store.Create(t.Context(), &corev1.ReplicationController{
		ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Selector: map[string]string{"app": "a"},
			Template: &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{
				Labels: map[string]string{"app": "a"}}}},
		Status: corev1.ReplicationControllerStatus{Replicas: 3},
	})
	require.NoError(t, err)
	assert.Zero(t, rc.(*corev1.ReplicationController).Status.Replicas)
	namespace := mustCreate(t, store, &corev1.Namespace{
		ObjectMeta: meta, Status: corev1.NamespaceStatus{Phase: corev1.NamespaceTerminating},
	})
	assert.Equal(t, corev1.NamespaceActive, namespace.Status.Phase)
}
