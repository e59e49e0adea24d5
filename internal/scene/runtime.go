package scene

import (
	"cmp"
	"slices"
	"sync"

	controlloop "reconcile/chapters/01-control-loop"
)

// exits are the containers that have ended and nobody was told of. Those that
// end at one instant do so in no order: they are told of by node and name.
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

// runtime returns a node's runtime that keeps its exits for tell.
func (e *exits) runtime(node string, r controlloop.Runtime) controlloop.Runtime {
	return patient{r, node, e}
}

type patient struct {
	controlloop.Runtime
	node  string
	exits *exits
}

// OnExit implements controlloop.Runtime.
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

// tell tells the kubelets of what has ended.
func (e *exits) tell() {
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
