package highlight_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/highlight"
)

const counter = `package a

import (
	str "strings"
	"sync"
)

// Counter counts
// words.
type Counter[T comparable] struct {
	sync.Mutex
	n map[T]int // how often
}

func (c *Counter[T]) Add(key T) (n int) {
	for i := range 3 {
		c.n[key] += i
	}
	return len(str.Fields("a & b")) + 0x1
}
`

// module writes a module of one package, and returns its folder.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module m\n\ngo 1.26\n"
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir
}

func load(t *testing.T, root, cache string) *highlight.Info {
	t.Helper()
	loader, err := highlight.NewLoader(highlight.NewChecker(root), cache)
	require.NoError(t, err)
	info, err := loader.Load(context.Background(), "a")
	require.NoError(t, err)
	return info
}

// spelled shows every address as the names that it was made of.
type spelled struct{}

func (spelled) To(pkg, name string) string           { return pkg + "#" + name }
func (spelled) Define(name string) (id, href string) { return name, "" }
func (spelled) Local(at int) string                  { return fmt.Sprint("#", at) }
func (spelled) LocalID(at int) string                { return fmt.Sprint(at) }

func TestEveryIdentifierLeadsToItsDefinition(t *testing.T) {
	info := load(t, module(t, map[string]string{"a/a.go": counter}), "")
	assert.Equal(t, "m/a", info.Path)
	code := highlight.NewCode([]byte(counter), info.Refs["a.go"])
	html := code.Nodes(0, len(counter), spelled{}).String()
	at := func(s string) int { return strings.Index(counter, s) }
	for _, want := range []string{
		`str <a href=strings#>"strings"</a>`,
		`<i>// Counter counts<u>` + "\n//</u> words.</i>",
		`<a class=d id=Counter>Counter</a>`,
		`<a class=d id=Counter.Mutex href=sync#Mutex>sync.Mutex</a>`,
		`<a class=d id=Counter.n>n</a> <b>map</b>[`,
		`<a class=d id=Counter.Add>Add</a>(key <a href=#`,
		`<a href=#` + fmt.Sprint(at("c *Counter")) + `>c</a>.<a href=m/a#Counter.n>n</a>`,
		`<a href=builtin#len>len</a>(<a href=strings#Fields>str.Fields</a>(<i class=s>"a &amp; b"</i>)) + <i class=n>0x1</i>`,
	} {
		assert.Contains(t, html, want)
	}
}

func TestAPieceOfCodeIsCutWhereItIsAsked(t *testing.T) {
	code := highlight.NewCode([]byte(counter), nil)
	start := strings.Index(counter, "counts")
	assert.Equal(t, "<i class=e>counts\n// wo</i>", code.Nodes(start, start+len("counts\n// wo"), spelled{}).String())
}

func TestMembersOfTestFilesAreKnown(t *testing.T) {
	info := load(t, module(t, map[string]string{
		"a/a.go":       "package a\n\nvar A = 1\n",
		"a/in_test.go": "package a\n\nvar B = A\n",
		"a/x_test.go":  "package a_test\n\nimport \"m/a\"\n\nvar C = a.A + a.B\n",
	}), "")
	require.Len(t, info.Refs["in_test.go"], 2)
	assert.Equal(t, "A", info.Refs["in_test.go"][1].Name)
	last := info.Refs["x_test.go"][len(info.Refs["x_test.go"])-1]
	assert.Equal(t, []string{"m/a", "B"}, []string{last.Pkg, last.Name})
}

func TestTypeErrorsNameFileAndLine(t *testing.T) {
	root := module(t, map[string]string{"a/a.go": "package a\n\nvar A = B\n"})
	loader, err := highlight.NewLoader(highlight.NewChecker(root), "")
	require.NoError(t, err)
	_, err = loader.Load(context.Background(), "a")
	assert.ErrorContains(t, err, filepath.Join(root, "a/a.go")+":3: undefined: B")
}

// moduleWithOther is a module that takes another from a folder beside it.
func moduleWithOther(t *testing.T) (root string) {
	t.Helper()
	t.Setenv("GOWORK", "")
	above := module(t, map[string]string{
		"book/a/a.go":  "package a\n\nimport \"other/b\"\n\nvar A = b.B\n",
		"book/go.mod":  "module m\n\ngo 1.26\n\nrequire other v0.0.0\n\nreplace other => ../other\n",
		"other/go.mod": "module other\n\ngo 1.21\n",
		"other/b/b.go": "package b\n\nimport \"other/c\"\n\nvar B = c.C\n",
		"other/c/c.go": "package c\n\nvar C = 1\n\nfunc f() { wrong }\n",
	})
	return filepath.Join(above, "book")
}

// An error in a function of another module is not the book's concern.
func TestPackagesOfOtherModulesAreKnownByTheirDeclarations(t *testing.T) {
	refs := load(t, moduleWithOther(t), "").Refs["a.go"]
	assert.Equal(t, "other/b", refs[0].Pkg)
	last := refs[len(refs)-1]
	assert.Equal(t, []string{"other/b", "B"}, []string{last.Pkg, last.Name})
}

func TestWhatGoDoesNotListIsSaidWithItsReason(t *testing.T) {
	root := moduleWithOther(t)
	loader, err := highlight.NewLoader(highlight.NewChecker(root), "")
	require.NoError(t, err)
	t.Setenv("GOFLAGS", "-mod=vendor")
	_, err = loader.Load(context.Background(), "a")
	assert.ErrorContains(t, err, "go list does not find what the chapters import: ")
	assert.ErrorContains(t, err, "inconsistent vendoring")
}

