package highlight

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"

	"golang.org/x/tools/go/gcexportdata"
)

// compiled holds packages that Go has compiled: the standard library's and
// other modules'. They are read when they are first imported, and kept.
type compiled struct {
	root    string
	fset    *token.FileSet
	files   map[string]string // of export data, by import path
	missing map[string]error
	read    map[string]*types.Package
}

func newCompiled(root string) *compiled {
	return &compiled{
		root: root, fset: token.NewFileSet(),
		files: map[string]string{}, missing: map[string]error{}, read: map[string]*types.Package{},
	}
}

// need makes sure that packages are compiled, with all that they import.
func (c *compiled) need(ctx context.Context, paths []string) error {
	var unknown []string
	for _, path := range paths {
		if c.files[path] == "" && path != "unsafe" && path != "C" {
			unknown = append(unknown, path)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	command := exec.CommandContext(ctx, "go", append([]string{"list", "-e", "-export", "-deps", "-json=ImportPath,Export,Error", "--"}, unknown...)...)
	command.Dir = c.root
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, problems.Bytes())
	}
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var pkg struct {
			ImportPath, Export string
			Error              *struct{ Err string }
		}
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		c.files[pkg.ImportPath] = pkg.Export
		delete(c.missing, pkg.ImportPath)
		if pkg.Error != nil {
			c.missing[pkg.ImportPath] = errors.New(pkg.Error.Err)
		}
	}
}

// Import reads a package.
func (c *compiled) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := c.read[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	if err := c.missing[path]; err != nil {
		return nil, err
	}
	if c.files[path] == "" {
		return nil, fmt.Errorf("package %s is not compiled", path)
	}
	file, err := os.Open(c.files[path])
	if err != nil {
		return nil, err
	}
	defer file.Close()
	//lint:ignore SA1019 until Go 1.28 what go list names is an archive, which only this opens
	data, err := gcexportdata.NewReader(bufio.NewReader(file))
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(data, c.fset, c.read, path)
}
