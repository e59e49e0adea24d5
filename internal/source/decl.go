package source

import (
	"bytes"
	"go/ast"
	"go/token"
)

// Kind says what a declaration declares.
type Kind string

// These are the kinds of declarations.
const (
	Func   Kind = "func"
	Method Kind = "method"
	Type   Kind = "type"
	Const  Kind = "const"
	Var    Kind = "var"
)

// Decl is one package-level declaration with its doc comment. A group of
// constants, variables or types is one declaration with several names.
type Decl struct {
	Name  string   // "Queue", "NewQueue", "Queue.Add"; a group's first
	Names []string // all names that find it; only groups have several
	Kind  Kind
	File  *File

	Start, End    int // bytes, from the doc comment to the end of the last line
	Line, EndLine int // the lines of the same span

	Node     ast.Decl       // the syntax, without a trailing comment
	Body     *ast.BlockStmt // of a function; nil otherwise
	Doc      string         // without comment markers and directives
	Exercise string         // "1c" if marked by //book:exercise 1c
}

func (f *File) findDecls() {
	for _, node := range f.Syntax.Decls {
		switch node := node.(type) {
		case *ast.FuncDecl:
			f.addFunc(node)
		case *ast.GenDecl:
			f.addGroup(node)
		}
	}
}

func (f *File) addFunc(node *ast.FuncDecl) {
	decl := &Decl{Kind: Func, Name: node.Name.Name, Body: node.Body}
	if node.Recv != nil {
		decl.Kind = Method
		decl.Name = receiver(node) + "." + node.Name.Name
	}
	decl.Names = []string{decl.Name}
	f.add(decl, node, node.Doc)
}

// receiver returns the receiver's type name, without pointer and type
// parameters.
func receiver(node *ast.FuncDecl) string {
	expr := node.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

func (f *File) addGroup(node *ast.GenDecl) {
	decl := &Decl{}
	switch node.Tok {
	case token.CONST:
		decl.Kind = Const
	case token.VAR:
		decl.Kind = Var
	case token.TYPE:
		decl.Kind = Type
	default:
		return // imports belong to the file's head
	}
	for _, spec := range node.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			decl.Names = append(decl.Names, spec.Name.Name)
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				decl.Names = append(decl.Names, name.Name)
			}
		}
	}
	if len(decl.Names) == 0 {
		return // an empty group, `var ()`
	}
	decl.Name = decl.Names[0]
	f.add(decl, node, node.Doc)
}

func (f *File) add(decl *Decl, node ast.Decl, doc *ast.CommentGroup) {
	start := node.Pos()
	if doc != nil {
		start = doc.Pos()
	}
	decl.File, decl.Node, decl.Doc = f, node, doc.Text()
	decl.Start = f.tok.Offset(start)
	decl.End = f.lineEnd(f.tok.Offset(node.End()))
	decl.Line, decl.EndLine = f.Line(decl.Start), f.Line(decl.End)
	f.Decls = append(f.Decls, decl)
}

// lineEnd returns the offset of the end of the line, so that a comment behind
// a declaration stays with it.
func (f *File) lineEnd(offset int) int {
	if i := bytes.IndexByte(f.Content[offset:], '\n'); i >= 0 {
		return offset + i
	}
	return len(f.Content)
}
