// Package home is Claims of one's own in chapter 4's seam: a Pod keeps, beside
// its name, the node that its place had first.
package home

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
)

// Claims note the node of each place of a set, and leave a Pod's other
// belongings to other Claims.
type Claims struct {
	Client controlloop.Client
	Next   statefulset.Claims
}

// Equip implements statefulset.Claims: a Pod whose place has a node goes there.
//
//book:exercise 4g
func (c Claims) Equip(
	ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod,
) error {
	node, err := c.homeOf(ctx, pod)
	if err != nil {
		return err
	}
	if node != "" {
		if pod.Spec.NodeSelector == nil {
			pod.Spec.NodeSelector = map[string]string{}
		}
		pod.Spec.NodeSelector[corev1.LabelHostname] = node
	}
	return c.Next.Equip(ctx, set, pod)
}

// Keep implements statefulset.Claims: the first node of a place is its home.
//
//book:exercise 4g
func (c Claims) Keep(
	ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod,
) error {
	node, err := c.homeOf(ctx, pod)
	if err != nil {
		return err
	}
	if node == "" && pod.Spec.NodeName != "" {
		if err := c.remember(ctx, set, pod); err != nil {
			return err
		}
	}
	return c.Next.Keep(ctx, set, pod)
}

var configMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")

// nodeKey is the key of a ConfigMap under which the node is noted.
const nodeKey = "node"

func nameOf(pod *corev1.Pod) string { return pod.Name + "-home" }

// homeOf returns the node that a Pod's place has; "": none yet.
func (c Claims) homeOf(
	ctx context.Context, pod *corev1.Pod,
) (node string, err error) {
	obj, err := c.Client.Get(ctx, configMapKind,
		controlloop.Key{Namespace: pod.Namespace, Name: nameOf(pod)})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("home of %s: %w", pod.Name, err)
	}
	return obj.(*corev1.ConfigMap).Data[nodeKey], nil
}

// remember notes that a Pod is at home. The note goes when the set does. One that
// somebody has emptied is filled in again.
func (c Claims) remember(
	ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod,
) error {
	note := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pod.Namespace, Name: nameOf(pod),
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(set, statefulset.StatefulSetKind),
			},
		},
		Data: map[string]string{nodeKey: pod.Spec.NodeName},
	}
	_, err := c.Client.Create(ctx, note)
	if apierrors.IsAlreadyExists(err) {
		err = c.fillIn(ctx, note)
	}
	if err != nil {
		return fmt.Errorf("note the home of %s: %w", pod.Name, err)
	}
	return nil
}

// fillIn writes the node of a note into the one that is there, unless that has
// one by now.
func (c Claims) fillIn(ctx context.Context, note *corev1.ConfigMap) error {
	obj, err := c.Client.Get(ctx, configMapKind, controlloop.KeyOf(note))
	if err != nil {
		return err
	}
	there := controlloop.Copy(obj.(*corev1.ConfigMap))
	if there.Data[nodeKey] != "" {
		return nil
	}
	there.Data = note.Data
	_, err = c.Client.Update(ctx, there)
	return err
}
