package controlloop

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Naive keeps Want copies of Pod in the obvious way.
type Naive struct {
	Client Client
	Pod    *corev1.Pod // with a generateName, and labels to find it by
	Want   int
}

// Tick lists, counts, and creates or deletes the difference.
func (n *Naive) Tick(ctx context.Context) error {
	found, err := n.Client.List(ctx, PodKind, ListOptions{
		Labels: labels.SelectorFromSet(n.Pod.Labels),
	})
	if err != nil {
		return err
	}
	for range n.Want - len(found.Items) {
		if _, err := n.Client.Create(ctx, n.Pod); err != nil {
			return err
		}
	}
	for len(found.Items) > n.Want {
		last := found.Items[len(found.Items)-1]
		err := n.Client.Delete(ctx, PodKind, KeyOf(last), metav1.DeleteOptions{})
		if err != nil {
			return err
		}
		found.Items = found.Items[:len(found.Items)-1]
	}
	return nil
}

// Run ticks once a period until ctx ends or a tick fails.
func (n *Naive) Run(ctx context.Context, period time.Duration) error {
	for {
		if err := n.Tick(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(period):
		}
	}
}
