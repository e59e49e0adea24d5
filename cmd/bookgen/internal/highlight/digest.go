package highlight

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"runtime"
	"slices"
	"strings"

	"reconcile/internal/digest"
)

// cacheFormat changes when Info does.
const cacheFormat = 2

// newDigester returns a Module that knows the inputs of Infos: the files of a
// package, the declarations in those that it imports from the module, and the
// versions of everything else.
func newDigester(root string) (*digest.Module, error) {
	environment := fmt.Sprintln(cacheFormat, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return digest.New(root, environment, declarations)
}

func isGo(name string) bool { return path.Ext(name) == ".go" }

// declarations returns a file without comments, function bodies, and the form
// of its lines: a package that imports it knows nothing of these. A file that
// does not parse stays as it is, and one that is not Go is empty.
func declarations(name string, content []byte) []byte {
	if !isGo(name) {
		return nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return content
	}
	var hidden []ast.Node
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			hidden = append(hidden, f.Body)
		}
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if !strings.HasPrefix(comment.Text, "//go:") {
				hidden = append(hidden, comment)
			}
		}
	}
	slices.SortFunc(hidden, func(a, b ast.Node) int { return cmp.Compare(a.Pos(), b.Pos()) })
	var seen bytes.Buffer
	at := 0
	for _, node := range hidden {
		from, to := fset.Position(node.Pos()).Offset, fset.Position(node.End()).Offset
		if from >= at {
			seen.Write(content[at:from])
		}
		at = max(at, to) // a comment may be in a body
	}
	seen.Write(content[at:])
	return bytes.Join(bytes.Fields(seen.Bytes()), []byte(" "))
}
