package controlloop

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Allotment gives out values that only one object of a kind may have at a time:
// an address, a port. The zero value gives out none. (Kubernetes keeps bitmaps,
// or an object for each: pkg/registry/core/service/ipallocator.)
type Allotment struct {
	// Of returns the values that obj has.
	Of func(obj Object) []string
	// Give gives obj the values that it lacks, and returns errors for those that
	// it asks for in vain. old is the object whose place it takes, or nil. The
	// store is locked meanwhile.
	Give func(obj, old Object, taken func(value string) bool) field.ErrorList
}

// and returns an allotment of both: first that of a, then that of more.
func (a Allotment) and(more Allotment) Allotment {
	switch {
	case a.Of == nil:
		return more
	case more.Of == nil:
		return a
	}
	return Allotment{
		Of: func(obj Object) []string {
			return slices.Concat(a.Of(obj), more.Of(obj))
		},
		Give: func(obj, old Object, taken func(string) bool) field.ErrorList {
			return slices.Concat(
				a.Give(obj, old, taken), more.Give(obj, old, taken))
		},
	}
}

// allot gives obj, which is to take the place of old, the values that it lacks.
// It fails if obj asks for values that other objects have.
func (t *table) allot(obj, old Object) error {
	if t.Allotment.Of == nil {
		return nil
	}
	return t.invalid(obj, t.Allotment.Give(obj, old, func(value string) bool {
		owner, taken := t.owners[value]
		return taken && (old == nil || owner != KeyOf(old))
	}))
}

// hold gives the values that old had back, and takes those of next; each may be nil.
func (t *table) hold(next, old Object) {
	if t.Allotment.Of == nil {
		return
	}
	if old != nil {
		for _, value := range t.Allotment.Of(old) {
			delete(t.owners, value)
		}
	}
	if next != nil {
		for _, value := range t.Allotment.Of(next) {
			t.owners[value] = KeyOf(next)
		}
	}
}
