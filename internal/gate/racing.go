package main

import (
	"errors"
	"fmt"
	"go/ast"
	"strings"

	"reconcile/internal/slow"
)

// racing runs a command on the tests in which goroutines of ours run.
func (g gate) racing(command []string) error {
	flags := flagsOf(command)
	packages, err := packagesOf(".", command[len(flags):]...)
	if err != nil {
		return err
	}
	patterns, folders := map[string]bool{}, map[string]bool{}
	for _, p := range packages {
		functions, err := p.functions()
		if err != nil {
			return err
		}
		tests := concurrent(functions)
		for _, test := range tests {
			patterns[slow.Pattern(test)], folders[p.ImportPath] = true, true
		}
		if g.plan && len(tests) > 0 {
			fmt.Printf("# %s: %s\n", p.ImportPath, strings.Join(tests, " "))
		}
	}
	if len(patterns) == 0 {
		return errors.New("there is no test in which goroutines run")
	}
	return g.step(flags, append([]string{"-run=" + strings.Join(sorted(patterns), "|")}, sorted(folders)...)...)
}

// concurrent returns the tests that start goroutines, by themselves or by a function
// of the same package's tests.
func concurrent(functions []*ast.FuncDecl) []string {
	starts := map[string]bool{}
	for grown := true; grown; {
		grown = false
		for _, function := range functions {
			if name := function.Name.Name; !starts[name] && startsGoroutines(function, starts) {
				starts[name], grown = true, true
			}
		}
	}
	var tests []string
	for _, function := range functions {
		if isTest(function) && starts[function.Name.Name] {
			tests = append(tests, function.Name.Name)
		}
	}
	return tests
}

// startsGoroutines reports whether a function has a go statement, or calls Go, or a
// Run that is not a test's, or one of the functions that are known to do that.
func startsGoroutines(function *ast.FuncDecl, known map[string]bool) (starts bool) {
	ast.Inspect(function, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.CallExpr:
			switch called := node.Fun.(type) {
			case *ast.Ident:
				starts = starts || known[called.Name]
			case *ast.SelectorExpr:
				name := called.Sel.Name
				starts = starts || name == "Go" || name == "Run" && len(node.Args) < 2 || known[name]
			}
		}
		return !starts
	})
	return starts
}
