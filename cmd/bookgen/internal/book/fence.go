package book

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/ast"

	"reconcile/internal/source"
)

// refuseOpenFences reports fences that end elsewhere than their author thought:
// those that swallow another's first line or a heading, and those that are
// never closed.
func (d *Document) refuseOpenFences() error {
	var errs []error
	d.Walk(func(n ast.Node) bool {
		if fence, ok := n.(*ast.FencedCodeBlock); ok {
			errs = append(errs, d.closed(fence))
		}
		return true
	})
	return source.Join(errs...)
}

var (
	fenceMark = regexp.MustCompile("^[\\s>]*(```+|~~~+)")
	anyMark   = regexp.MustCompile("(```+|~~~+)")
	heading   = regexp.MustCompile("^##+ ")
)

func (d *Document) closed(fence *ast.FencedCodeBlock) error {
	line := d.Line(fence)
	mark := anyMark.FindSubmatch(d.lineText(line)) // it may stand behind a list's dash or an answer's colon
	if mark == nil {
		return nil
	}
	last := line
	for i := range fence.Lines().Len() {
		segment := fence.Lines().At(i)
		text := segment.Value(d.Source)
		last = d.LineAt(segment.Start)
		if m := fenceMark.FindSubmatch(text); m != nil && len(m[1]) >= len(mark[1]) && m[1][0] == mark[1][0] {
			return source.At(d.File, line, "this fence is not closed before line %d, which begins another", last)
		}
		if heading.Match(text) {
			return source.At(d.File, line, "this fence is not closed before line %d, which is a heading: %s", last, bytes.TrimSpace(text))
		}
	}
	if m := fenceMark.FindSubmatch(d.lineText(last + 1)); m == nil {
		return source.At(d.File, line, "nothing closes this fence")
	}
	return nil
}

// lineText returns a line of the file, or an empty one behind the last.
func (d *Document) lineText(line int) []byte {
	lines := bytes.Split(d.Source, []byte("\n"))
	if i := line - d.FirstLine; i < len(lines) {
		return lines[i]
	}
	return nil
}
