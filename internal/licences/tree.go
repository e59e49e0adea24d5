package licences

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// besides matches the licence of what lies beside it: of all that its folder holds,
// or of the files whose names begin like its own.
var besides = regexp.MustCompile(`^(?:(.+)-)?LICEN[CS]E\b`)

// notOurs are folders at the root that hold copies.
var notOurs = []string{"vendor", "site", "public"}

// InTree returns what lies below a folder with a licence of its own: fonts, and
// what only tests need. The licences in the folder itself are the book's.
func InTree(root string) ([]Part, error) {
	sources := map[string]*source{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && strings.HasPrefix(entry.Name(), ".") || slices.Contains(notOurs, name) {
				return fs.SkipDir
			}
			return nil
		}
		found := besides.FindStringSubmatch(entry.Name())
		if found == nil || path.Dir(name) == "." {
			return nil
		}
		file := filepath.Join(root, filepath.FromSlash(name))
		of := path.Join(path.Dir(name), found[1])
		if sources[of] == nil {
			sources[of] = &source{of, "", filepath.Dir(file), map[string]bool{}}
		}
		sources[of].files[file] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return parts(sources)
}
