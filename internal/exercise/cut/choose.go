package cut

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"strings"
)

// Interchangeable reports whether functions have the same signature in both
// texts, so that one can stand for the other. A name that is no function, or
// missing, is not interchangeable.
func Interchangeable(a, b []byte, names []string) bool {
	x, errX := parse(a)
	y, errY := parse(b)
	if errX != nil || errY != nil {
		return false
	}
	for _, name := range names {
		left, errX := x.function(name)
		right, errY := y.function(name)
		if errX != nil || errY != nil || signature(left) != signature(right) {
			return false
		}
	}
	return true
}

// signature returns the types of a function's parameters and results, and of
// its receiver, without the names of those that a caller does not see.
func signature(fn *ast.FuncDecl) string {
	var out strings.Builder
	for _, list := range []*ast.FieldList{fn.Recv, fn.Type.TypeParams, fn.Type.Params, fn.Type.Results} {
		out.WriteString(" (")
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for range max(1, len(field.Names)) {
				_ = printer.Fprint(&out, token.NewFileSet(), field.Type) // a builder takes everything
				out.WriteString(", ")
			}
			if list == fn.Type.TypeParams {
				fmt.Fprint(&out, field.Names)
			}
		}
	}
	return out.String()
}

// Aside returns a file with functions of src alone, under their names and a
// suffix, with the imports that they need: so they can stand beside others of
// the package.
func Aside(src []byte, functions []string, suffix string) ([]byte, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBufferString("package " + f.syntax.Name.Name + "\n")
	for _, name := range functions {
		fn, err := f.function(name)
		if err != nil {
			return nil, err
		}
		start, end := f.offset(fn.Pos()), f.offset(fn.End())
		named := f.offset(fn.Name.End())
		fmt.Fprintf(out, "\n%s%s%s\n", f.text[start:named], suffix, f.text[named:end])
	}
	return f.finish(out.Bytes(), f, nil)
}

// Jump lets functions of src begin with a look at a variable of the package: if
// that is a suffix of theirs, they do what their namesake of Aside does.
func Jump(src []byte, suffixes map[string][]string, variable string) ([]byte, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	var splices []splice
	for name, suffixes := range suffixes {
		fn, err := f.function(name)
		if err != nil {
			return nil, err
		}
		j := jump{file: f, fn: fn}
		splices = append(splices, j.to(suffixes, variable))
		splices = append(splices, j.named...)
	}
	return f.apply(splices), nil
}

// Begin lets functions of src begin with statements.
func Begin(src []byte, statements map[string]string) ([]byte, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	var splices []splice
	for name, statement := range statements {
		fn, err := f.function(name)
		if err != nil {
			return nil, err
		}
		at := f.offset(fn.Body.Lbrace) + 1
		splices = append(splices, splice{at, at, []byte(statement)})
	}
	return f.apply(splices), nil
}

// A jump calls a namesake of a function. To hand its parameters on it names
// those that have no name.
type jump struct {
	file  *file
	fn    *ast.FuncDecl
	named []splice
}

func (j *jump) to(suffixes []string, variable string) splice {
	before, after := j.receiver()+j.fn.Name.Name, j.typeArguments()+"("+strings.Join(j.arguments(), ", ")+")"
	var out bytes.Buffer
	fmt.Fprintf(&out, " switch %s {", variable)
	for _, suffix := range suffixes {
		if j.fn.Type.Results.NumFields() > 0 {
			fmt.Fprintf(&out, " case %q: return %s%s%s;", suffix, before, suffix, after)
		} else {
			fmt.Fprintf(&out, " case %q: %s%s%s; return;", suffix, before, suffix, after)
		}
	}
	out.WriteString(" };")
	at := j.file.offset(j.fn.Body.Lbrace) + 1
	return splice{at, at, out.Bytes()}
}

func (j *jump) receiver() string {
	if j.fn.Recv == nil {
		return ""
	}
	return j.names(j.fn.Recv.List[0])[0] + "."
}

func (j *jump) arguments() []string {
	var arguments []string
	for _, field := range j.fn.Type.Params.List {
		names := j.names(field)
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			names[0] += "..."
		}
		arguments = append(arguments, names...)
	}
	return arguments
}

// names returns those of one field, new ones if it has none.
func (j *jump) names(field *ast.Field) []string {
	fresh := func(start, end token.Pos, space string) string {
		name := fmt.Sprintf("p__%d", len(j.named))
		j.named = append(j.named, splice{j.file.offset(start), j.file.offset(end), []byte(name + space)})
		return name
	}
	if len(field.Names) == 0 {
		return []string{fresh(field.Type.Pos(), field.Type.Pos(), " ")}
	}
	var names []string
	for _, name := range field.Names {
		if name.Name == "_" {
			names = append(names, fresh(name.Pos(), name.End(), ""))
		} else {
			names = append(names, name.Name)
		}
	}
	return names
}

func (j *jump) typeArguments() string {
	if j.fn.Type.TypeParams == nil {
		return ""
	}
	var names []string
	for _, field := range j.fn.Type.TypeParams.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return "[" + strings.Join(names, ", ") + "]"
}
