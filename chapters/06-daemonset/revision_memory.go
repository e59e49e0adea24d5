package daemonset

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// memory keeps what the template of each owner came to: most looks are at one
// that has not changed.
type memory struct {
	mu sync.Mutex
	of map[types.UID]remembered
}

type remembered struct {
	generation int64 // of the owner: another template is another generation
	data       []byte
}

// dataOf returns what an owner's template comes to.
func (m *memory) dataOf(
	owner controlloop.Object, template *corev1.PodTemplateSpec,
) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.of[owner.GetUID()]
	if ok && known.generation == owner.GetGeneration() {
		return known.data, nil
	}
	data, err := dataOf(template)
	if err != nil {
		return nil, err
	}
	m.of[owner.GetUID()] = remembered{owner.GetGeneration(), data}
	return data, nil
}

// forget is told that an owner has gone.
func (m *memory) forget(owner controlloop.Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of, owner.GetUID())
}
