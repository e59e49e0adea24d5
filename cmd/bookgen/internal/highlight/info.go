package highlight

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"reconcile/internal/source"
)

// Info says what the identifiers of a chapter's files mean.
type Info struct {
	Path string           // the package's import path
	Refs map[string][]Ref // by file name, in the order of the file
}

// Ref is what one identifier, or the path of an import, means.
type Ref struct {
	Offset, Len int
	Def         string // the package-level name, field or method that it defines
	Pkg, Name   string // what it refers to: "sync" and "Mutex.Lock"; Name is empty for the package itself
	Field       bool   // what it refers to is a field
	Local       int    // what it refers to or defines in its own function: the definition's offset + 1
}

// loadInfo type-checks the package in dir with its tests. With an error it
// returns what is known nevertheless.
func loadInfo(ctx context.Context, dir string) (*Info, error) {
	config := &packages.Config{
		Context: ctx, Dir: dir, Tests: true, Fset: token.NewFileSet(),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedExportFile | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}
	loaded, err := packages.Load(config, ".")
	if err != nil {
		return nil, fmt.Errorf("type-check %s: %w", dir, err)
	}
	info := &Info{Refs: map[string][]Ref{}}
	var errs, unplaced []error
	for _, pkg := range loaded {
		if strings.HasSuffix(pkg.PkgPath, ".test") {
			continue // the generated main
		}
		if pkg.ID == pkg.PkgPath {
			info.Path = pkg.PkgPath
		}
		for _, e := range pkg.Errors {
			if err, placed := typeError(dir, e); placed {
				errs = append(errs, err)
			} else {
				unplaced = append(unplaced, err)
			}
		}
		info.add(pkg)
	}
	if len(errs) == 0 { // otherwise they repeat, in bulk, what errs say
		errs = unplaced
	}
	return info, source.Join(errs...)
}

var position = regexp.MustCompile(`^(.*?):(\d+)(:\d+)?$`)

// typeError gives a compiler's message the path that the author knows, if it
// has a place.
func typeError(dir string, e packages.Error) (err error, placed bool) {
	m := position.FindStringSubmatch(e.Pos)
	if m == nil {
		return fmt.Errorf("type-check %s: %s", dir, e.Msg), false
	}
	line, _ := strconv.Atoi(m[2]) // the expression admits digits only
	file := m[1]
	if absolute, err := filepath.Abs(dir); err == nil {
		if rel, err := filepath.Rel(absolute, file); err == nil {
			file = filepath.Join(dir, rel)
		}
	}
	return source.At(file, line, "%s", strings.Join(strings.Fields(e.Msg), " ")), true
}

// add notes every identifier of a package. Files that the package shares with
// its test variant come twice; the variant, which knows more, comes second.
func (i *Info) add(pkg *packages.Package) {
	names := objectNames{}
	for _, file := range pkg.Syntax {
		name := filepath.Base(pkg.Fset.Position(file.Package).Filename)
		var refs []Ref
		for _, spec := range file.Imports {
			refs = append(refs, importRef(pkg.Fset, spec))
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

func importRef(fset *token.FileSet, spec *ast.ImportSpec) Ref {
	path, _ := strconv.Unquote(spec.Path.Value) // it was parsed before
	return Ref{Offset: fset.Position(spec.Path.Pos()).Offset, Len: len(spec.Path.Value), Pkg: path}
}

func identRef(pkg *packages.Package, names objectNames, ident *ast.Ident) (Ref, bool) {
	offset := pkg.Fset.Position(ident.Pos()).Offset
	ref := Ref{Offset: offset, Len: len(ident.Name)}
	def, defines := pkg.TypesInfo.Defs[ident]
	use := pkg.TypesInfo.Uses[ident]
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
		names.refer(&ref, use, pkg.Fset, ident.Pos())
	}
	return ref, def != nil || use != nil
}

func isPackageName(obj types.Object) bool {
	_, ok := obj.(*types.PkgName)
	return ok
}

func isPackageClause(pkg *packages.Package, ident *ast.Ident) bool {
	return slices.ContainsFunc(pkg.Syntax, func(f *ast.File) bool { return f.Name == ident })
}
