package referee

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// differences has the families: a pattern, and below it, indented, the reason.
//
//go:embed differences.txt
var differences string

// family is a set of differences that have one reason.
type family struct {
	pattern *regexp.Regexp
	reason  string
}

type families []family

func readFamilies(text string) (all families, err error) {
	for n, line := range strings.Split(text, "\n") {
		reason, more := strings.CutPrefix(line, "    ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !more:
			pattern, err := regexp.Compile(line)
			if err != nil {
				return nil, fmt.Errorf("differences.txt:%d: %w", n+1, err)
			}
			all = append(all, family{pattern: pattern})
		case len(all) == 0:
			return nil, fmt.Errorf("differences.txt:%d: a reason of nothing", n+1)
		default:
			last := &all[len(all)-1]
			last.reason = strings.TrimSpace(last.reason + " " + reason)
		}
	}
	for _, f := range all {
		if f.reason == "" {
			return nil, fmt.Errorf("differences.txt: %s has no reason", f.pattern)
		}
	}
	return all, nil
}

// indexOf returns which family a difference is of, or -1: the first that matches.
func (all families) indexOf(d difference) int {
	return slices.IndexFunc(all, func(f family) bool {
		return f.pattern.MatchString(d.String())
	})
}

// report prints the families with the numbers of their differences, and those
// that are of none. Whole says that the whole corpus was asked for: then each
// family has to be of some difference.
func (all families) report(out io.Writer, found []difference, whole bool) error {
	counts, without := make([]int, len(all)), map[string][]difference{}
	var order []string
	for _, d := range found {
		if n := all.indexOf(d); n >= 0 {
			counts[n]++
			continue
		}
		if without[d.String()] == nil {
			order = append(order, d.String())
		}
		without[d.String()] = append(without[d.String()], d)
	}
	var errs []error
	for n, f := range all {
		fmt.Fprintf(out, "%6d  %s\n        %s\n", counts[n], f.pattern, f.reason)
		if whole && counts[n] == 0 {
			errs = append(errs, fmt.Errorf("no difference is of the family %s", f.pattern))
		}
	}
	for _, text := range order {
		fmt.Fprintf(out, "%6d  WITHOUT A REASON, in %s\n        %s\n",
			len(without[text]), without[text][0].in, text)
	}
	fmt.Fprintf(out, "%d differences without a reason, %d families with one\n", len(order), len(all))
	if len(order) > 0 {
		errs = append(errs, fmt.Errorf("%d differences have no reason", len(order)))
	}
	return errors.Join(errs...)
}
