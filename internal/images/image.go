package images

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/images/unix"
)

// image is what containers start as.
type image struct {
	entrypoint []string
	cmd        []string
	env        []string
	stop       syscall.Signal // 0: SIGTERM
	commands   map[string]unix.Command
	programs   map[string]simulated.Program // a chapter's, by path
	dirs       []string                     // beside those that all images have
	base       afero.Fs                     // the commands' files, shared by all containers
	files      map[string]string            // those that a container can do with as it likes
}

const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// built is when all images were built.
var built = time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)

// newImage returns an image with these commands, by path, and directories.
func newImage(commands map[string]unix.Command, dirs ...string) *image {
	base := newBase(dirs)
	for _, file := range slices.Sorted(maps.Keys(commands)) {
		base.MkdirAll(path.Dir(file), 0o755)
		afero.WriteFile(base, file, unix.Binary(file), 0o755)
	}
	afero.Walk(base, "/", func(name string, info fs.FileInfo, err error) error {
		return base.Chtimes(name, built, built)
	})
	return &image{
		env: []string{searchPath}, commands: commands, dirs: dirs, base: base,
	}
}

// stopSignal returns the signal that asks a container to end.
func (i *image) stopSignal() syscall.Signal {
	if i.stop == 0 {
		return unix.SIGTERM
	}
	return i.stop
}
