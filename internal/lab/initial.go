package lab

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
)

// furnish makes what every cluster holds, as far as it is not there, and has
// the Nodes say which of them run.
func (l *Lab) furnish(ctx context.Context) error {
	for _, obj := range initial() {
		_, err := l.Store.Create(ctx, obj)
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	for n := 1; n <= l.opts.Nodes; n++ {
		if err := l.register(ctx, n); err != nil {
			return err
		}
	}
	return l.disownNodes(ctx)
}

// initial are the namespaces that Kubernetes' API server makes for itself, and
// the service under which Pods find it (pkg/controlplane/controller).
func initial() []controlloop.Object {
	var all []controlloop.Object
	for _, name := range []string{
		metav1.NamespaceDefault, corev1.NamespaceNodeLease,
		metav1.NamespacePublic, metav1.NamespaceSystem,
	} {
		all = append(all, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	return append(all, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Name: "kubernetes", Namespace: metav1.NamespaceDefault,
			Labels: map[string]string{
				"component": "apiserver", "provider": "kubernetes",
			},
		},
		Spec: corev1.ServiceSpec{
			ClusterIP: "10.96.0.1",
			Ports: []corev1.ServicePort{{
				Name: "https", Port: 443, TargetPort: intstr.FromInt32(6443),
			}},
		},
	})
}
