//go:build !linux

package mysqlcluster

import (
	"context"
	"fmt"
	"runtime"
)

// NewOCI refuses: containers are something that Linux has.
func NewOCI(context.Context, OCIConfig) (OCIRuntime, error) {
	return nil, fmt.Errorf(
		"containers need Linux, and this is %s", runtime.GOOS)
}
