//go:build !js

package trial

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"reconcile/internal/gowork"
)

// Build compiles the tests of the package in dir to a binary. The go tool takes
// other texts for files on disk, by their absolute paths; those stay as they
// are, or need not exist. It writes its own files beside the binary.
func Build(ctx context.Context, dir, binary string, texts map[string][]byte) (output []byte, err error) {
	overlay, err := writeOverlay(filepath.Dir(binary), texts)
	if err != nil {
		return []byte(err.Error()), err
	}
	command := gowork.Command(ctx, "test", "-c", "-ldflags=-s -w", "-gcflags=-e", "-overlay", overlay, "-o", binary, ".")
	command.Dir = dir
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // it tidies up
	command.WaitDelay = 2 * time.Second
	return command.CombinedOutput()
}

// Temporary returns the variables by which the temporary folder of a binary is the one
// that it was built in: what tests that are killed leave there goes with that.
func Temporary(binary string) []string {
	folder := filepath.Dir(binary)
	return []string{"TMPDIR=" + folder, "TMP=" + folder} // TMP is Windows'
}
