package highlight

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
)

// Info says what the identifiers of a chapter's files mean.
type Info struct {
	Path string           // the package's import path
	Refs map[string][]Ref // by file name, in the order of the file
}

// Ref says what one identifier, or the path of an import, means.
type Ref struct {
	Offset, Len int
	Def         string // the package-level name, field or method that it defines
	Pkg, Name   string // the name that it refers to: "sync" and "Mutex.Lock"; Name is empty for the package itself
	Field       bool   // it refers to a field
	Local       int    // for a name that it refers to or defines in its own function: the definition's offset + 1
}

// add notes every identifier of a package.
func (i *Info) add(pkg *checked) {
	names := objectNames{}
	for _, file := range pkg.files {
		name := filepath.Base(pkg.fset.Position(file.Package).Filename)
		var refs []Ref
		for _, spec := range file.Imports {
			refs = append(refs, importRef(pkg.fset, spec))
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if ident, ok := n.(*ast.Ident); ok {
				if ref, ok := identRef(pkg, names, ident); ok {
					refs = append(refs, ref)
				}
			}
			return true
		})
		slices.SortFunc(refs, func(a, b Ref) int { return cmp.Compare(a.Offset, b.Offset) })
		i.Refs[name] = refs
	}
}

// share keeps each name once. The cache has them as often as they are used.
func (i *Info) share() {
	once := map[string]string{}
	shared := func(name string) string {
		if _, ok := once[name]; !ok {
			once[name] = name
		}
		return once[name]
	}
	for _, refs := range i.Refs {
		for k := range refs {
			ref := &refs[k]
			ref.Def, ref.Pkg, ref.Name = shared(ref.Def), shared(ref.Pkg), shared(ref.Name)
		}
	}
}

func importRef(fset *token.FileSet, spec *ast.ImportSpec) Ref {
	path, _ := strconv.Unquote(spec.Path.Value) // it was parsed before
	return Ref{Offset: fset.Position(spec.Path.Pos()).Offset, Len: len(spec.Path.Value), Pkg: path}
}

func identRef(pkg *checked, names objectNames, ident *ast.Ident) (Ref, bool) {
	offset := pkg.fset.Position(ident.Pos()).Offset
	ref := Ref{Offset: offset, Len: len(ident.Name)}
	def, defines := pkg.info.Defs[ident]
	use := pkg.info.Uses[ident]
	switch {
	case ident.Name == "_":
		return ref, false
	case def != nil && isPackageName(def):
		return ref, false // the alias in an import; its path is a link
	case defines && def == nil:
		ref.Local = offset + 1 // x in switch x := y.(type), or the package clause
		return ref, !isPackageClause(pkg, ident)
	case def != nil:
		ref.Def = names.of(def)
		if ref.Def == "" {
			ref.Local = offset + 1
		}
	}
	if use != nil {
		names.refer(&ref, use, pkg, ident.Pos())
	}
	return ref, def != nil || use != nil
}

func isPackageName(obj types.Object) bool {
	_, ok := obj.(*types.PkgName)
	return ok
}

func isPackageClause(pkg *checked, ident *ast.Ident) bool {
	return slices.ContainsFunc(pkg.files, func(f *ast.File) bool { return f.Name == ident })
}
