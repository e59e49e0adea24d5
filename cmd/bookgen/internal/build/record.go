package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"reconcile/internal/digest"
	"reconcile/internal/workshop/course"
)

// record is what a build leaves in the cache. If the sources and the site are
// still as it says, the next build has nothing to do.
type record struct {
	Of      sources
	Digests map[string]string // of the packages of the chapters, by folder
	Site    string            // the digest of what was written
	Did     Report
}

// sources are digests of all that a site is made of, in two parts: what weaves
// (this program, the version of Go, all code that the chapters may import), and
// what is woven besides code.
type sources struct{ Code, Rest string }

// recordFile returns the path of the record of a site in some folders; without a
// cache there is none.
func (o Options) recordFile(folders []string) string {
	if o.Cache == "" {
		return ""
	}
	all := strings.Join(folders, "\n")
	return filepath.Join(o.Cache, fmt.Sprintf("built-%x.json", sha256.Sum256([]byte(all))))
}

// readRecord returns an empty record in the place of one that it cannot read: the
// site is made anew.
func readRecord(file string) record {
	var r record
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &r) != nil {
		return record{}
	}
	return r
}

// isThere reports whether the folders hold what was written.
func (r record) isThere(folders []string) bool {
	sum, err := siteSum(folders)
	return err == nil && sum == r.Site
}

func (r record) write(file string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

func (o Options) sources() (sources, error) {
	program, err := thisProgram()
	if err != nil {
		return sources{}, err
	}
	code, rest := sha256.New(), sha256.New()
	fmt.Fprintf(code, "%x %s %s %s %t %d\n", program, runtime.Version(), runtime.GOOS, runtime.GOARCH, o.Live, o.Packing)
	fmt.Fprintln(rest, o.URL)
	for _, b := range o.Bindings {
		fmt.Fprintln(rest, b.Ext)
	}
	generated := []string{filepath.Base(o.Site()), filepath.Base(o.Public())}
	err = eachFile(o.Root, func(name string) hash.Hash {
		first, _, _ := strings.Cut(name, "/")
		switch {
		case path.Ext(name) == ".go" && !slices.Contains(generated, first), name == "go.mod", name == "go.sum":
			return code
		case first == "chapters", first == course.Folder, first == name: // that one lies beside them
			return rest
		}
		return nil
	})
	return sources{hex.EncodeToString(code.Sum(nil)), hex.EncodeToString(rest.Sum(nil))}, err
}

// thisProgram returns the digest of the running program.
var thisProgram = sync.OnceValues(func() ([]byte, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return sum.Sum(nil), err
})

// siteSum returns the digest of all files in some folders.
func siteSum(folders []string) (string, error) {
	sum := sha256.New()
	for _, folder := range folders {
		fmt.Fprintln(sum, folder)
		err := addFiles(sum, folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// addFiles adds all files at and below a folder, by their names from there. Of
// hidden folders it adds none.
func addFiles(sum hash.Hash, folder string) error {
	return eachFile(folder, func(string) hash.Hash { return sum })
}

// eachFile adds each of these files to the digest that the caller names for it,
// or to none.
func eachFile(folder string, sumOf func(name string) hash.Hash) error {
	files := os.DirFS(folder)
	var content bytes.Buffer
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		sum := sumOf(name)
		if sum == nil {
			return nil
		}
		file, err := files.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		content.Reset()
		_, err = content.ReadFrom(file)
		digest.Add(sum, name, content.Bytes())
		return err
	})
}
