package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// newKept names a folder for copies: .reconcile/kept/1c/3-reset. Numbers go up
// and are never used again.
func (w *Workspace) newKept(owner, what string) (string, error) {
	entries, err := os.ReadDir(w.state("kept", owner))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	last := 0
	for _, entry := range entries {
		number, _, _ := strings.Cut(entry.Name(), "-")
		n, _ := strconv.Atoi(number) // what has no number counts as 0
		last = max(last, n)
	}
	return w.state("kept", owner, fmt.Sprintf("%d-%s", last+1, what)), nil
}

// keep adds copies of files to the change, before the writes that replace them.
// It returns the folder, from the book's root; "" if nothing is to be kept.
func (s *session) keep(number, what string, files map[string][]byte) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	folder, err := s.newKept(number, what)
	if err != nil {
		return "", err
	}
	folders := make(map[string]bool)
	for path := range files {
		folders[filepath.Dir(path)] = true
	}
	for path, text := range files {
		name := filepath.Base(path)
		if len(folders) > 1 { // two folders may have files of one name
			name = filepath.FromSlash(strings.TrimPrefix(path, "chapters/"))
		}
		s.change.put(filepath.Join(folder, name), text)
	}
	return s.relative(folder), nil
}

// relative names a path from the book's root, as messages do.
func (w *Workspace) relative(path string) string {
	if short, err := filepath.Rel(w.root, path); err == nil {
		return filepath.ToSlash(short)
	}
	return path
}
