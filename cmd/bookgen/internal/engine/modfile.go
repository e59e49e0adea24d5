package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"reconcile/internal/digest"
)

// Modfile makes a go.mod by which the book at root compiles for a page: it leads
// to changed copies of libraries, which lie beside it, in a folder in cache. It
// returns its path, for Go's -modfile. What was made before is not made again.
func Modfile(ctx context.Context, root, cache string) (string, error) {
	return makeModfile(ctx, root, cache, libraries)
}

func makeModfile(ctx context.Context, root, cache string, libraries []library) (string, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return "", err
	}
	goroot, err := goEnv(ctx, "GOROOT")
	if err != nil {
		return "", err
	}
	name, err := nameOf(mod, goroot, libraries)
	if err != nil {
		return "", err
	}
	folder, err := filepath.Abs(filepath.Join(cache, name))
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "go.mod")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	making, err := os.MkdirTemp(cache, name+"-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(making)
	if mod, err = replaced(ctx, root, goroot, mod, libraries, making, folder); err != nil {
		return "", err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(making, "go.mod"), mod, 0o644),
		os.WriteFile(filepath.Join(making, "go.sum"), sum, 0o644),
	)
	if err != nil {
		return "", err
	}
	if err := os.Rename(making, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return file, nil
}

// nameOf returns what the folder of these libraries is called: another one for
// other versions of them or of Go, and for other changes.
func nameOf(mod []byte, goroot string, libraries []library) (string, error) {
	version, err := os.ReadFile(filepath.Join(goroot, "VERSION"))
	if err != nil {
		return "", err
	}
	sum := sha256.New()
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

// replaced makes the copies in a folder that is to be moved to another, and
// returns the go.mod that leads to them there.
func replaced(
	ctx context.Context, root, goroot string, mod []byte, libraries []library, making, folder string,
) ([]byte, error) {
	file, err := modfile.Parse("go.mod", mod, nil)
	if err != nil {
		return nil, err
	}
	for i, l := range libraries {
		from, err := directory(ctx, root, l.module)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint(i)
		if err := l.copyOf(from, goroot, filepath.Join(making, name)); err != nil {
			return nil, err
		}
		if err := file.AddReplace(l.module, "", filepath.Join(folder, name), ""); err != nil {
			return nil, err
		}
	}
	return file.Format()
}

// directory returns the folder of a module in Go's cache.
func directory(ctx context.Context, root, module string) (string, error) {
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module)
	list.Dir = root
	var stderr bytes.Buffer
	list.Stderr = &stderr
	dir, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w\n%s", module, err, stderr.Bytes())
	}
	return strings.TrimSpace(string(dir)), nil
}
