package paper

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Size is a size of paper. The zero value is no size.
type Size string

// The sizes that a book is printed on.
const (
	A4     Size = "a4"
	Letter Size = "letter"
	Trade  Size = "trade" // 7 by 9.25 inches, as many technical books are
)

// sheets say how each is laid out: a column of text, and a margin for notes beside it.
var sheets = map[Size]struct{ Size, Margin, Notes, Type, Code string }{
	A4:     {"210mm 297mm", "16mm 15mm 12mm 19mm", "42mm", "9.3pt", "6.75pt"},
	Letter: {"8.5in 11in", "15mm 15mm 12mm 21mm", "44mm", "9.4pt", "6.8pt"},
	Trade:  {"7in 9.25in", "14mm 11mm 11mm 14mm", "32mm", "8.9pt", "6.2pt"},
}

// Set implements pflag.Value.
func (s *Size) Set(name string) error {
	if _, ok := sheets[Size(name)]; !ok {
		return fmt.Errorf("no paper is called %q: there are %s", name, sizes())
	}
	*s = Size(name)
	return nil
}

// String implements pflag.Value.
func (s *Size) String() string { return string(*s) }

// Type implements pflag.Value.
func (s *Size) Type() string { return strings.ReplaceAll(sizes(), ", ", "|") }

func sizes() string {
	var names []string
	for _, size := range slices.Sorted(maps.Keys(sheets)) {
		names = append(names, string(size))
	}
	return strings.Join(names, ", ")
}
