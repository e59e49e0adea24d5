package pack

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"reconcile/internal/digest"
)

// sealFile has the digest of the code that the programs were built from.
const sealFile = ".packed"

// ErrChanged is the error of a Program whose code has changed.
var ErrChanged = errors.New("the code of this folder is not as it was packed")

// Program returns the path of a program in a packed folder, for this system. It
// returns ErrChanged if a build would give another one, and fs.ErrNotExist for a
// folder that was not packed, or for other systems only.
func Program(root, name string) (string, error) {
	sealed, err := os.ReadFile(filepath.Join(root, sealFile))
	if err != nil {
		return "", err
	}
	file := filepath.Join(root, System{runtime.GOOS, runtime.GOARCH}.program(name))
	if _, err := os.Stat(file); err != nil {
		return "", err
	}
	sum, err := code(root)
	if err == nil && sum != strings.TrimSpace(string(sealed)) {
		err = ErrChanged
	}
	return file, err
}

// seal notes what the programs were built from.
func seal(folder string) error {
	sum, err := code(folder)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, sealFile), []byte(sum+"\n"), 0o644)
}

// code returns the digest of the code that people change: of all Go files but tests,
// and of what those embed. An edited manifest or page changes no program.
func code(root string) (string, error) {
	sum, files := sha256.New(), os.DirFS(root)
	add := func(name string) ([]byte, error) {
		text, err := fs.ReadFile(files, name)
		digest.Add(sum, name, text)
		return text, err
	}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isOutside(name):
			return fs.SkipDir
		case entry.IsDir() || name != "go.mod" && !isCode(entry.Name()):
			return nil
		}
		text, err := add(name)
		if err != nil {
			return err
		}
		return eachEmbedded(files, path.Dir(name), text, func(name string) error {
			_, err := add(name)
			return err
		})
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// isOutside reports whether no package of lab's programs is in a folder.
func isOutside(name string) bool {
	if name == "." {
		return false
	}
	first, _, _ := strings.Cut(name, "/")
	base := path.Base(name)
	return !slices.Contains([]string{"chapters", "cmd", "internal"}, first) ||
		base == "testdata" || strings.ContainsAny(base[:1], "._")
}

func isCode(name string) bool {
	return path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && !strings.ContainsAny(name[:1], "._")
}

// eachEmbedded calls do for each file that a Go file in a folder embeds.
func eachEmbedded(files fs.FS, folder string, text []byte, do func(name string) error) error {
	for line := range bytes.Lines(text) {
		patterns, ok := bytes.CutPrefix(line, []byte("//go:embed "))
		if !ok {
			continue
		}
		for _, pattern := range strings.Fields(string(patterns)) {
			names, err := fs.Glob(files, path.Join(folder, strings.TrimPrefix(pattern, "all:")))
			if err != nil {
				return fmt.Errorf("//go:embed %s in %s: %w", pattern, folder, err)
			}
			for _, name := range names {
				if err := eachFile(files, name, do); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// eachFile calls do for a file, or for each of a folder.
func eachFile(files fs.FS, name string, do func(name string) error) error {
	return fs.WalkDir(files, name, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return do(name)
	})
}
