package highlight

import (
	"go/token"
	"go/types"
)

// objectNames names objects as links use it: "Queue", "Queue.Add",
// "Queue.dirty". It remembers, package by package, to which type each field
// belongs.
type objectNames map[*types.Package]map[*types.Var]string

// of returns "" for an object that no link from outside its function can name.
func (n objectNames) of(obj types.Object) string {
	switch o := obj.(type) {
	case *types.Func:
		if recv := o.Signature().Recv(); recv != nil {
			return n.method(o.Origin(), recv)
		}
	case *types.Var:
		if o.IsField() {
			return n.field(o.Origin())
		}
	}
	if obj.Pkg() == nil || obj.Parent() == obj.Pkg().Scope() {
		return obj.Name()
	}
	return ""
}

func (n objectNames) method(f *types.Func, recv *types.Var) string {
	t := types.Unalias(recv.Type())
	if pointer, ok := t.(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() != nil && named.Obj().Parent() != named.Obj().Pkg().Scope() {
		return "" // of an interface without a name, or of a type in a function
	}
	return named.Obj().Name() + "." + f.Name()
}

func (n objectNames) field(v *types.Var) string {
	if v.Pkg() == nil {
		return ""
	}
	if n[v.Pkg()] == nil {
		n[v.Pkg()] = fieldNames(v.Pkg().Scope())
	}
	return n[v.Pkg()][v]
}

func fieldNames(scope *types.Scope) map[*types.Var]string {
	names := map[*types.Var]string{}
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		if s, ok := t.Type().Underlying().(*types.Struct); ok {
			for field := range s.Fields() {
				if _, taken := names[field]; !taken {
					names[field] = name + "." + field.Name()
				}
			}
		}
	}
	return names
}

// refer fills in what an identifier at use refers to. An object that has no
// name and is defined in another file gets no link.
func (n objectNames) refer(ref *Ref, obj types.Object, pkg *checked, use token.Pos) {
	if p, ok := obj.(*types.PkgName); ok {
		ref.Pkg = p.Imported().Path()
		return
	}
	name := n.of(obj)
	switch {
	case name == "" && obj.Pkg() == pkg.types && pkg.fset.File(obj.Pos()) == pkg.fset.File(use):
		ref.Local = pkg.fset.Position(obj.Pos()).Offset + 1
	case name == "":
	case obj.Pkg() == nil:
		ref.Pkg, ref.Name = "builtin", name
	default:
		ref.Pkg, ref.Name = obj.Pkg().Path(), name
		if v, ok := obj.(*types.Var); ok {
			ref.Field = v.IsField()
		}
	}
}
