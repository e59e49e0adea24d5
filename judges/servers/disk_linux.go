package servers

import (
	"errors"
	"fmt"
	"syscall"
)

func mount(folder, size string) error {
	if err := syscall.Mount("etcd", folder, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		return fmt.Errorf("mount a disk of %s: %w", size, err)
	}
	return nil
}

// unmount takes a disk away that mount has mounted, if it has.
func unmount(folder string) error {
	err := syscall.Unmount(folder, syscall.MNT_DETACH)
	if err == nil || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.EPERM) {
		return nil // EINVAL, ENOENT: there is none; EPERM: nor could it be mounted
	}
	return fmt.Errorf("unmount %s: %w", folder, err)
}

func full(err error) bool { return errors.Is(err, syscall.ENOSPC) }
