//go:build !linux

package oci

import (
	"context"
	"fmt"
	"runtime"
)

// New refuses: containers are something that Linux has.
func New(context.Context, Config) (Runtime, error) {
	return nil, fmt.Errorf(
		"containers need Linux, and this is %s", runtime.GOOS)
}
