package lab

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	rollingupdate "reconcile/chapters/03-rolling-update"
	storage "reconcile/chapters/05-storage"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/variables"
)

// machine returns a node as its kubelet finds it.
func (l *Lab) machine(s *controlloop.System, n *node) kubelet.Machine {
	mounts := storage.NewMounts
	if l.parts.attach {
		mounts = storage.NewDeviceMounts
	}
	return kubelet.Machine{
		Node: n.name, Runtime: n.runtime,
		Volumes: mounts(s, n.name, l.folder),
		Resolve: variables.From(l.client).WithServices(l.services).Resolve,
		Admit:   l.admit, PostStart: n.hooks.PostStart,
	}
}

// services returns the Services of a namespace, or of all.
func (l *Lab) services(namespace string) []*corev1.Service {
	list, err := l.Store.List(context.Background(), rollingupdate.ServiceKind,
		controlloop.ListOptions{Namespace: namespace})
	if err != nil {
		return nil
	}
	all := make([]*corev1.Service, len(list.Items))
	for i, obj := range list.Items {
		all[i] = obj.(*corev1.Service)
	}
	return all
}

// admit returns why a Pod has no place on its node beside others (Kubernetes:
// pkg/kubelet/lifecycle/predicate.go).
func (l *Lab) admit(
	ctx context.Context, pod *corev1.Pod, others []*corev1.Pod,
) (reason, message string) {
	return admit(ctx, l.client, pod, others)
}

func admit(
	ctx context.Context, client controlloop.Client, pod *corev1.Pod,
	others []*corev1.Pod,
) (reason, message string) {
	node, err := client.Get(
		ctx, nodeKind, controlloop.Key{Name: pod.Spec.NodeName})
	if err != nil {
		return "", "" // a node that is not registered refuses nothing
	}
	return plugins.Misfit(pod, node.(*corev1.Node), others)
}

// isEnding reports whether a Pod is to end, or is gone.
func (l *Lab) isEnding(ctx context.Context, pod *corev1.Pod) bool {
	return isEnding(ctx, l.client, pod)
}

func isEnding(
	ctx context.Context, client controlloop.Client, pod *corev1.Pod,
) bool {
	obj, err := client.Get(ctx, controlloop.PodKind, controlloop.KeyOf(pod))
	if err != nil {
		return apierrors.IsNotFound(err)
	}
	return obj.GetUID() != pod.UID || obj.GetDeletionTimestamp() != nil
}
