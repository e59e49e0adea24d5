package scene

import (
	"cmp"
	"slices"
	"sync"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
)

// exits holds containers that have ended, of which the kubelets have not been
// told. Those that end at one instant do so in no order: the kubelets are told
// of them by node and name.
type exits struct {
	wake func()

	mu    sync.Mutex
	heard []exit
	tells map[string]func(controlloop.Key) // by node
}

type exit struct {
	node string
	pod  controlloop.Key
}

// runtime returns a node's runtime that keeps its exits for tell, and shows its
// containers when they are still.
func (e *exits) runtime(node string, r kubelet.Runtime) kubelet.Runtime {
	return patient{r, node, e}
}

type patient struct {
	kubelet.Runtime
	node  string
	exits *exits
}

// Containers implements kubelet.Runtime. A kubelet looks only when the
// containers that it has started or stopped have come as far as they come at
// this instant: else it might see a container before its end or after it.
func (p patient) Containers(pod types.UID) map[string]corev1.ContainerStatus {
	synctest.Wait()
	return p.Runtime.Containers(pod)
}

// OnExit implements kubelet.Runtime.
func (p patient) OnExit(f func(controlloop.Key)) {
	e := p.exits
	e.mu.Lock()
	if e.tells == nil {
		e.tells = map[string]func(controlloop.Key){}
	}
	e.tells[p.node] = f
	e.mu.Unlock()
	p.Runtime.OnExit(func(pod controlloop.Key) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.heard = append(e.heard, exit{p.node, pod})
		e.wake()
	})
}

// notifyKubelets tells the kubelets of the containers that have ended.
func (e *exits) notifyKubelets() {
	e.mu.Lock()
	heard := e.heard
	e.heard = nil
	e.mu.Unlock()
	slices.SortFunc(heard, func(a, b exit) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.pod.String(), b.pod.String()))
	})
	for _, x := range heard {
		e.tells[x.node](x.pod)
	}
}
