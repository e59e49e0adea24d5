package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
)

// A folder that is written as one holds
//
//	..2027_03_01_12_00_00.0/app/port  a directory with all files
//	..data -> ..2027_03_01_12_00_00.0
//	app -> ..data/app                 a link for each name at the top
//
// A program that follows a link comes to all files of one time: the next are
// written beside them, and then ..data is another link, in one step (Kubernetes:
// AtomicWriter in pkg/volume/util/atomic_writer.go).
const (
	current = "..data"
	next    = "..data_tmp"
)

// write makes a folder hold these files, by path, and no others. It may be
// interrupted, and is then called again.
func write(folder *os.Root, files map[string]file) error {
	if !holds(folder, files) {
		if err := replace(folder, files); err != nil {
			return err
		}
	}
	names := sets.New[string]()
	for name := range files {
		top, _, _ := strings.Cut(name, "/")
		names.Insert(top)
	}
	for name := range names {
		err := folder.Symlink(path.Join(current, name), name)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return tidy(folder, names)
}

// holds reports whether a folder holds these files, and no others.
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

// replace writes all files into a directory, and then makes it the current one.
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
		data := []byte(file.data)
		if err := folder.WriteFile(at, data, 0o600); err != nil {
			return err
		}
		if err := folder.Chmod(at, file.mode); err != nil {
			return err
		}
	}
	err = errors.Join(folder.RemoveAll(next), folder.Symlink(dir, next))
	if err != nil {
		return err
	}
	return folder.Rename(next, current)
}

// makeDated makes a directory that is named after the time. No name is given
// again: a program may be on its way to a directory that has just been removed.
func makeDated(folder *os.Root) (string, error) {
	now := time.Now().UTC().Format("..2006_01_02_15_04_05.")
	n := 0
	dir, _ := folder.Readlink(current)
	if last, err := strconv.Atoi(strings.TrimPrefix(dir, now)); err == nil {
		n = last + 1
	}
	for ; ; n++ {
		name := fmt.Sprint(now, n)
		err := folder.Mkdir(name, 0o755)
		if !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// tidy removes all that is neither current nor one of the names: the files of
// before, and those that were left half done.
func tidy(folder *os.Root, names sets.Set[string]) error {
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
		if name == current || name == dir || names.Has(name) {
			continue
		}
		if err := folder.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}
