package build

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// replaceSite puts a new folder of files in the place of the old one, and
// returns the paths that differ. A reader sees the old files or the new
// ones, whenever this is stopped: restore comes first, the next time. Files that
// did not change stay the same files, with their times.
func replaceSite(ctx context.Context, dir string, files map[string][]byte) ([]string, error) {
	fresh := dir + ".new" // beside it, so that a rename suffices
	changed, err := Stale(dir, files)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	defer os.RemoveAll(fresh) // the old files, when all went well
	differs := map[string]bool{}
	for _, name := range changed {
		differs[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		target := filepath.Join(fresh, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return nil, err
		}
		if err := place(filepath.Join(dir, filepath.FromSlash(name)), target, files[name], differs[name]); err != nil {
			return nil, err
		}
	}
	return changed, exchange(fresh, dir)
}

// place writes a file, or takes over the old one that equals it.
func place(old, target string, content []byte, differs bool) error {
	if !differs && os.Link(old, target) == nil {
		return nil
	}
	if err := os.WriteFile(target, content, 0o644); err != nil || differs {
		return err
	}
	info, err := os.Stat(old)
	if err != nil {
		return err
	}
	return os.Chtimes(target, info.ModTime(), info.ModTime())
}

// Stale compares a folder with the files that it should hold, and returns
// the paths that are missing, different, or too many, sorted.
func Stale(dir string, files map[string][]byte) ([]string, error) {
	var stale []string
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if os.IsNotExist(err) && path == dir {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		seen[name] = true
		content, err := os.ReadFile(path)
		if want, ok := files[name]; !ok || !bytes.Equal(content, want) {
			stale = append(stale, name)
		}
		return err
	})
	for name := range files {
		if !seen[name] {
			stale = append(stale, name)
		}
	}
	slices.Sort(stale)
	return stale, err
}

// restore cleans up behind a build that was killed, and brings the old site
// back if the build died between two renames.
func restore(dir string) error {
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		if err := os.Rename(dir+".old", dir); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	for _, leftover := range []string{dir + ".new", dir + ".old"} {
		if err := os.RemoveAll(leftover); err != nil {
			return fmt.Errorf("clean up behind a build that was stopped: %w", err)
		}
	}
	return nil
}

// swapByRenames exchanges two folders on systems that cannot do it in one step.
// Between the renames no site exists; restore knows.
func swapByRenames(fresh, dir string) error {
	old := dir + ".old"
	if err := os.Rename(dir, old); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return err
	}
	return os.RemoveAll(old)
}
