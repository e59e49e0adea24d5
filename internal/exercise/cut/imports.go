package cut

import (
	"bytes"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// finish gives text, which is f after its splices, the imports it needs, and
// gofmt's form if f had it. They are those of base, less what base used and
// text no longer does, and those of extra that text uses.
func (f *file) finish(text []byte, base, extra *file) ([]byte, error) {
	after, err := parse(text)
	if err != nil {
		return nil, err
	}
	used := after.usedPackages()
	section := base.importsFor(used)
	if extra != nil {
		section = append(section, extra.importsBeyond(base, used)...)
	}
	return tidy(f.text, after.withImports(section))
}

// usedPackages returns the names that stand before a dot and that the file
// does not declare.
func (f *file) usedPackages() map[string]bool {
	unresolved := make(map[*ast.Ident]bool)
	for _, name := range f.syntax.Unresolved {
		unresolved[name] = true
	}
	used := make(map[string]bool)
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if name, ok := selector.X.(*ast.Ident); ok && unresolved[name] {
				used[name.Name] = true
			}
		}
		return true
	})
	return used
}

// importDecls returns the import declarations, which come before all others.
func (f *file) importDecls() []*ast.GenDecl {
	var decls []*ast.GenDecl
	for _, decl := range f.syntax.Decls {
		if group, ok := decl.(*ast.GenDecl); ok && group.Tok == token.IMPORT {
			decls = append(decls, group)
		}
	}
	return decls
}

// importSpan reaches from the first import declaration to the last; without
// any, it is empty, after the package clause.
func (f *file) importSpan() (start, end int) {
	decls := f.importDecls()
	if len(decls) == 0 {
		after := f.offset(f.syntax.Name.End())
		return after, after
	}
	start, _ = f.declSpan(decls[0])
	_, end = f.declSpan(decls[len(decls)-1])
	return start, end
}

// declSpan reaches from a declaration's doc comment to a comment behind it.
func (f *file) declSpan(decl *ast.GenDecl) (start, end int) {
	start, end = f.offset(decl.Pos()), f.offset(decl.End())
	if decl.Doc != nil {
		start = f.offset(decl.Doc.Pos())
	}
	if last, ok := decl.Specs[len(decl.Specs)-1].(*ast.ImportSpec); ok && !decl.Rparen.IsValid() && last.Comment != nil {
		end = f.offset(last.Comment.End())
	}
	return start, end
}

// importsFor returns the text of the import declarations without those that
// the file uses and used does not have.
func (f *file) importsFor(used map[string]bool) []byte {
	before := f.usedPackages()
	var drops []splice
	for _, decl := range f.importDecls() {
		var lines []splice
		for _, spec := range decl.Specs {
			spec := spec.(*ast.ImportSpec)
			if name := importName(spec); before[name] && !used[name] {
				lines = append(lines, f.specLines(spec))
			}
		}
		if len(lines) == len(decl.Specs) {
			start, end := f.declSpan(decl)
			lines = []splice{{start: start, end: end}}
		}
		drops = append(drops, lines...)
	}
	start, end := f.importSpan()
	kept := f.apply(drops)
	return bytes.TrimSpace(kept[start : end-(len(f.text)-len(kept))])
}

// specLines returns the whole lines of one import in a group.
func (f *file) specLines(spec *ast.ImportSpec) splice {
	start, end := f.offset(spec.Pos()), f.offset(spec.End())
	if spec.Doc != nil {
		start = f.offset(spec.Doc.Pos())
	}
	start = bytes.LastIndexByte(f.text[:start], '\n') + 1
	return splice{start: start, end: min(f.lineEnd(end)+1, len(f.text))}
}

// importsBeyond returns, as declarations, the imports of f that base does not
// have, and used has.
func (f *file) importsBeyond(base *file, used map[string]bool) []byte {
	known := make(map[string]bool)
	for _, spec := range base.syntax.Imports {
		known[importName(spec)+" "+spec.Path.Value] = true
	}
	var out bytes.Buffer
	for _, spec := range f.syntax.Imports {
		name := importName(spec)
		if !known[name+" "+spec.Path.Value] && (used[name] || name == "_" || name == ".") {
			out.WriteString("\n\nimport " + string(f.source(spec)))
		}
	}
	return out.Bytes()
}

// withImports returns the file's text with other imports.
func (f *file) withImports(section []byte) []byte {
	start, end := f.importSpan()
	switch {
	case len(section) == 0 && start == end:
		return f.text
	case len(section) == 0: // and the blank lines behind it
		for end < len(f.text) && f.text[end] == '\n' {
			end++
		}
	case start == end:
		section = append([]byte("\n\n"), section...)
	}
	return f.apply([]splice{{start, end, section}})
}

func importPath(spec *ast.ImportSpec) string {
	value, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "" // the parser has checked it
	}
	return value
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// importName returns the name by which a file knows an import. If the import
// does not say it, the rule is goimports': the last element of the path that is
// not a version, as far as it is an identifier.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	whole := importPath(spec)
	name := path.Base(whole)
	if majorVersion.MatchString(name) && path.Dir(whole) != "." {
		name = path.Base(path.Dir(whole))
	}
	name = strings.TrimPrefix(name, "go-")
	if i := strings.IndexAny(name, ".-"); i >= 0 {
		name = name[:i]
	}
	return name
}

// Imports returns what a file imports as it says so, path and alias, by the names that
// it has for them; nothing if the file does not parse.
func Imports(text []byte) map[string]string {
	imports := make(map[string]string)
	if f, err := parse(text); err == nil {
		for _, spec := range f.syntax.Imports {
			imports[importName(spec)] = string(f.source(spec))
		}
	}
	return imports
}
