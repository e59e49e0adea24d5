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
	A4:     {"210mm 297mm", "17mm 16mm 13mm 20mm", "43mm", "9.6pt", "6.9pt"},
	Letter: {"8.5in 11in", "16mm 16mm 13mm 22mm", "45mm", "9.6pt", "6.9pt"},
	Trade:  {"7in 9.25in", "15mm 11mm 11mm 14mm", "34mm", "9pt", "6.3pt"},
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
