package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/internal/gowork"
)

// listed is a package, as go list has it.
type listed struct {
	Dir, ImportPath                           string
	TestGoFiles, XTestGoFiles, IgnoredGoFiles []string
}

// packagesOf lists packages of a module, by the folder of its go.mod.
func packagesOf(module string, patterns ...string) ([]listed, error) {
	cmd := gowork.Command(context.Background(), append([]string{"list", "-C", module, "-json=Dir,ImportPath,TestGoFiles,XTestGoFiles,IgnoredGoFiles"}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages of %s: %w", module, err)
	}
	var all []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// functions returns the functions in a package's test files, those for other
// systems too, with their syntax.
func (p listed) functions() ([]*ast.FuncDecl, error) {
	var all []*ast.FuncDecl
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles, p.IgnoredGoFiles) {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			if function, ok := decl.(*ast.FuncDecl); ok {
				all = append(all, function)
			}
		}
	}
	return all, nil
}

// isTest reports whether go test runs a function.
func isTest(function *ast.FuncDecl) bool {
	name, is := strings.CutPrefix(function.Name.Name, "Test")
	return is && function.Recv == nil && name != "Main" && (name == "" || !('a' <= name[0] && name[0] <= 'z'))
}
