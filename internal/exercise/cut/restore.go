package cut

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
)

// Restore puts functions of original back into current, signature and body, and
// the imports that they need. Other changes in current stay, comments above the
// functions too. A function that current no longer has returns to its place
// behind the one that comes before it in original.
func Restore(current, original []byte, functions []string) ([]byte, error) {
	from, err := parse(original)
	if err != nil {
		return nil, fmt.Errorf("original: %w", err)
	}
	to, err := parse(current)
	if err != nil {
		return nil, err
	}
	var splices []splice
	for _, name := range functions {
		reference, err := from.function(name)
		if err != nil {
			return nil, fmt.Errorf("original: %w", err)
		}
		present, err := to.function(name)
		if missing := new(MissingError); errors.As(err, &missing) {
			splices = append(splices, to.insertion(from, reference))
			continue
		}
		if err != nil {
			return nil, err
		}
		splices = append(splices, splice{
			to.offset(present.Type.Pos()), to.offset(present.End()),
			from.text[from.offset(reference.Type.Pos()):from.offset(reference.End())],
		})
	}
	return to.finish(to.apply(splices), from, to)
}

// insertion puts a function of from behind the nearest function before it that
// f has as well, or else at the end.
func (f *file) insertion(from *file, fn *ast.FuncDecl) splice {
	start := fn.Pos()
	if fn.Doc != nil {
		start = fn.Doc.Pos()
	}
	text := "\n\n" + string(from.text[from.offset(start):from.offset(fn.End())])
	at := len(bytes.TrimRight(f.text, "\n"))
	for _, decl := range from.syntax.Decls {
		if decl == fn {
			break
		}
		if before, ok := decl.(*ast.FuncDecl); ok {
			if here, err := f.function(functionName(before)); err == nil {
				at = f.lineEnd(f.offset(here.End()))
			}
		}
	}
	return splice{at, at, []byte(text)}
}

// Same reports whether two versions of a file have functions in common to the
// byte, but for the line ends. A function that either lacks is not the same.
func Same(a, b []byte, functions []string) (bool, error) {
	left, err := parse(a)
	if err != nil {
		return false, err
	}
	right, err := parse(b)
	if err != nil {
		return false, err
	}
	for _, name := range functions {
		x, errX := left.function(name)
		y, errY := right.function(name)
		if errX != nil || errY != nil || !bytes.Equal(UnixLines(left.source(x)), UnixLines(right.source(y))) {
			return false, nil
		}
	}
	return true, nil
}

// UnixLines returns a text with the line ends that Unix has.
func UnixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
