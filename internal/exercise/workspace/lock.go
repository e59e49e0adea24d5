package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reconcile/internal/filelock"
)

// patience is how long a command waits for another to end. The lock is free
// while tests run, so a few seconds are a lot.
const patience = 5 * time.Second

// acquire takes the lock file, which the system gives back when the process
// ends, however it ends.
func acquire(ctx context.Context, path string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		release, err := filelock.TryLock(path)
		if !errors.Is(err, filelock.ErrLocked) {
			return release, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("another lab is at work in this book (it holds %s); try again when it has ended", path)
		}
	}
}
