package cut

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
)

// packageClause makes declarations a file without moving them to other lines.
const packageClause = "package p;"

// Declared returns the names of the declarations in code, which has no package
// clause but may have imports. A group goes by its first name.
func Declared(code []byte) ([]string, error) {
	f, err := parse(append([]byte(packageClause), code...))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, decl := range f.syntax.Decls {
		if name := declName(decl); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// Replace puts the declarations of code that have these names in the place of
// those of src, and the imports of code that they need. Doc comments of src
// stay. A group of constants, variables or types is replaced as a whole.
func Replace(src, code []byte, names []string) ([]byte, error) {
	to, err := parse(src)
	if err != nil {
		return nil, err
	}
	from, err := parse(append([]byte(packageClause), code...))
	if err != nil {
		return nil, err
	}
	var splices []splice
	for _, name := range names {
		there, here := from.declaration(name), to.declaration(name)
		if there == nil || here == nil {
			return nil, fmt.Errorf("replace %s: it is not declared on both sides", name)
		}
		splices = append(splices, splice{
			to.offset(here.Pos()), to.offset(here.End()), from.source(there),
		})
	}
	return to.finish(to.apply(splices), to, from)
}

// declaration finds a function, method, or group by any of its names.
func (f *file) declaration(name string) ast.Decl {
	for _, decl := range f.syntax.Decls {
		for _, declared := range declNames(decl) {
			if declared == name {
				return decl
			}
		}
	}
	return nil
}

// declName returns a declaration's first name; "" for imports.
func declName(decl ast.Decl) string {
	if names := declNames(decl); len(names) > 0 {
		return names[0]
	}
	return ""
}

func declNames(decl ast.Decl) []string {
	if fn, ok := decl.(*ast.FuncDecl); ok {
		return []string{functionName(fn)}
	}
	group, ok := decl.(*ast.GenDecl)
	if !ok {
		return nil
	}
	var names []string
	for _, spec := range group.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			names = append(names, spec.Name.Name)
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// Equivalent reports whether two files differ in nothing but comments and
// space.
func Equivalent(a, b []byte) bool {
	x, y := newTokens(a), newTokens(b)
	for {
		tokX, litX := x.next()
		tokY, litY := y.next()
		if tokX != tokY || litX != litY {
			return false
		}
		if tokX == token.EOF {
			return true
		}
	}
}

// tokens reads a file without its comments.
type tokens struct{ scanner scanner.Scanner }

func newTokens(src []byte) *tokens {
	t := new(tokens)
	file := token.NewFileSet().AddFile("", -1, len(src))
	t.scanner.Init(file, src, nil, 0)
	return t
}

// next returns a token and its text. A semicolon is the same whether it was
// written or ends a line.
func (t *tokens) next() (token.Token, string) {
	_, tok, text := t.scanner.Scan()
	if tok == token.SEMICOLON {
		text = ""
	}
	return tok, text
}
