package link

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/internal/source"
)

// SceneExt is the extension of scenes. All below a chapter's testdata are
// played by the tests of internal/scene, so none is typed by hand.
const SceneExt = ".scene"

// Languages of files by their extension. A file without one is a script.
var Languages = map[string]string{
	"":      "sh",
	".yaml": "yaml", ".yml": "yaml", ".json": "json", ".sh": "sh", ".txt": "text", SceneExt: "text", ".md": "markdown",
}

// Listed reports whether a file other than Go code has a listing.
func (c *Chapter) Listed(name string) bool {
	ext := path.Ext(name)
	switch of, _, _ := strings.Cut(name, "/"); {
	case of == "exercises":
		return ext == ".md" && path.Dir(name) == of // below it are the answers that readers give
	case IsRecorded(name):
		return ext == ".txt" || ext == SceneExt
	case of == "manifests" || c.Embedded[name]:
		return Languages[ext] != ""
	}
	return false
}

// IsRecorded reports whether a file is in the testdata of the chapter or of one
// of its packages.
func IsRecorded(name string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), "testdata")
}

// IsCode reports whether a file is Go code of the chapter's packages. The code
// of an exercise's own package is the exercise's to show.
func IsCode(name string) bool {
	return path.Ext(name) == ".go" && !strings.HasPrefix(name, "exercises/")
}

// readEmbedded finds the files that the chapter's packages embed.
func (c *Chapter) readEmbedded() error {
	var errs []error
	for p, file := range c.Files() {
		for _, pattern := range file.Embeds() {
			matches, err := filepath.Glob(filepath.Join(p.Dir, strings.TrimPrefix(pattern, "all:")))
			errs = append(errs, err)
			for _, match := range matches {
				errs = append(errs, c.EachFile(match, func(name string) { c.Embedded[name] = true }))
			}
		}
	}
	return source.Join(errs...)
}

// EachFile calls f with each file at a path or below it, by its name in the
// chapter.
func (c *Chapter) EachFile(at string, f func(name string)) error {
	return filepath.WalkDir(at, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case os.IsNotExist(err):
			return nil
		case err != nil || entry.IsDir():
			return err
		}
		name, err := filepath.Rel(c.Dir, file)
		f(filepath.ToSlash(name))
		return err
	})
}

func (c *Chapter) Exists(name string) error {
	info, err := os.Stat(c.Path(name))
	if err != nil {
		return fmt.Errorf("there is no file %s in %s", name, c.Slug)
	}
	if info.IsDir() {
		return fmt.Errorf("%s is a folder", name)
	}
	return nil
}

// Read returns a text file of the chapter.
func (c *Chapter) Read(name string) ([]byte, error) {
	content, err := os.ReadFile(c.Path(name))
	if err != nil {
		return nil, err
	}
	return content, source.PlainText(c.Path(name), content)
}

// Path returns the path of a chapter's file on disk.
func (c *Chapter) Path(name string) string {
	return filepath.Join(c.Dir, filepath.FromSlash(name))
}
