package kubetest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// Write is a write to the store, with its time.
type Write struct {
	controlloop.Write
	At time.Duration // since the cluster was made
	By string        // "statefulset's Reconcile(default/web)", or "the test"
}

// String returns "12 MODIFIED Pod default/web".
func (w Write) String() string {
	return fmt.Sprintf("%s %s %s %s", w.Object.GetResourceVersion(), w.Type,
		w.Object.GetObjectKind().GroupVersionKind().Kind,
		controlloop.KeyOf(w.Object))
}

// Invariant returns an error if a write is wrong. It is called while the store
// is locked, with the writes so far.
type Invariant func(w Write, before []Write) error

type record struct {
	mu     sync.Mutex
	writes []Write
	breach bool // one has been told; what comes after it follows from it
}

// wrote gets every write, in order.
func (c *Cluster) wrote(write controlloop.Write) {
	if c.look != nil {
		c.look.Wrote(write)
	}
	w := Write{write, c.Elapsed(), c.writer()}
	c.writes.mu.Lock()
	defer c.writes.mu.Unlock()
	for _, invariant := range append(c.setup.Invariants, neverMoves, neverRevives) {
		if err := invariant(w, c.writes.writes); err != nil && !c.writes.breach {
			c.writes.breach = true
			c.t.Errorf("%v: write %s, made by %s", err, w, w.By)
		}
	}
	c.writes.writes = append(c.writes.writes, w)
	if c.detector != nil {
		c.detector.remember(write)
	}
	c.wake.Send()
}

// Writes returns all writes so far, those of the test itself too.
func (c *Cluster) Writes() []Write {
	c.writes.mu.Lock()
	defer c.writes.mu.Unlock()
	return slices.Clone(c.writes.writes)
}

// WritesOf returns the writes of one object.
func (c *Cluster) WritesOf(obj controlloop.Object) []Write {
	want := Get(c, obj)
	return slices.DeleteFunc(c.Writes(), func(w Write) bool {
		return w.Object.GetUID() != want.GetUID()
	})
}

// writer returns the name of the controller that is writing.
func (c *Cluster) writer() string {
	switch {
	case c.stop != nil:
		return "one of the running controllers"
	case c.stepping:
		return c.last
	}
	return "the test"
}

// neverMoves returns an error if a Pod leaves the node to which it was bound.
func neverMoves(w Write, _ []Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok || w.Old == nil {
		return nil
	}
	was := w.Old.(*corev1.Pod).Spec.NodeName
	if was != "" && was != pod.Spec.NodeName {
		return fmt.Errorf("the Pod moves from %s to %q", was, pod.Spec.NodeName)
	}
	return nil
}

// neverRevives returns an error if a Pod that has ended starts again.
func neverRevives(w Write, _ []Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok || w.Old == nil {
		return nil
	}
	was := w.Old.(*corev1.Pod)
	if controlloop.HasEnded(was) && was.Status.Phase != pod.Status.Phase {
		return fmt.Errorf("the Pod was %s and is %s", was.Status.Phase, pod.Status.Phase)
	}
	return nil
}

// NeverTooMany returns an error if a Pod is created though its owner has as
// many as it wants. That never happens if controllers step, each with a cache
// that is up to date.
func NeverTooMany(w Write, before []Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok || w.Type != watch.Added || len(pod.OwnerReferences) == 0 {
		return nil
	}
	owner := pod.OwnerReferences[0].UID
	var wanted int32
	active := map[string]bool{pod.Name: true}
	for _, w := range before {
		switch obj := w.Object.(type) {
		case *corev1.ReplicationController:
			if obj.UID == owner {
				wanted = *obj.Spec.Replicas
			}
		case *corev1.Pod:
			if len(obj.OwnerReferences) == 0 || obj.OwnerReferences[0].UID != owner {
				continue
			}
			if w.Type == watch.Deleted || obj.DeletionTimestamp != nil || controlloop.HasEnded(obj) {
				delete(active, obj.Name)
			} else {
				active[obj.Name] = true
			}
		}
	}
	if len(active) > int(wanted) {
		return fmt.Errorf("%d Pods where %d are wanted", len(active), wanted)
	}
	return nil
}
