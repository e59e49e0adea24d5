package deployment

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// These two indices make a graph of all objects: from an owner's uid to its
// dependents, and from a uid to its object.
const (
	byUID      = "uid"
	byAnyOwner = "owners"
)

func uidOf(obj controlloop.Object) []string { return []string{string(obj.GetUID())} }

func ownerUIDs(obj controlloop.Object) []string {
	var uids []string
	for _, ref := range obj.GetOwnerReferences() {
		uids = append(uids, string(ref.UID))
	}
	return uids
}

// concerned returns the keys that an event about obj concerns: its own, and
// those of owners that wait to go. An owner that waits is left out while
// something keeps it: with ten thousand dependents, the end of each would
// enqueue all the others, and so would the status in which it is counted. (An
// update is about the old object too: when a deletion begins, that one does not
// wait.)
func concerned(g graph, obj controlloop.Object) []controlloop.Key {
	var keys []controlloop.Key
	if !waitsToGo(obj) || !g.blocked(obj) {
		keys = append(keys, keyOf(obj.GetUID()))
	}
	for _, ref := range obj.GetOwnerReferences() {
		owner, known := g.find(ref.UID)
		if known && owner.GetDeletionTimestamp() != nil && !g.blocked(owner) {
			keys = append(keys, keyOf(ref.UID))
		}
	}
	return keys
}

// waitsToGo reports whether all that obj needs of the collector is to be let go
// when its dependents have gone.
func waitsToGo(obj controlloop.Object) bool {
	finalizers := obj.GetFinalizers()
	return obj.GetDeletionTimestamp() != nil &&
		slices.Contains(finalizers, metav1.FinalizerDeleteDependents) &&
		!slices.Contains(finalizers, metav1.FinalizerOrphanDependents)
}

// blocked reports whether any dependent keeps its owner from going.
func (g graph) blocked(owner controlloop.Object) bool {
	return slices.ContainsFunc(g, func(cache *controlloop.Indexer) bool {
		return cache.Any(byAnyOwner, string(owner.GetUID()),
			func(dependent controlloop.Object) bool {
				return blocks(dependent, owner)
			})
	})
}
