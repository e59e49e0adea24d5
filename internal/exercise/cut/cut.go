package cut

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"
)

// Cut empties functions of a file: each body becomes note, as comment lines,
// and a return of zero values. Methods are named as in "Queue.Add". origins
// says where the types of results come from; with nil, results whose type the
// file does not show are *new(T).
func Cut(src []byte, functions []string, note string, origins *Origins) ([]byte, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	var splices []splice
	for _, name := range functions {
		fn, err := f.function(name)
		if err != nil {
			return nil, err
		}
		stub, err := f.stub(fn, note, origins)
		if err != nil {
			return nil, fmt.Errorf("cut %s: %w", name, err)
		}
		splices = append(splices, splice{f.offset(fn.Body.Pos()), f.offset(fn.Body.End()), stub})
	}
	return f.finish(f.apply(splices), f, nil)
}

// stub returns the body of a function that is still to be written.
func (f *file) stub(fn *ast.FuncDecl, note string, origins *Origins) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("{\n")
	for line := range strings.Lines(note) {
		fmt.Fprintf(&out, "\t// %s\n", strings.TrimSuffix(line, "\n"))
	}
	values, err := f.zeros(fn, origins)
	if err != nil {
		return nil, err
	}
	if fn.Type.Results != nil {
		fmt.Fprintln(&out, strings.TrimRight("\treturn "+strings.Join(values, ", "), " "))
	}
	out.WriteString("}")
	return out.Bytes(), nil
}

// zeros returns one expression for each result; none when results have names,
// where a bare return does.
func (f *file) zeros(fn *ast.FuncDecl, origins *Origins) ([]string, error) {
	if fn.Type.Results == nil {
		return nil, nil
	}
	local := localNames(fn)
	here := origins.here(f.syntax)
	var values []string
	for _, result := range fn.Type.Results.List {
		if len(result.Names) > 0 {
			return nil, nil
		}
		value := f.zero(result.Type, local, here)
		if hidden := hiddenBy(local, result.Type, value); hidden != "" {
			return nil, fmt.Errorf("the parameter %s hides a type of the results; rename it", hidden)
		}
		values = append(values, value)
	}
	return values, nil
}

// localNames returns the names that a signature declares; true marks those of
// types.
func localNames(fn *ast.FuncDecl) map[string]bool {
	local := make(map[string]bool)
	for _, list := range []*ast.FieldList{fn.Recv, fn.Type.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				local[name.Name] = false
			}
		}
	}
	if fn.Type.TypeParams != nil {
		for _, field := range fn.Type.TypeParams.List {
			for _, name := range field.Names {
				local[name.Name] = true
			}
		}
	}
	if fn.Recv != nil {
		_, parameters := typeName(fn.Recv.List[0].Type)
		for _, parameter := range parameters {
			if name, ok := parameter.(*ast.Ident); ok {
				local[name.Name] = true
			}
		}
	}
	return local
}

// hiddenBy returns the parameter whose name hides a type that value spells.
func hiddenBy(local map[string]bool, result ast.Expr, value string) string {
	hidden := ""
	if !strings.HasSuffix(value, "{}") && !strings.HasSuffix(value, ")") {
		return hidden // a literal names no type
	}
	ast.Inspect(result, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			node = selector.X
		}
		if name, ok := node.(*ast.Ident); ok {
			if isType, declared := local[name.Name]; declared && !isType {
				hidden = name.Name
			}
		}
		return true
	})
	return hidden
}
