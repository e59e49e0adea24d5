package up

import (
	"context"
	"io"

	controlloop "reconcile/chapters/01-control-loop"
)

// TellEvents returns a function that prints the events from now on.
func TellEvents(
	store *controlloop.Store, out io.Writer,
) (run func(context.Context), err error) {
	t, err := newTeller(store, out)
	return t.run, err
}
