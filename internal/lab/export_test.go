package lab

import (
	"context"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
)

// Folder returns where the lab's volumes are.
func (l *Lab) Folder() string { return l.folder }

// Register stores the first Node, as a lab over this store would.
func Register(ctx context.Context, store *controlloop.Store) error {
	return (&Lab{Store: store, hardware: inMemory{}}).register(ctx, &node{number: 1, name: "node-1"})
}

// Besides returns how many controllers run that no chapter has.
func (l *Lab) Besides() int { return len(l.parts.besides) }

// Sandboxes returns those of the first machine.
func (l *Lab) Sandboxes() []kubelet.Sandbox { return l.nodes[0].runtime.Sandboxes() }
