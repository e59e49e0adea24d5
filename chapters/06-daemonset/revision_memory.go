package daemonset

import (
	"sync"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// memory caches the revision data of each owner, by its uid, because most
// reconciles find an unchanged template.
type memory struct{ of sync.Map }

type remembered struct {
	generation int64 // of the owner: another template is another generation
	data       []byte
}

// dataOf returns the revision data of an owner's template.
func (m *memory) dataOf(
	owner controlloop.Object, template *corev1.PodTemplateSpec,
) ([]byte, error) {
	if known, ok := m.of.Load(owner.GetUID()); ok {
		if r := known.(remembered); r.generation == owner.GetGeneration() {
			return r.data, nil
		}
	}
	data, err := dataOf(template)
	if err != nil {
		return nil, err
	}
	m.of.Store(owner.GetUID(), remembered{owner.GetGeneration(), data})
	return data, nil
}

// forget is told that an owner has gone.
func (m *memory) forget(owner controlloop.Object) { m.of.Delete(owner.GetUID()) }
