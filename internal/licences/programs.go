package licences

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"reconcile/internal/gowork"
)

// Programs are packages that are compiled, and how.
type Programs struct {
	Root     string   // a folder of their module
	Packages []string // by their folders from there: "cmd/lab"
	Flags    []string // of Go's command, besides
	Systems  []string // "linux/amd64"; none: the system that this runs on
}

// listed is what Go's command says of a package.
type listed struct {
	ImportPath, Dir string
	Module          *struct {
		Path, Version string
		Main          bool
		Replace       *struct{ Path string }
	}
}

// WithTree returns the parts of the programs, and what lies in the tree of their
// root: all that others wrote of a folder with both.
func (p Programs) WithTree(ctx context.Context) ([]Part, error) {
	compiled, err := p.Parts(ctx)
	if err != nil {
		return nil, err
	}
	lying, err := InTree(p.Root)
	return append(compiled, lying...), err
}

// Parts returns the modules of which a package is compiled into the programs, on
// any of the systems, and Go's library.
func (p Programs) Parts(ctx context.Context) ([]Part, error) {
	systems := p.Systems
	if systems == nil {
		systems = []string{runtime.GOOS + "/" + runtime.GOARCH}
	}
	sources := map[string]*source{}
	seen := map[string]bool{}
	for _, system := range systems {
		packages, err := p.list(ctx, system)
		if err != nil {
			return nil, err
		}
		for _, pkg := range packages {
			if pkg.Module != nil && pkg.Module.Main || seen[pkg.Dir] {
				continue
			}
			seen[pkg.Dir] = true
			if err := pkg.addTo(sources); err != nil {
				return nil, err
			}
		}
	}
	return parts(sources)
}

// addTo adds to the part that the package is of what lies in the package's folder
// and in those around it, up to the module's: what was taken over from elsewhere
// has its own licence there.
func (pkg listed) addTo(sources map[string]*source) error {
	name, version := "Go", runtime.Version()
	up := strings.Count(pkg.ImportPath, "/") + 2 // from src/net/http to the folder of src
	if m := pkg.Module; m != nil {
		name, version = m.Path, m.Version
		up = strings.Count(strings.TrimPrefix(pkg.ImportPath, m.Path), "/")
		if m.Replace != nil {
			version += ", changed"
		}
	}
	folders := []string{pkg.Dir}
	for range up {
		folders = append(folders, filepath.Dir(folders[len(folders)-1]))
	}
	if sources[name] == nil {
		sources[name] = &source{name, version, folders[up], map[string]bool{}}
	}
	for _, folder := range folders {
		if err := sources[name].add(folder); err != nil {
			return err
		}
	}
	return nil
}

// list returns all packages that are compiled for a system.
func (p Programs) list(ctx context.Context, system string) (all []listed, err error) {
	command := gowork.Command(ctx, "list", "-deps", "-json=ImportPath,Dir,Module")
	command.Args = append(command.Args, p.Flags...)
	for _, folder := range p.Packages {
		command.Args = append(command.Args, "./"+folder)
	}
	command.Dir = p.Root
	goos, goarch, _ := strings.Cut(system, "/")
	command.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var pkg listed
		if err := decoder.Decode(&pkg); err != nil {
			return nil, err
		}
		all = append(all, pkg)
	}
	return all, nil
}
