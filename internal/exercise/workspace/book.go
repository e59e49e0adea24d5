package workspace

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// A bookFolder is a chapter's folder as the book has it: it reads the original
// of a file with started exercises, even if the reader has moved that away.
type bookFolder struct {
	session *session
	name    string // from the book's root
	mine    fs.FS
}

// Open implements fs.FS.
func (b bookFolder) Open(name string) (fs.File, error) {
	if file := b.name + "/" + name; len(b.session.progress.openIn(file)) > 0 {
		return os.Open(b.session.original(file))
	}
	return b.mine.Open(name)
}

// ReadDir implements fs.ReadDirFS.
func (b bookFolder) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(b.mine, name)
	if err != nil {
		return nil, err
	}
	for _, file := range b.session.progress.openFiles() {
		here, base := path.Dir(file) == path.Join(b.name, name), path.Base(file)
		at, there := slices.BinarySearchFunc(entries, base, func(e fs.DirEntry, name string) int {
			return strings.Compare(e.Name(), name)
		})
		if !here || there {
			continue
		}
		info, err := os.Stat(b.session.original(file))
		if err != nil {
			return nil, err
		}
		entries = slices.Insert(entries, at, fs.FileInfoToDirEntry(info))
	}
	return entries, nil
}
