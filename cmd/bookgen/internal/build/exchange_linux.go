package build

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange puts fresh in the place of dir, in one step if the file system can;
// the old folder is then in the place of the new one.
func exchange(fresh, dir string) error {
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return os.Rename(fresh, dir)
	}
	err := unix.Renameat2(unix.AT_FDCWD, fresh, unix.AT_FDCWD, dir, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return swapByRenames(fresh, dir)
	}
	return err
}
