package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// A folder that is written as one has in it
//
//	..2027_03_01_12_00_00.0/app/port  a directory with all files
//	..data -> ..2027_03_01_12_00_00.0
//	app -> ..data/app                 a link for each name at the top
//
// Who follows a link comes to all files of one time: the next are written beside
// them, and then ..data is another link, in one step (Kubernetes: AtomicWriter
// in pkg/volume/util/atomic_writer.go).
const (
	current = "..data"
	next    = "..data_tmp"
)

// isWritten reports whether a folder has been written into.
func isWritten(folder string) bool {
	_, err := os.Lstat(path.Join(folder, current))
	return err == nil
}

// write has a folder hold these files, by path, and no others. It may be
// interrupted, and is then called again.
func write(folder *os.Root, files map[string]file) error {
	for name := range files {
		way, err := within(name)
		if err != nil || way == "." || strings.HasPrefix(way, "..") {
			return fmt.Errorf("invalid path: %s", name)
		}
	}
	if !holds(folder, files) {
		if err := replace(folder, files); err != nil {
			return err
		}
	}
	names := map[string]bool{}
	for name := range files {
		top, _, _ := strings.Cut(name, "/")
		names[top] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		err := folder.Symlink(path.Join(current, name), name)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return tidy(folder, names)
}

// holds reports whether these files are there, and no others.
func holds(folder *os.Root, files map[string]file) bool {
	dir, err := folder.Readlink(current)
	if err != nil {
		return false
	}
	found := 0
	err = fs.WalkDir(folder.FS(), dir,
		func(at string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			found++
			want, wanted := files[strings.TrimPrefix(at, dir+"/")]
			data, err := folder.ReadFile(at)
			if err == nil && (!wanted || want.data != string(data)) {
				err = fs.ErrNotExist
			}
			return err
		})
	return err == nil && found == len(files)
}

// replace writes all files into a directory, and then has them be current.
func replace(folder *os.Root, files map[string]file) error {
	dir, err := makeDated(folder)
	if err != nil {
		return err
	}
	for name, file := range files {
		at := path.Join(dir, name)
		if err := folder.MkdirAll(path.Dir(at), 0o755); err != nil {
			return err
		}
		err := folder.WriteFile(at, []byte(file.data), 0o600)
		if err != nil {
			return err
		}
		if err := folder.Chmod(at, file.mode); err != nil {
			return err
		}
	}
	if err := folder.RemoveAll(next); err != nil {
		return err
	}
	if err := folder.Symlink(dir, next); err != nil {
		return err
	}
	return folder.Rename(next, current)
}

// makeDated makes a directory that is named after the time.
func makeDated(folder *os.Root) (string, error) {
	now := time.Now().UTC().Format("..2006_01_02_15_04_05.")
	for n := 0; ; n++ {
		name := fmt.Sprint(now, n)
		err := folder.Mkdir(name, 0o755)
		if !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// tidy removes all that is neither current nor one of the names: what was there
// before, and what was left half done.
func tidy(folder *os.Root, names map[string]bool) error {
	dir, err := folder.Readlink(current)
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if name == current || name == dir || names[name] {
			continue
		}
		if err := folder.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}
