package cut_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise/cut"
)

const queue = `// Package q is a queue.
package q

import (
	"fmt"
	"sort"

	"strings"
)

// Queue holds keys.
type Queue[K comparable] struct{ keys []K }

// Add adds a key.
//
//book:exercise 1e
func (q *Queue[K]) Add(key K) error {
	if len(q.keys) > 9 { // full
		return fmt.Errorf("full: %v", key)
	}
	q.keys = append(q.keys, key)
	return nil
}

func (q *Queue[K]) Len() int { return len(q.keys) } // of keys
func (q *Queue[K]) Any() K   { return q.keys[0] }   // one of them

func names(all []string) string {
	sort.Strings(all)
	return strings.Join(all, ",")
}
`

func TestCutLeavesEverythingButTheBody(t *testing.T) {
	got, err := cut.Cut([]byte(queue), []string{"Queue.Add", "Queue.Any"}, "Exercise 1e: yours.\nRun it.", nil)
	require.NoError(t, err)
	assert.Equal(t, `// Package q is a queue.
package q

import (
	"sort"

	"strings"
)

// Queue holds keys.
type Queue[K comparable] struct{ keys []K }

// Add adds a key.
//
//book:exercise 1e
func (q *Queue[K]) Add(key K) error {
	// Exercise 1e: yours.
	// Run it.
	return nil
}

func (q *Queue[K]) Len() int { return len(q.keys) } // of keys
func (q *Queue[K]) Any() K {
	// Exercise 1e: yours.
	// Run it.
	return *new(K)
} // one of them

func names(all []string) string {
	sort.Strings(all)
	return strings.Join(all, ",")
}
`, string(got))
}

func TestCutDropsTheLastImportsWithTheirDeclaration(t *testing.T) {
	got, err := cut.Cut([]byte(queue), []string{"Queue.Add", "names"}, "Yours.", nil)
	require.NoError(t, err)
	assert.Contains(t, string(got), "package q\n\n// Queue holds keys.")
}

func TestCutReturnsTheZeroOfEveryKindOfResult(t *testing.T) {
	cases := map[string]string{
		"int": "0", "string": `""`, "bool": "false", "error": "nil", "any": "nil",
		"*Pod": "nil", "[]Pod": "nil", "map[string]Pod": "nil", "chan Pod": "nil", "func()": "nil",
		"Pod": "Pod{}", "[3]Pod": "[3]Pod{}", "struct{ n int }": "struct{ n int }{}",
		"Pods": "nil", "Phase": `""`, "Alias": "Alias{}", "Pair[int, Pod]": "Pair[int, Pod]{}", "List[Pod]": "nil",
		"time.Duration": "0", "time.Time": "time.Time{}", "time.Month": "0", "io.Reader": "nil", "http.Handler": "nil",
		"T": "*new(T)", "(T)": "*new((T))", "unknown.Type": "*new(unknown.Type)", "Loop": "*new(Loop)",
		"string, error": `"", nil`, "n int, err error": "",
	}
	for result, want := range cases {
		t.Run(result, func(t *testing.T) {
			src := `package p

import ("io"; "net/http"; "time"; "example.invalid/unknown")

type Pod struct{}
type Pods []Pod
type Phase string
type Alias = Pod
type Pair[A, B any] struct{ a A; b B }
type List[A any] []A
type Loop Loop

func f[T any]() (` + result + `) { panic("not yet") }
`
			got, err := cut.Cut([]byte(src), []string{"f"}, "Yours.", cut.NewOrigins(t.TempDir()))
			require.NoError(t, err)
			assert.Contains(t, string(got), "// Yours.\n\treturn"+prefixed(want)+"\n}")
		})
	}
}

func prefixed(value string) string {
	if value == "" {
		return ""
	}
	return " " + value
}

