package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"reconcile/internal/digest"
	"reconcile/internal/diskcache"
	"reconcile/internal/gowork"
)

// outlined are compiler flags that turn inlining off, except in Go's own packages and
// the book's. That saves a tenth of the packed engine, and costs some percent of its
// speed. Without inlining in Go's own packages it would take half as long again.
var outlined = []string{"-gcflags=...=-l", "-gcflags=std=-l=0", "-gcflags=reconcile/...=-l=0"}

// Flags returns the flags that make Go compile the book at root for a page. They
// point to changed copies of libraries, and of files of Go's own, in a folder of
// cache, which are made once; a Go that another has downloaded is then reached by a
// link there.
func Flags(ctx context.Context, root, cache string) ([]string, error) {
	made, err := open(cache)
	if err != nil {
		return nil, err
	}
	if err := gowork.LinkDownloaded(ctx, filepath.Join(cache, "goroot")); err != nil {
		return nil, err
	}
	folder, err := copies(ctx, root, made, libraries)
	if err != nil {
		return nil, err
	}
	return append([]string{
		"-modfile=" + filepath.Join(folder, "go.mod"), "-overlay=" + filepath.Join(folder, "overlay.json"), "-tags=" + tags,
	}, outlined...), nil
}

// open returns what this package has made before, in a folder of a cache.
func open(cache string) (*diskcache.Cache, error) {
	cache, err := filepath.Abs(filepath.Join(cache, "engine"))
	if err != nil {
		return nil, err
	}
	return diskcache.Open(cache)
}

// copies returns the folder with the copies.
func copies(ctx context.Context, root string, made *diskcache.Cache, libraries []library) (string, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return "", err
	}
	goroot, err := gowork.Env(ctx, "GOROOT")
	if err != nil {
		return "", err
	}
	own, err := ownOfGo(goroot)
	if err != nil {
		return "", err
	}
	name, err := nameOf(mod, goroot, append(slices.Clone(libraries), own))
	if err != nil || made.Has(name) {
		return made.Path(name), err
	}
	making, err := os.MkdirTemp(made.Path(""), name+"-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(making)
	folder := made.Path(name)
	overlay, err := own.overlay(goroot, filepath.Join(making, "std"), filepath.Join(folder, "std"))
	if err != nil {
		return "", err
	}
	if mod, err = replaced(ctx, root, goroot, mod, libraries, making, folder); err != nil {
		return "", err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(making, "go.mod"), mod, 0o644),
		os.WriteFile(filepath.Join(making, "go.sum"), sum, 0o644),
		os.WriteFile(filepath.Join(making, "overlay.json"), overlay, 0o644),
	)
	if err != nil {
		return "", err
	}
	if err := os.Rename(making, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return folder, nil
}

// nameOf returns the name of the folder for these libraries. It depends on
// their versions, on Go's and its folder, and on the changes.
func nameOf(mod []byte, goroot string, libraries []library) (string, error) {
	version, err := os.ReadFile(filepath.Join(goroot, "VERSION"))
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	digest.Add(sum, "GOROOT", []byte(goroot))
	digest.Add(sum, "VERSION", version)
	digest.Add(sum, "go.mod", mod)
	fmt.Fprintf(sum, "%q\n", libraries)
	err = fs.WalkDir(added, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := added.ReadFile(name)
		digest.Add(sum, name, text)
		return err
	})
	return "libraries-" + hex.EncodeToString(sum.Sum(nil)[:8]), err
}

// replaced makes the copies in making, and returns the go.mod that points to
// them in folder, where they'll be moved.
func replaced(
	ctx context.Context, root, goroot string, mod []byte, libraries []library, making, folder string,
) ([]byte, error) {
	file, err := modfile.Parse("go.mod", mod, nil)
	if err != nil {
		return nil, err
	}
	from, err := directories(ctx, root, libraries)
	if err != nil {
		return nil, err
	}
	for i, l := range libraries {
		name := fmt.Sprint(i)
		if err := l.copyOf(from[l.module], goroot, filepath.Join(making, name)); err != nil {
			return nil, err
		}
		if err := file.AddReplace(l.module, "", filepath.Join(folder, name), ""); err != nil {
			return nil, err
		}
	}
	return file.Format()
}

// directories returns the folders of libraries in Go's cache, by their modules. What
// isn't there is fetched.
func directories(ctx context.Context, root string, libraries []library) (map[string]string, error) {
	download := gowork.Command(ctx, "mod", "download", "-json")
	for _, l := range libraries {
		download.Args = append(download.Args, l.module)
	}
	download.Dir = root
	var stderr bytes.Buffer
	download.Stderr = &stderr
	out, failed := download.Output()
	found := map[string]string{}
	for modules := json.NewDecoder(bytes.NewReader(out)); ; {
		var module struct{ Path, Dir, Error string }
		err := modules.Decode(&module)
		switch {
		case errors.Is(err, io.EOF) && failed == nil:
			return found, nil
		case err != nil:
			return nil, fmt.Errorf("go mod download: %w\n%s", errors.Join(failed, err), stderr.Bytes())
		case module.Error != "":
			return nil, fmt.Errorf("go mod download: %s", module.Error)
		}
		found[module.Path] = module.Dir
	}
}
