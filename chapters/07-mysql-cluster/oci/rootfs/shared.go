package rootfs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/opencontainers/runtime-spec/specs-go"
)

// Shared does what OnUsr does, and makes the links once: those of each root are
// other names of the same files. That costs a few milliseconds; a thousand new
// files can take a disk half a second. Without a Folder nothing is shared.
type Shared struct {
	Folder string // on the disk of the roots

	mu     sync.Mutex
	dir    string // where the links are
	of     string // the machine's programs, when they were made
	mounts []specs.Mount
}

// OnUsr gives a root the programs of a machine's usr.
func (s *Shared) OnUsr(usr, dir string) ([]specs.Mount, error) {
	if s.Folder == "" {
		return OnUsr(usr, dir)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := lookAt(usr); of != s.of {
		err := s.make(usr)
		if err != nil {
			return nil, err
		}
		s.of = of
	}
	return s.mounts, share(s.dir, dir)
}

func (s *Shared) make(usr string) error {
	err := os.MkdirAll(s.Folder, 0o755)
	if err == nil {
		s.dir, err = os.MkdirTemp(s.Folder, "")
	}
	if err == nil {
		s.mounts, err = OnUsr(usr, s.dir)
	}
	return err
}

// lookAt returns something that changes when a program is installed.
func lookAt(usr string) (of string) {
	for _, dir := range []string{filepath.Join(usr, "bin"),
		filepath.Join(usr, "sbin"), usr, etc} {
		if info, err := os.Stat(dir); err == nil {
			of += fmt.Sprintln(info.ModTime().UnixNano())
		}
	}
	return of
}

// share gives a root the folders of another, and the links in them.
func share(from, dir string) error {
	return filepath.WalkDir(from, func(
		path string, d fs.DirEntry, err error,
	) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, path[len(from):])
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		if os.Link(path, to) == nil {
			return nil
		}
		return repeat(path, to) // where a file has one name, or it's another disk
	})
}
