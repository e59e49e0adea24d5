package cut_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise/cut"
)

const pair = `package pair

import (
	"fmt"
	"strings"
)

type Pair[K comparable] struct{ a, b K }

func (p Pair[K]) Has(k K) bool { return p.a == k || p.b == k }

func (Pair[K]) log(string, ...any) {
	fmt.Println()
}

func join[T any, S ~[]T](_ S, parts ...string) (whole string) {
	whole = strings.Join(parts, "")
	return
}
`

func TestJumpLeadsToANamesake(t *testing.T) {
	got, err := cut.Jump([]byte(pair), map[string][]string{
		"Pair.Has": {"__1", "__2"}, "Pair.log": {"__2"}, "join": {"__3"},
	}, "chosen")
	require.NoError(t, err)
	assert.Equal(t, `package pair

import (
	"fmt"
	"strings"
)

type Pair[K comparable] struct{ a, b K }

func (p Pair[K]) Has(k K) bool { switch chosen { case "__1": return p.Has__1(k); case "__2": return p.Has__2(k); }; return p.a == k || p.b == k }

func (p__0 Pair[K]) log(p__1 string, p__2 ...any) { switch chosen { case "__2": p__0.log__2(p__1, p__2...); return; };
	fmt.Println()
}

func join[T any, S ~[]T](p__0 S, parts ...string) (whole string) { switch chosen { case "__3": return join__3[T, S](p__0, parts...); };
	whole = strings.Join(parts, "")
	return
}
`, string(got))
}

func TestBeginPutsAStatementFirstOnTheSameLine(t *testing.T) {
	got, err := cut.Begin([]byte(pair), map[string]string{"Pair.log": " println(1);", "join": " println(2);"})
	require.NoError(t, err)
	assert.Contains(t, string(got), "func (Pair[K]) log(string, ...any) { println(1);\n\tfmt.Println()\n}")
	assert.Contains(t, string(got), "(whole string) { println(2);\n\twhole = ")
	_, err = cut.Begin([]byte(pair), map[string]string{"none": ""})
	assert.EqualError(t, err, "there is no none")
}

func TestAsideIsAFileOfItsOwn(t *testing.T) {
	got, err := cut.Aside([]byte(pair), []string{"Pair.Has", "join"}, "__3")
	require.NoError(t, err)
	assert.Equal(t, `package pair

import (
	"strings"
)

func (p Pair[K]) Has__3(k K) bool { return p.a == k || p.b == k }

func join__3[T any, S ~[]T](_ S, parts ...string) (whole string) {
	whole = strings.Join(parts, "")
	return
}
`, string(got))
	_, err = cut.Aside([]byte(pair), []string{"Pair"}, "__3")
	require.ErrorContains(t, err, "there is no Pair")
}

func TestInterchangeableFunctionsHaveTheSameSignature(t *testing.T) {
	const f = "package p\n\nfunc f(a, b int) (string, error)"
	cases := map[string]struct {
		a, b, name string
		want       bool
	}{
		"other names":           {f + "{}", "package p\nfunc f(x int, y int) (s string, err error) {}", "f", true},
		"another body":          {f + "{}", f + "{ panic(1) }", "f", true},
		"another type":          {f + "{}", "package p\nfunc f(a, b int8) (string, error) {}", "f", false},
		"one parameter":         {f + "{}", "package p\nfunc f(a int) (string, error) {}", "f", false},
		"fewer results":         {f + "{}", "package p\nfunc f(a, b int) string {}", "f", false},
		"a result moved":        {"package p\nfunc f(a int) {}", "package p\nfunc f() int {}", "f", false},
		"a method":              {"package p\nfunc (T) f() {}", "package p\nfunc (*T) f() {}", "T.f", false},
		"variadic":              {"package p\nfunc f(a ...int) {}", "package p\nfunc f(a []int) {}", "f", false},
		"type parameters":       {"package p\nfunc f[T, U any]() {}", "package p\nfunc f[U, T any]() {}", "f", false},
		"gone":                  {f + "{}", "package p\n", "f", false},
		"no function":           {"package p\nvar f = 1\n", "package p\nvar f = 1\n", "f", false},
		"what cannot be parsed": {f + "{", f + "{", "f", false},
	}
	for name, c := range cases {
		assert.Equal(t, c.want, cut.Interchangeable([]byte(c.a), []byte(c.b), []string{c.name}), name)
	}
}