func TestCutRefuses(t *testing.T) {
	cases := map[string]struct{ src, name, says string }{
		"what is not there":           {"package p\n", "f", "there is no f"},
		"what is there twice":         {"package p\nfunc init() {}\nfunc init() {}\n", "init", "2 times"},
		"what has no body":            {"package p\nfunc f()\n", "f", "no body"},
		"what does not parse":         {"package p\nfunc f( {\n", "f", "2:"},
		"a result that it can't name": {"package p\ntype pod struct{}\nfunc f(pod int) pod { panic(0) }\n", "f", "parameter pod hides"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := cut.Cut([]byte(c.src), []string{c.name}, "", nil)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestRestoreLeavesTheOtherEdits(t *testing.T) {
	stub, err := cut.Cut([]byte(queue), []string{"Queue.Add", "names"}, "Yours.", nil)
	require.NoError(t, err)
	edited := replace(t, string(stub), "package q\n", "package q\n\nimport \"slices\"\n")
	edited = replace(t, edited, "// Queue holds keys.", "// Queue holds keys. My note.")
	edited = replace(t, edited, "func names(all []string) string {\n\t// Yours.\n\treturn \"\"",
		"func names(all []string) string {\n\tslices.Sort(all)\n\treturn all[0]")

	got, err := cut.Restore([]byte(edited), []byte(queue), []string{"Queue.Add"})
	require.NoError(t, err)
	want := replace(t, queue, "\t\"sort\"\n\n\t\"strings\"\n)\n", ")\n\nimport \"slices\"\n")
	want = replace(t, want, "// Queue holds keys.", "// Queue holds keys. My note.")
	want = replace(t, want, "sort.Strings(all)\n\treturn strings.Join(all, \",\")", "slices.Sort(all)\n\treturn all[0]")
	assert.Equal(t, want, string(got))
}

func TestRestoreBringsBackAFunctionThatWasDeleted(t *testing.T) {
	edited := replace(t, queue, "\nfunc names(all []string) string {\n\tsort.Strings(all)\n\treturn strings.Join(all, \",\")\n}\n", "")
	edited = replace(t, edited, "\t\"sort\"\n\n\t\"strings\"\n", "")
	got, err := cut.Restore([]byte(edited), []byte(queue), []string{"names"})
	require.NoError(t, err)
	assert.Equal(t, queue, string(got))
}

func TestRestoreSaysWhereAFileDoesNotParse(t *testing.T) {
	_, err := cut.Restore([]byte("package q\n\nfunc {"), []byte(queue), []string{"names"})
	require.ErrorContains(t, err, "3:6")
}

func TestReplaceTakesDeclarationsAndTheirImports(t *testing.T) {
	code := `import "slices"

type Queue[K comparable] struct{ keys map[K]bool }

func names(all []string) string { return slices.Min(all) }
`
	declared, err := cut.Declared([]byte(code))
	require.NoError(t, err)
	require.Equal(t, []string{"Queue", "names"}, declared)

	got, err := cut.Replace([]byte(queue), []byte(code), declared)
	require.NoError(t, err)
	want := replace(t, queue, "\t\"fmt\"\n\t\"sort\"\n\n\t\"strings\"\n)", "\t\"fmt\"\n)\n\nimport \"slices\"")
	want = replace(t, want, "keys []K }", "keys map[K]bool }")
	want = replace(t, want, "{\n\tsort.Strings(all)\n\treturn strings.Join(all, \",\")\n}", "{ return slices.Min(all) }")
	assert.Equal(t, want, string(got))
}

func TestReplaceFindsADeclarationByAnyOfItsNames(t *testing.T) {
	const src = "package p\n\nvar first, second = 1, 2\n\nconst (\n\tsmall = 1\n\tgreat = 2\n)\n"
	const code = "var first, second = 3, 4\n\nconst (\n\tsmall = 5\n\tgreat = 6\n)\n"
	for _, names := range [][]string{{"first", "small"}, {"second", "great"}} {
		got, err := cut.Replace([]byte(src), []byte(code), names)
		require.NoError(t, err, names)
		assert.Equal(t, "package p\n\n"+code, string(got), names)
	}
}

func TestEquivalentLooksAtTheTokensAlone(t *testing.T) {
	assert.True(t, cut.Equivalent([]byte("package p; func f() {}"), []byte("package p\n\n// f does.\nfunc f() {\n}\n")))
	assert.False(t, cut.Equivalent([]byte("package p; func f() {}"), []byte("package p; func g() {}")))
	assert.False(t, cut.Equivalent([]byte("package p"), []byte("package p; func g() {}")))
}

// replace does what strings.Replace does, for text that must be there.
func replace(t *testing.T, in, old, with string) string {
	t.Helper()
	require.Contains(t, in, old)
	return strings.Replace(in, old, with, 1)
}
