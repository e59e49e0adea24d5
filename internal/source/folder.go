package source

import (
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Folders returns the folders of a chapter that hold its packages, by their
// paths from root, in order: "." for root itself, which is always among them,
// "node" and "node/budget" for packages below it. Folders with nothing but
// tests are left out, and whatever is in testdata and in root's exercises.
func Folders(root fs.FS) ([]string, error) {
	folders := map[string]bool{".": true}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := entry.Name(); {
		case err != nil || name == ".":
			return err
		case entry.IsDir():
			if name == "exercises" || base == "testdata" || base[0] == '.' || base[0] == '_' {
				return fs.SkipDir
			}
		case isGoFile(base) && !strings.HasSuffix(base, "_test.go"):
			folders[path.Dir(name)] = true
		}
		return nil
	})
	return slices.Sorted(maps.Keys(folders)), err
}

// Below returns the path of the file from a folder that it is in or below, with
// slashes.
func (f *File) Below(dir string) string {
	return strings.TrimPrefix(filepath.ToSlash(f.Path), filepath.ToSlash(dir)+"/")
}

// Embeds returns the patterns of the files that a file embeds. A pattern in
// quotes keeps them.
func (f *File) Embeds() []string {
	var patterns []string
	for _, group := range f.Syntax.Comments {
		for _, comment := range group.List {
			if list, ok := strings.CutPrefix(comment.Text, "//go:embed "); ok {
				patterns = append(patterns, strings.Fields(list)...)
			}
		}
	}
	return patterns
}
