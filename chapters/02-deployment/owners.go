package deployment

import (
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// graph says which object owns which, over the caches of all kinds. It is not
// kept anywhere: the indices contain it.
type graph []*controlloop.Indexer

func (g graph) find(uid types.UID) (controlloop.Object, bool) {
	for _, cache := range g {
		if found := cache.Lookup(byUID, string(uid)); len(found) > 0 {
			return found[0], true
		}
	}
	return nil, false
}

func (g graph) dependents(uid types.UID) []controlloop.Object {
	var all []controlloop.Object
	for _, cache := range g {
		all = append(all, cache.Lookup(byAnyOwner, string(uid))...)
	}
	return all
}

// keyOf returns the key by which the collector names an object: its uid, in the
// place of the name. A name may be given to another; a uid never is.
func keyOf(uid types.UID) controlloop.Key {
	return controlloop.Key{Name: string(uid)}
}
