package cut

import (
	"fmt"
	"go/ast"
)

// A shape is as much of a type as its zero value shows.
type shape int

const (
	opaque    shape = iota // a type parameter, or an unknown type
	nilable                // pointer, slice, map, channel, function, interface
	number                 // integer, float or complex
	text                   // string
	truth                  // bool
	composite              // struct or array
)

// zero returns an expression for the zero value of a result's type.
func (f *file) zero(result ast.Expr, local map[string]bool, here scope) string {
	name := string(f.source(result))
	switch shapeOf(result, local, here, nil) {
	case nilable:
		return "nil"
	case number:
		return "0"
	case text:
		return `""`
	case truth:
		return "false"
	case composite:
		return name + "{}"
	default:
		return fmt.Sprintf("*new(%s)", name)
	}
}

// shapeOf looks at a type, and behind its name if it has one. seen holds the
// names on the way, for a type that is declared in terms of itself.
func shapeOf(expr ast.Expr, local map[string]bool, here scope, seen []string) shape {
	switch e := expr.(type) {
	case *ast.ParenExpr:
		return shapeOf(e.X, local, here, seen)
	case *ast.IndexExpr:
		return shapeOf(e.X, local, here, seen)
	case *ast.IndexListExpr:
		return shapeOf(e.X, local, here, seen)
	case *ast.StarExpr, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType:
		return nilable
	case *ast.StructType:
		return composite
	case *ast.ArrayType:
		if e.Len != nil {
			return composite
		}
		return nilable
	case *ast.Ident:
		if local[e.Name] {
			return opaque
		}
		return here.shapeOf(e.Name, seen)
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok {
			return here.imported(pkg.Name).shapeOf(e.Sel.Name, seen)
		}
	}
	return opaque
}

// predeclared are the types of the language itself.
var predeclared = map[string]shape{
	"any": nilable, "error": nilable, "string": text, "bool": truth,
	"int": number, "int8": number, "int16": number, "int32": number, "int64": number,
	"uint": number, "uint8": number, "uint16": number, "uint32": number, "uint64": number,
	"byte": number, "rune": number, "uintptr": number,
	"float32": number, "float64": number, "complex64": number, "complex128": number,
}
