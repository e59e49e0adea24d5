package lab_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
)

var (
	nodeKind      = corev1.SchemeGroupVersion.WithKind("Node")
	namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")
	configMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")
	eventKind     = corev1.SchemeGroupVersion.WithKind("Event")
)

// fixture is a lab that runs in a bubble.
type fixture struct {
	*lab.Lab
	t *testing.T
}

// running calls f with a lab that runs. Nothing that opts say takes time.
func running(t *testing.T, opts lab.Options, f func(f fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l, err := lab.New(opts)
		require.NoError(t, err)
		defer l.Close()
		defer run(l)()
		synctest.Wait()
		f(fixture{l, t})
	})
}

// run runs the lab's controllers until stop.
func run(l *lab.Lab) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

func (f fixture) create(obj controlloop.Object) controlloop.Object {
	f.t.Helper()
	stored, err := f.Store.Create(f.t.Context(), obj)
	require.NoError(f.t, err)
	synctest.Wait()
	return stored
}

func (f fixture) update(obj controlloop.Object) {
	f.t.Helper()
	_, err := f.Store.Update(f.t.Context(), obj)
	require.NoError(f.t, err)
	synctest.Wait()
}

func (f fixture) delete(kind schema.GroupVersionKind, namespace, name string) {
	f.t.Helper()
	require.NoError(f.t, f.Store.Delete(f.t.Context(), kind,
		controlloop.Key{Namespace: namespace, Name: name}, metav1.DeleteOptions{}))
	synctest.Wait()
}

func (f fixture) list(kind schema.GroupVersionKind, namespace string) []controlloop.Object {
	f.t.Helper()
	list, err := f.Store.List(f.t.Context(), kind,
		controlloop.ListOptions{Namespace: namespace})
	require.NoError(f.t, err)
	return list.Items
}

func (f fixture) pods(namespace string) (pods []*corev1.Pod) {
	f.t.Helper()
	for _, obj := range f.list(controlloop.PodKind, namespace) {
		pods = append(pods, obj.(*corev1.Pod))
	}
	return pods
}

// namespace returns a namespace, or nil when it is gone.
func (f fixture) namespace(name string) *corev1.Namespace {
	f.t.Helper()
	obj, err := f.Store.Get(f.t.Context(), namespaceKind, controlloop.Key{Name: name})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(f.t, err)
	return obj.(*corev1.Namespace)
}

func (f fixture) node(name string) *corev1.Node {
	f.t.Helper()
	obj, err := f.Store.Get(f.t.Context(), nodeKind, controlloop.Key{Name: name})
	require.NoError(f.t, err)
	return controlloop.Copy(obj.(*corev1.Node))
}

func namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func configMap(namespace, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

func pod(namespace, name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}},
		},
	}
}

// three returns a ReplicationController that wants three Pods.
func three(namespace string) *corev1.ReplicationController {
	return &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"},
		Spec: corev1.ReplicationControllerSpec{
			Replicas: new(int32(3)),
			Selector: map[string]string{"app": "web"},
			Template: &corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
				Spec:       pod("", "").Spec,
			},
		},
	}
}
