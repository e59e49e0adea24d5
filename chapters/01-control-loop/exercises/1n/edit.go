// Package edit is the caller's side of a conflict: read, change, write, and again
// when another write was faster.
package edit

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// An edit is tried so often, with so much time between two tries, as with
// client-go's retry.DefaultRetry.
const (
	Tries = 5
	Pause = 10 * time.Millisecond
)

// Edit makes a change to an object, and returns the object as it was stored. It
// fails with the last conflict when all tries are used up, or when an object that
// was read again is another one of the same name; with any other error at once.
//
//book:exercise 1n
func Edit(
	ctx context.Context, client controlloop.Client, kind schema.GroupVersionKind,
	key controlloop.Key, change func(obj controlloop.Object),
) (controlloop.Object, error) {
	var last controlloop.Object
	var conflict error
	for try := 1; ; try++ {
		read, err := client.Get(ctx, kind, key)
		if err != nil {
			return nil, err
		}
		if last != nil && last.GetUID() != read.GetUID() {
			return nil, conflict
		}
		last = controlloop.Copy(read)
		change(last)
		stored, err := client.Update(ctx, last)
		if err == nil {
			return stored, nil
		}
		if !apierrors.IsConflict(err) || try == Tries {
			return nil, err
		}
		conflict = err
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(Pause):
		}
	}
}
