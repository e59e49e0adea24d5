package up

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"reconcile/internal/filelock"
	"reconcile/internal/lab"
)

const (
	folderPrefix = "reconcile-" // in the system's temporary folder
	folderLock   = "lab.lock"   // in the lab's, which has it while it lives
)

// keepFolder gives a lab that keeps its volumes nowhere a folder for them, which
// goes with it. Those of labs that were killed go first.
func keepFolder(to *lab.Options, stops *undo) error {
	if to.Folder != "" {
		return nil
	}
	sweepFolders()
	folder, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return fmt.Errorf("no folder for the lab's volumes: %w; set %s to a folder that "+
			"is there and can be written, or name a file with --snapshot", err, temporary())
	}
	release, err := filelock.Hold(filepath.Join(folder, folderLock))
	if err != nil {
		return err
	}
	to.Folder = folder
	stops.add(func() error {
		release()
		_ = os.RemoveAll(folder) // of a temporary folder something may stay
		return nil
	})
	return nil
}

// temporary returns the variable that names the system's temporary folder.
func temporary() string {
	if runtime.GOOS == "windows" {
		return "TMP"
	}
	return "TMPDIR"
}

// sweepFolders removes the folders whose labs are gone: their locks are there, and
// can be had. One that is very young may be about to be locked.
func sweepFolders() {
	locks, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*", folderLock))
	for _, lock := range locks {
		info, err := os.Lstat(lock)
		if err != nil || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		release, err := filelock.TryLock(lock)
		if err != nil {
			continue // it lives, or is another user's
		}
		release()
		_ = os.RemoveAll(filepath.Dir(lock)) // the next lab tries again
	}
}
