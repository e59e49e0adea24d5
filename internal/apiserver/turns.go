package apiserver

import (
	"context"
	"runtime"

	controlloop "reconcile/chapters/01-control-loop"
)

// turns are taken to read a whole collection: as many at once as there are
// processors. While a collection is read nothing is written, and a thousand clients
// that read theirs side by side would all be in the midst of it: a writer would
// wait for the last of them. A turn ends before anything is sent, so clients that
// don't read hold none.
type turns chan struct{}

func newTurns() turns { return make(turns, runtime.GOMAXPROCS(0)) }

// items returns what is selected of a collection.
func (s *storage) items(
	ctx context.Context, selected controlloop.ListOptions,
) (controlloop.List, error) {
	s.turns <- struct{}{}
	defer func() { <-s.turns }()
	return s.store.List(ctx, s.gvk(), selected)
}
