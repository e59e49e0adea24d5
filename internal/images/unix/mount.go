package unix

import (
	"os"
	"path"
	"strings"

	"github.com/spf13/afero"
)

// mount is what Files show of this machine.
type mount struct {
	path     string // in the container
	files    *disk
	readOnly bool
}

// Mount shows a directory or a file of this machine at a path. Of two the later
// counts.
func (f *Files) Mount(source, at string, readOnly bool) error {
	var files afero.Fs = afero.NewBasePathFs(afero.NewOsFs(), source)
	if readOnly {
		files = afero.NewReadOnlyFs(files)
	}
	at = Abs("/", at)
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = f.root.MkdirAll(at, 0o755)
	} else if err = f.root.MkdirAll(path.Dir(at), 0o755); err == nil {
		err = afero.WriteFile(f.root, at, nil, 0o644)
	}
	f.mounts = append(f.mounts, mount{at, &disk{Fs: files}, readOnly})
	return err
}

// at returns who has a file, and under which name.
func (f *Files) at(name string) (*disk, string) {
	name = Abs("/", name)
	if m := f.mounted(name); m != nil {
		return m.files, path.Join("/", strings.TrimPrefix(name, m.path))
	}
	return f.root, name
}

// mounted returns the mount that a file is in, or nil.
func (f *Files) mounted(name string) *mount {
	for i := len(f.mounts) - 1; i >= 0; i-- {
		m := &f.mounts[i]
		rest, inside := strings.CutPrefix(name, m.path)
		if inside && (rest == "" || rest[0] == '/' || m.path == "/") {
			return m
		}
	}
	return nil
}
