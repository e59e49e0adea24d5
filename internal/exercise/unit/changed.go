package unit

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// changed reports whether a declaration of the package is another one than the one that
// other packages have been compiled against; otherwise it may be linked with these.
// Bodies of functions and new declarations are free.
func (u *Unit) changed(read func(file string) ([]byte, error)) (bool, error) {
	for _, file := range u.Files {
		text, err := read(file)
		if err != nil {
			return false, err
		}
		if string(text) == u.Texts[file] {
			continue
		}
		before, err := declared([]byte(u.Texts[file]))
		if err != nil {
			return false, err
		}
		after, err := declared(text)
		if err != nil {
			continue // the compiler says why
		}
		for name, text := range before {
			if after[name] != text {
				return true, nil
			}
		}
	}
	return false, nil
}

// declared returns what others can see of the declarations in a file, by their names:
// of a function without type parameters not the body.
func declared(text []byte) (map[string]string, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for _, decl := range parsed.Decls {
		end := decl.End()
		name := "a constant, variable or type"
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name = decl.Name.Name
			if decl.Recv != nil {
				name = string(between(files, text, decl.Recv.List[0].Type.Pos(), decl.Recv.End()-1)) + "." + name
			}
			if generic := decl.Type.TypeParams != nil || strings.Contains(name, "["); !generic && decl.Body != nil {
				end = decl.Body.Pos()
			}
		case *ast.GenDecl:
			if decl.Tok == token.IMPORT {
				continue
			}
			name = string(firstLine(between(files, text, decl.Pos(), decl.End())))
		}
		seen[name] += string(between(files, text, decl.Pos(), end)) // "const (" names more than one
	}
	return seen, nil
}

func between(files *token.FileSet, text []byte, from, to token.Pos) []byte {
	return text[files.Position(from).Offset:files.Position(to).Offset]
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}
