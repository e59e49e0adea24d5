package deployment

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// Collector deletes objects that have lost their owners. It knows no kind: all
// it reads is metadata.
type Collector struct {
	Client   controlloop.Client
	Recorder controlloop.Recorder
	Kinds    controlloop.Kinds

	graph   graph
	enqueue func(types.UID) // adds an object to the queue
}

// NewCollector returns the garbage collector for objects of these kinds.
// (Kubernetes: pkg/controller/garbagecollector.)
func NewCollector(
	s *controlloop.System, kinds controlloop.Kinds,
) *controlloop.Controller {
	g := &Collector{
		Client: s.Client, Kinds: kinds,
		Recorder: s.RecorderFor("garbage-collector-controller", ""),
	}
	c := controlloop.NewController("garbage collector", g)
	c.Workers = 20
	g.enqueue = func(uid types.UID) { c.Queue.Add(keyOf(uid)) }
	s.Add(c)
	for _, kind := range kinds.All() {
		i := s.Informer(kind.GroupVersionKind, controlloop.ListOptions{})
		i.Cache.AddIndex(byUID, uidOf)
		i.Cache.AddIndex(byAnyOwner, ownerUIDs)
		g.graph = append(g.graph, i.Cache)
		c.Watch(i, func(obj controlloop.Object) []controlloop.Key {
			return concerned(g.graph, obj)
		})
	}
	return c
}

// tellAbroad records that an owner of obj is in another namespace, where it
// can't be one (Kubernetes: reportInvalidNamespaceOwnerRef in graph_builder.go).
func (g *Collector) tellAbroad(obj controlloop.Object) {
	for _, ref := range obj.GetOwnerReferences() {
		owner, ok := g.graph.find(ref.UID)
		if ok && owner.GetNamespace() != "" &&
			owner.GetNamespace() != obj.GetNamespace() {
			g.Recorder.Eventf(obj, corev1.EventTypeWarning,
				"OwnerRefInvalidNamespace",
				"ownerRef [%s/%s, namespace: %s, name: %s, uid: %s] does not exist "+
					"in namespace %q", ref.APIVersion, ref.Kind, obj.GetNamespace(),
				ref.Name, ref.UID, obj.GetNamespace())
			return
		}
	}
}

// propagation returns how obj is to be deleted: as its finalizers say, in the
// foreground if it has to wait, and else in the background.
func propagation(
	obj controlloop.Object, waits bool,
) metav1.DeletionPropagation {
	finalizers := obj.GetFinalizers()
	switch {
	case slices.Contains(finalizers, metav1.FinalizerOrphanDependents):
		return metav1.DeletePropagationOrphan
	case slices.Contains(finalizers, metav1.FinalizerDeleteDependents), waits:
		return metav1.DeletePropagationForeground
	}
	return metav1.DeletePropagationBackground
}

// unblock lets the owners of obj go before it. Its own dependents wait already:
// they and its owners may be a circle, in which each waits for the next.
func (g *Collector) unblock(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	next := controlloop.Copy(obj)
	refs := next.GetOwnerReferences()
	for i := range refs {
		refs[i].BlockOwnerDeletion = new(false)
	}
	next.SetOwnerReferences(refs)
	return g.Client.Update(ctx, next)
}

// orphan makes all dependents forget their owner, and then lets it go.
func (g *Collector) orphan(ctx context.Context, owner controlloop.Object) error {
	for _, dependent := range g.graph.dependents(owner.GetUID()) {
		next := controlloop.Copy(dependent)
		next.SetOwnerReferences(without(next.GetOwnerReferences(), owner))
		_, err := g.Client.Update(ctx, next)
		if err := IfThere(err); err != nil {
			return fmt.Errorf("orphan %s: %w", controlloop.KeyOf(dependent), err)
		}
	}
	return g.unhold(ctx, owner, metav1.FinalizerOrphanDependents)
}

// unhold takes a finalizer away.
func (g *Collector) unhold(
	ctx context.Context, obj controlloop.Object, finalizer string,
) error {
	next := controlloop.Copy(obj)
	next.SetFinalizers(slices.DeleteFunc(next.GetFinalizers(),
		func(f string) bool { return f == finalizer }))
	_, err := g.Client.Update(ctx, next)
	if err := IfThere(err); err != nil {
		return fmt.Errorf("remove finalizer %s of %s: %w",
			finalizer, controlloop.KeyOf(obj), err)
	}
	return nil
}
