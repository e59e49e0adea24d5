package cut

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
)

// A file is source text with its syntax. Identifiers are resolved within the
// file, so that syntax.Unresolved holds the names of packages that it uses.
type file struct {
	text   []byte
	tokens *token.File
	syntax *ast.File
}

func parse(text []byte) (*file, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return &file{text: text, tokens: fset.File(syntax.FileStart), syntax: syntax}, nil
}

func (f *file) offset(pos token.Pos) int { return f.tokens.Offset(pos) }

// lineEnd returns the offset at which the line ends.
func (f *file) lineEnd(offset int) int {
	if length := bytes.IndexByte(f.text[offset:], '\n'); length >= 0 {
		return offset + length
	}
	return len(f.text)
}

// source returns the text of one piece of syntax.
func (f *file) source(node ast.Node) []byte {
	return f.text[f.offset(node.Pos()):f.offset(node.End())]
}

// function finds a function by name; a method's is "Queue.Add".
func (f *file) function(name string) (*ast.FuncDecl, error) {
	var found []*ast.FuncDecl
	for _, decl := range f.syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && functionName(fn) == name {
			found = append(found, fn)
		}
	}
	switch {
	case len(found) == 0:
		return nil, &MissingError{Name: name}
	case len(found) > 1:
		return nil, fmt.Errorf("%s is declared %d times", name, len(found))
	case found[0].Body == nil:
		return nil, fmt.Errorf("%s has no body", name)
	}
	return found[0], nil
}

// Function returns the text of a function, without its doc comment.
func Function(text []byte, name string) ([]byte, error) {
	f, err := parse(text)
	if err != nil {
		return nil, err
	}
	fn, err := f.function(name)
	if err != nil {
		return nil, err
	}
	return f.text[f.offset(fn.Type.Pos()):f.offset(fn.End())], nil
}

// MissingError says that a file does not declare a function.
type MissingError struct{ Name string }

func (e *MissingError) Error() string { return "there is no " + e.Name }

func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	receiver, _ := typeName(fn.Recv.List[0].Type)
	return receiver + "." + fn.Name.Name
}

// typeName returns the name in a receiver's type and its type parameters:
// "Set" and T in *Set[T].
func typeName(expr ast.Expr) (name string, parameters []ast.Expr) {
	switch e := expr.(type) {
	case *ast.ParenExpr:
		return typeName(e.X)
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		name, _ = typeName(e.X)
		return name, []ast.Expr{e.Index}
	case *ast.IndexListExpr:
		name, _ = typeName(e.X)
		return name, e.Indices
	case *ast.Ident:
		return e.Name, nil
	}
	return "", nil
}

// A splice puts text in the place of the bytes from start to end.
type splice struct {
	start, end int
	text       []byte
}

// apply carries out splices that do not overlap.
func (f *file) apply(splices []splice) []byte {
	slices.SortFunc(splices, func(a, b splice) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	var out []byte
	at := 0
	for _, s := range splices {
		out = append(out, f.text[at:s.start]...)
		out = append(out, s.text...)
		at = s.end
	}
	return append(out, f.text[at:]...)
}

// tidy formats text if before was formatted. gofmt lines up neighbouring
// one-line functions, so a splice alone can leave a column crooked.
func tidy(before, text []byte) ([]byte, error) {
	formatted, err := format.Source(before)
	if err != nil || !bytes.Equal(formatted, before) {
		return text, err
	}
	return format.Source(text)
}
