//go:build !linux

package up

import (
	"context"
	"fmt"
	"runtime"

	"reconcile/internal/lab"
)

func inRoom() bool { return false }

func enterRoom(_ context.Context, opts Options, _ *ports) error {
	return fmt.Errorf("--runtime %s: its containers need Linux, and this is %s",
		opts.Runtime, runtime.GOOS)
}

func furnishRoom(
	context.Context, Options, string, *lab.Options, *undo,
) (*names, error) {
	panic("there is no room")
}

func holdsLimits() bool { panic("there is no room") }

func tellOutside(string) { panic("there is no room") }
