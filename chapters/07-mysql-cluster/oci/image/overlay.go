//go:build linux

package image

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// layOver shows the files of an image in a folder, and keeps apart what is
// changed there: an overlay, which costs nothing but what a container writes.
// It is a copy where the kernel gives no overlay.
func layOver(files, dir string) error {
	layer := dir + "-changes"
	upper, work := filepath.Join(layer, "upper"), filepath.Join(layer, "work")
	for _, folder := range []string{upper, work} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	if !strings.ContainsAny(files+dir, ",:\\") { // they mean something there
		err := unix.Mount("overlay", dir, "overlay", 0, fmt.Sprintf(
			"lowerdir=%s,upperdir=%s,workdir=%s", files, upper, work))
		if err == nil {
			return nil
		}
	}
	// Not cp -a, which fails in a user namespace.
	out, err := exec.Command("cp", "-dR",
		"--preserve=mode,links,timestamps,ownership",
		files+"/.", dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copy the files of an image: %w: %s", err, out)
	}
	return nil
}

// takeAway undoes layOver, but for what it copied.
func takeAway(dir string) error {
	err := unix.Unmount(dir, unix.MNT_DETACH)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
		err = nil // it was a copy, or it was undone before
	}
	return errors.Join(err, os.RemoveAll(dir+"-changes"))
}