func TestAModuleOfAnotherVersionIsReadAnew(t *testing.T) {
	root := moduleWithOther(t)
	checker := highlight.NewChecker(root)
	problem := func() error {
		loader, err := highlight.NewLoader(checker, "")
		require.NoError(t, err)
		_, err = loader.Load(context.Background(), "a")
		return err
	}
	require.NoError(t, problem())
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(content), 0o644))
	}
	write("../other/b/b.go", "package b\n\nvar Renamed = 1\n")
	require.NoError(t, problem(), "a version of a module does not change")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	write("go.mod", string(mod)+"\n// Another.\n")
	assert.ErrorContains(t, problem(), "a.go:5: undefined: b.B")
}

func TestACheckEndsWithItsContext(t *testing.T) {
	root := module(t, map[string]string{"a/a.go": counter})
	loader, err := highlight.NewLoader(highlight.NewChecker(root), "")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = loader.Load(ctx, "a")
	assert.ErrorIs(t, err, context.Canceled)
	_, err = loader.Load(context.Background(), "a")
	assert.NoError(t, err, "what was not read then is read now")
}

func TestTheCacheAnswersUntilSomethingChangesThatMatters(t *testing.T) {
	root, cache := module(t, map[string]string{
		"a/a.go": "package a\n\nimport \"m/b\"\n\nvar A = b.B\n",
		"b/b.go": "package b\n\nvar B = f()\n\nfunc f() int { return 1 }\n",
		"c/c.go": "package c\n",
	}), t.TempDir()
	entries := func() int {
		load(t, root, cache)
		files, err := os.ReadDir(cache)
		require.NoError(t, err)
		return len(files)
	}
	edit := func(path, old, new string) {
		file := filepath.Join(root, path)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(content), old)
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(content), old, new, 1)), 0o644))
	}
	assert.Equal(t, 1, entries())
	assert.Equal(t, 1, entries(), "nothing changed")
	edit("c/c.go", "package c", "package c // edited")
	assert.Equal(t, 1, entries(), "a does not import c")
	edit("b/b.go", "func f", "\n// f is one.\nfunc f")
	edit("b/b.go", "return 1", "one := 1 // so\n\treturn one")
	assert.Equal(t, 1, entries(), "a sees no comment of b, and nothing in its functions")
	edit("b/b.go", "int {", "int8 {")
	assert.Equal(t, 2, entries(), "B has another type")
	edit("a/a.go", "package a", "package a // edited")
	assert.Equal(t, 3, entries())
}

func TestADamagedCacheIsOnlyACache(t *testing.T) {
	root, cache := module(t, map[string]string{"a/a.go": "package a\n\nvar A = 1\n"}), t.TempDir()
	want := load(t, root, cache)
	files, err := filepath.Glob(filepath.Join(cache, "*"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files[0], []byte("torn"), 0o644))
	assert.Equal(t, want, load(t, root, cache))
}

func TestOtherLanguagesWearTheClassesOfGo(t *testing.T) {
	html, err := highlight.Other("yaml", "kind: Pod # a\nn: 3\n")
	require.NoError(t, err)
	assert.Equal(t, "<b>kind</b>: <i class=s>Pod</i> <i class=e># a</i>\n<b>n</b>: <i class=n>3</i>", html.String())

	html, err = highlight.Other("yaml", "command:\n- sh\n- -c\n- |\n  # Copy.\n  if x; then y \"z\"; fi\nnote: |\n  if\n")
	require.NoError(t, err)
	assert.Contains(t, html.String(), "\n  <i class=e># Copy.</i>\n  <b>if</b> x;", "a script in a manifest is a script")
	assert.Contains(t, html.String(), `<i class=s>"z"</i>`)
	assert.Contains(t, html.String(), "<i class=s>\n  if</i>", "and a text is a text")

	_, err = highlight.Other("klingon", "")
	assert.EqualError(t, err, `language "klingon" is not known`)
}

func TestAParagraphOfACommentCanBeSetAnew(t *testing.T) {
	cases := map[string]struct{ comment, html string }{
		"one line": {"// One.", "<i>// One.</i>"},
		"a paragraph goes on": {
			"// One is\n// one.", "<i>// One is<u>\n//</u> one.</i>"},
		"an empty line ends it": {
			"// One.\n//\n// Two.", "<i>// One.</i>\n<i>//</i>\n<i>// Two.</i>"},
		"items of a list stand apart": {
			"// These:\n// - a & b\n// 1. c", "<i>// These:</i>\n<i style=--h:5>// - a &amp; b</i>\n<i style=--h:6>// 1. c</i>"},
		"an item goes on": {
			"//   - a is\n//     a.\n//   - b", "<i style=--h:7>//   - a is<u>\n//    </u> a.</i>\n<i style=--h:7>//   - b</i>"},
		"an item of a list of names": {
			"//\tx  one\n//\t   more", "<i>//\tx  one</i>\n<i>//\t   more</i>"},
		"what is set in stays as it is": {
			"// So:\n//\n//\tx := 1\n//\ty := 2", "<i>// So:</i>\n<i>//</i>\n<i>//\tx := 1</i>\n<i>//\ty := 2</i>"},
		"code deep in a function": {
			"{\n\t\t// One is\n\t\t// one.\n}", "{\n\t\t<i style=--t:2>// One is<u>\n\t\t//</u> one.</i>\n}"},
		"behind code it does not move": {
			"x // is\n// Y is\n// y.", "x <i class=e>// is</i>\n<i>// Y is<u>\n//</u> y.</i>"},
		"between stars it does not move": {
			"/* a\n// b */", "<i class=e>/* a\n// b */</i>"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			html, err := highlight.Other("go", c.comment)
			require.NoError(t, err)
			assert.Equal(t, c.html, html.String())
		})
	}
}
