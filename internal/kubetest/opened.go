package kubetest

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// Closes fails a test at whose end more files and folders below a folder are open
// than now. What nobody holds any more is closed by a collection, so there is none
// meanwhile. Where a process isn't told what it has open, as it is on Linux, it
// passes.
func Closes(t testing.TB, folder string) {
	percent, before := debug.SetGCPercent(-1), openBelow(folder)
	t.Cleanup(func() {
		more := openBelow(folder) - before
		debug.SetGCPercent(percent)
		if more > 0 {
			t.Errorf("files and folders that were opened and are never closed: %d", more)
		}
	})
}

// openBelow returns how many descriptors are those of a folder, or of something in
// it.
func openBelow(folder string) (n int) {
	const own = "/proc/self/fd"
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return 0
	}
	descriptors, _ := os.ReadDir(own)
	for _, d := range descriptors {
		file, err := os.Readlink(filepath.Join(own, d.Name()))
		if err == nil && (file == folder || strings.HasPrefix(file, folder+string(filepath.Separator))) {
			n++
		}
	}
	return n
}
