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

	graph graph
	look  func(types.UID) // queues an object for a look
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
	g.look = func(uid types.UID) { c.Queue.Add(keyOf(uid)) }
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

// Reconcile implements controlloop.Reconciler. Its key is a uid: see keyOf.
func (g *Collector) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	uid := types.UID(key.Name)
	obj, ok := g.graph.find(uid)
	if !ok {
		for _, dependent := range g.graph.dependents(uid) {
			g.look(dependent.GetUID())
		}
		return controlloop.Result{}, nil
	}
	if obj.GetDeletionTimestamp() != nil {
		return controlloop.Result{}, g.finish(ctx, obj)
	}
	if len(obj.GetOwnerReferences()) == 0 {
		return controlloop.Result{}, nil
	}
	g.tellAbroad(obj)
	return controlloop.Result{}, g.collect(ctx, obj)
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

// finish does for an object that is being deleted the work that it waits for.
func (g *Collector) finish(ctx context.Context, obj controlloop.Object) error {
	finalizers := obj.GetFinalizers()
	switch {
	case slices.Contains(finalizers, metav1.FinalizerOrphanDependents):
		return g.orphan(ctx, obj)
	case slices.Contains(finalizers, metav1.FinalizerDeleteDependents):
		return g.waitForDependents(ctx, obj)
	}
	return nil
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

// waitForDependents queues all dependents for a look, and lets their owner go
// when none that blocks it is left.
//
//book:exercise 2.9
func (g *Collector) waitForDependents(
	ctx context.Context, owner controlloop.Object,
) error {
	blocked := false
	for _, dependent := range g.graph.dependents(owner.GetUID()) {
		blocked = blocked || blocks(dependent, owner)
		if dependent.GetDeletionTimestamp() == nil {
			g.look(dependent.GetUID())
		}
	}
	if blocked {
		return nil // the last of them to go brings us back
	}
	return g.unhold(ctx, owner, metav1.FinalizerDeleteDependents)
}

func blocks(dependent, owner controlloop.Object) bool {
	return slices.ContainsFunc(dependent.GetOwnerReferences(),
		func(ref metav1.OwnerReference) bool {
			return ref.UID == owner.GetUID() &&
				ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
		})
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
