package build

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"reconcile/internal/digest"
)

// record is what a build leaves in the cache: the next has nothing to do if it
// would make a site of the same, and finds that in its place.
type record struct {
	Sources, Site string // digests
	Did           Report
}

// recordFile returns the path of the record of a site in some folders; without a
// cache there is none.
func (o Options) recordFile(folders []string) string {
	if o.Cache == "" {
		return ""
	}
	all := strings.Join(folders, "\n")
	return filepath.Join(o.Cache, fmt.Sprintf("built-%x.json", sha256.Sum256([]byte(all))))
}

// readRecord returns nil for a record that it cannot read: the site is made anew.
func readRecord(file string) *record {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var r record
	if json.Unmarshal(text, &r) != nil {
		return nil
	}
	return &r
}

func (r record) write(file string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// sources returns the digest of all that a site is made of: this program, the
// version of Go, each file of the chapters, and all code that theirs may import.
func (o Options) sources() (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	digest.Add(sum, "", content)
	generated := []string{filepath.Base(o.Site()), filepath.Base(o.Public())}
	err = addFiles(sum, o.Root, func(name string) bool {
		first, _, _ := strings.Cut(name, "/")
		return first == "chapters" || name == "go.mod" || name == "go.sum" ||
			path.Ext(name) == ".go" && !slices.Contains(generated, first)
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// siteSum returns the digest of all files in some folders.
func siteSum(folders []string) (string, error) {
	sum := sha256.New()
	for _, folder := range folders {
		fmt.Fprintln(sum, folder)
		err := addFiles(sum, folder, func(string) bool { return true })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// addFiles adds the files at and below a folder that count, by their names from
// there. Of hidden folders it adds none.
func addFiles(sum hash.Hash, folder string, counts func(name string) bool) error {
	files := os.DirFS(folder)
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir() || !counts(name):
			return nil
		}
		content, err := fs.ReadFile(files, name)
		if err == nil {
			digest.Add(sum, name, content)
		}
		return err
	})
}
