package toolchain

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"reconcile/internal/exercise/unit"
	"reconcile/internal/gowork"
)

// A listed package is one as go list describes it. Name is "p [q.test]" for a
// package that was compiled for the tests of another.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Deps           []string
	Incomplete              bool
	Error                   *struct{ Err string }
}

// list compiles test packages of the book at root for a page, with all that they
// link, and returns the packages by their names. The flags are those by which libraries
// are for a page.
func (c *compiler) list(ctx context.Context, root string, flags, folders []string) (map[string]*listed, error) {
	arguments := slices.Concat([]string{"list"}, flags, []string{"-export", "-deps", "-test", "-trimpath", "-buildvcs=false",
		"-gcflags=reconcile/...=-l", "-toolexec", c.file("toolexec.sh"), "-json=ImportPath,Dir,Export,GoFiles,Deps,Incomplete,Error"})
	for _, folder := range folders {
		arguments = append(arguments, "./"+folder)
	}
	command := gowork.Command(ctx, arguments...)
	command.Dir = root
	command.Env = append(os.Environ(), system...)
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("compile the tests that judge for a page: %w\n%s", err, said.String())
	}
	all := map[string]*listed{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		switch err := decoder.Decode(p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all[p.ImportPath] = p
	}
}

var system = []string{"GOOS=js", "GOARCH=wasm"}

// archives are compiled packages, by their digests.
type archives map[string]archive

// An archive is where a package lies, compiled.
type archive struct{ path, file string }

// unit returns what a page needs to compile a folder's package anew, and to link its
// tests. The archives of these are added to all.
func (all archives) unit(packages map[string]*listed, folder string) (*unit.Unit, error) {
	u := &unit.Unit{
		Path: "reconcile/" + folder, Go: runtime.Version(), Archives: map[string]string{}, Texts: map[string]string{},
	}
	test := u.Path + ".test"
	main := packages[test]
	if main == nil {
		return nil, fmt.Errorf("%s has no tests", folder)
	}
	own := packages[u.Path]
	for _, name := range main.Deps {
		p := packages[name]
		path, _, _ := strings.Cut(name, " ")
		if path == "unsafe" {
			continue
		}
		if p == nil || p.Export == "" {
			return nil, fmt.Errorf("%s was not compiled", name)
		}
		sum, err := all.add(path, p.Export)
		if err != nil {
			return nil, err
		}
		u.Archives[path] = sum
		if path == u.Path {
			own = p
		}
	}
	var err error
	if u.Main, err = all.add(test, main.Export); err != nil {
		return nil, err
	}
	return u, read(u, own)
}

// read notes what of a package a page has to know.
func read(u *unit.Unit, p *listed) error {
	text, err := os.ReadFile(p.Export)
	if err != nil {
		return err
	}
	mark, err := unit.Fingerprint(text)
	if err != nil {
		return fmt.Errorf("%s: %w", p.ImportPath, err)
	}
	u.Known = hex.EncodeToString(mark)
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		u.Files = append(u.Files, name)
		u.Texts[name] = string(text)
	}
	return nil
}

func (all archives) add(path, file string) (sum string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	sum = digestOf(text)
	all[sum] = archive{path, file}
	return sum, nil
}
