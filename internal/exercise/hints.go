package exercise

import (
	"regexp"
	"strconv"
	"strings"

	"reconcile/internal/source"
)

const hintCount = 3

var listItem = regexp.MustCompile(`^([0-9]+)\.[ \t]+(.*)$`)

// parseHints reads an ordered list. The lines of an item beyond its first are
// indented, as Markdown has it.
func (e *Exercise) parseHints(s section) error {
	var errs []error
	fence := ""
	for i, line := range s.body.lines {
		item := listItem.FindStringSubmatch(line)
		switch {
		case fence == "" && item != nil:
			e.Hints = append(e.Hints, item[2])
			e.HintLines = append(e.HintLines, s.body.line+i)
			if item[1] != strconv.Itoa(len(e.Hints)) {
				errs = append(errs, s.body.problem(s.body.line+i, "hint %d is numbered %s", len(e.Hints), item[1]))
			}
		case strings.TrimSpace(line) == "" && len(e.Hints) == 0:
		case len(e.Hints) == 0:
			errs = append(errs, s.body.problem(s.body.line+i, "hints are a numbered list: 1. …"))
			return source.Join(errs...)
		default:
			e.Hints[len(e.Hints)-1] += "\n" + unindent(line)
		}
		fence = fenceAfter(fence, line)
	}
	for i := range e.Hints {
		e.Hints[i] = strings.TrimSpace(e.Hints[i])
	}
	if len(e.Hints) != hintCount {
		errs = append(errs, s.body.problem(s.line, "there are %d hints; an exercise has three", len(e.Hints)))
	}
	return source.Join(errs...)
}

// unindent takes away the three spaces at which the text of `1. ` stands.
func unindent(line string) string {
	for range 3 {
		line = strings.TrimPrefix(line, " ")
	}
	return line
}
