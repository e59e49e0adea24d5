//go:build !linux

package torture

import (
	"context"
	"errors"
	"io"
)

var errElsewhere = errors.New("torture wants real containers, and those are Linux's")

// Run returns why it cannot run here.
func Run(_ context.Context, opts Options, _, _ io.Writer) error {
	if err := opts.Check(); err != nil {
		return err
	}
	return errElsewhere
}

// RunFailovers returns why it cannot run here.
func RunFailovers(context.Context, Options, io.Writer, io.Writer) error { return errElsewhere }
