package storage

import (
	"iter"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// What only the tests may see.

var Mismatch = mismatch

// Rack is a rack of volumes.
type Rack struct{ *rack }

func NewRack() Rack { return Rack{newRack()} }

func (r Rack) Put(volume *corev1.PersistentVolume) { r.put(slotOfVolume(volume)) }

func (r Rack) Drop(name string) { r.drop(controlloop.Key{Name: name}) }

// From returns the names of the volumes that a claim would be shown.
func (r Rack) From(claim *corev1.PersistentVolumeClaim) iter.Seq[string] {
	s := slotOfClaim(claim)
	return func(yield func(string) bool) {
		for p := range r.from(s.shape, s.modes, s.size) {
			if !yield(p.key.Name) {
				return
			}
		}
	}
}
