package workspace

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const tables = `package counting

import "testing"

func TestTables(t *testing.T) {
	for name, c := range map[string]struct{ desired, want int }{
		"one":  {1, 1},
		"none": {desired: 0, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			if create, _ := plan(c.desired, nil); create != c.want {
				t.Error(create)
			}
		})
	}
	for _, c := range []struct {
		name    string
		running []string
	}{
		{"two of them", []string{"a", "b"}},
	} {
		if create, _ := plan(2, c.running); create != 0 {
			t.Error(c.name)
		}
	}
	if create, _ := plan(
		7, nil); create != 7 {
		t.Error(create)
	}
}
`

func TestWhatATestHasGivenIsShown(t *testing.T) {
	r := newReader(t)
	r.write("chapters/01-counting/table_test.go", tables)
	done, _ := r.test("1b")
	e := done.Exercise
	for _, test := range []struct{ at, name, want string }{
		{"table_test.go:12", "one", "{1, 1}"},
		{"table_test.go:12", "none", "{desired: 0, want: 0}"},
		{"table_test.go:22", "two of them", `[]string{"a", "b"}`},
		{"table_test.go:26", "", "plan( 7, nil)"},
		{"table_test.go:27", "", "plan( 7, nil)"},
		{"table_test.go:29", "", ""},
		{"none_test.go:1", "", ""},
		{"", "", ""},
	} {
		assert.Equal(t, test.want, r.Input(e, test.at, test.name), "%v", test)
	}
}
