package references

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const before = `package a

import "fmt"

// A is a number.
type A int

func (a *A) Add(b int) {
	*a += b
}

func Print(a A) {
	fmt.Println(a)
}
`

// after has a line more at the top, an Add that begins otherwise, and no Print.
const after = `package a

import "fmt"

var _ = fmt.Sprint

// A is a number.
type A int

func (a *A) Add(b, c int) {
	*a += b
}
`

// module returns Kubernetes of one folder, pkg/a.
func module(t *testing.T, files map[string]string) sources {
	t.Helper()
	root := filepath.Join(t.TempDir(), "kubernetes@v1.0.0")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "pkg", "a"), 0o755))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(root, "pkg", "a", name), []byte(text), 0o644))
	}
	return sources{"kubernetes": root}
}

// one returns a page of one row, and its reference.
func one(t *testing.T, row string) (*page, reference) {
	t.Helper()
	p := read("page.md", row)
	require.Empty(t, p.wrong)
	require.Len(t, p.references, 1)
	return p, p.references[0]
}

func TestAReferenceSaysWhereItsLineIsNow(t *testing.T) {
	old := module(t, map[string]string{"a.go": before})
	for name, c := range map[string]struct {
		row   string
		files map[string]string
		says  string
	}{
		"moved":        {"`a.go:6` (`pkg/a`), `A`", map[string]string{"a.go": after}, "page.md:1: `a.go:6` was `type A int`, which is at a.go:8 now"},
		"within":       {"`pkg/a/a.go:9`", map[string]string{"a.go": after}, "page.md:1: `pkg/a/a.go:9` was `*a += b`, which is at a.go:11 now"},
		"edited":       {"`pkg/a/a.go:8`", map[string]string{"a.go": after}, "page.md:1: `pkg/a/a.go:8` was `func (a *A) Add(b int) {`, which is nowhere now: `A.Add` begins at a.go:10"},
		"gone":         {"`pkg/a/a.go:12`", map[string]string{"a.go": after}, "page.md:1: `pkg/a/a.go:12` was `func Print(a A) {`, which is nowhere now: no `Print` is in kubernetes/pkg/a"},
		"other file":   {"`pkg/a/a.go:12`", map[string]string{"a.go": after, "b.go": before}, "page.md:1: `pkg/a/a.go:12` was `func Print(a A) {`, which is at b.go:12 now"},
		"file renamed": {"`pkg/a/a.go:12`", map[string]string{"b.go": before}, "page.md:1: `pkg/a/a.go:12` is in none of the folders that the page names; it was `func Print(a A) {`, which is at b.go:12 now"},
		"as it was":    {"`a.go:12` (`pkg/a`), `Print`", map[string]string{"a.go": before}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, r := one(t, c.row)
			known, problem := old.check(p, r, record{}, false)
			require.Empty(t, problem)
			got, problem := module(t, c.files).check(p, r, known, true)
			assert.Equal(t, c.says, problem)
			assert.Equal(t, known, got, "what is known stays")
		})
	}
}

func TestALineThatIsEditedInItsPlaceIsAccepted(t *testing.T) {
	p, r := one(t, "`pkg/a/a.go:9`")
	known, problem := module(t, map[string]string{"a.go": before}).check(p, r, record{}, false)
	require.Empty(t, problem)
	edited := module(t, map[string]string{"a.go": "package a\n\n\n\n\n\n\nfunc (a *A) Add(b int) {\n\t*a = *a + A(b)\n}\n"})
	_, problem = edited.check(p, r, known, false)
	assert.Contains(t, problem, "which is nowhere now")
	got, problem := edited.check(p, r, known, true)
	assert.Empty(t, problem)
	assert.Equal(t, "*a = *a + A(b)", got.text)
}

func TestAReferenceThatIsWrongSaysWhy(t *testing.T) {
	s := module(t, map[string]string{"a.go": before})
	for row, says := range map[string]string{
		"`a.go:3` (`pkg/a`)":         "is in no declaration: `import \"fmt\"`",
		"`a.go:99` (`pkg/a`)":        "is in no declaration: ``",
		"`a.go:9`, `Add` (`pkg/a`)":  "is `*a += b`, and not `Add`: `Add` begins at a.go:8",
		"`a.go:8` (`pkg/b`)":         "is in none of the folders that the page names",
		"`a.go:8` (`pkg/a`, v1.0.1)": "is printed with v1.0.1, and go.mod requires v1.0.0",
		"[a](https://github.com/kubernetes/kubernetes/blob/v0.9.0/pkg/a/a.go#L8)": "is printed with v0.9.0, and go.mod requires v1.0.0",
	} {
		p, r := one(t, row)
		_, problem := s.check(p, r, record{}, false)
		assert.Contains(t, problem, says, row)
	}
	assert.NotEmpty(t, read("page.md", "see a.go:8").wrong)
}

func TestAFileIsInTheFolderThatIsNamedClosestToIt(t *testing.T) {
	s := module(t, map[string]string{"a.go": before})
	b := filepath.Join(s["kubernetes"], "pkg", "b")
	require.NoError(t, os.Mkdir(b, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(b, "a.go"), []byte(before), 0o644))
	for text, file := range map[string]string{
		"`a.go:8`, where it names no folder, that's `pkg/b`":                    "kubernetes/pkg/b/a.go",
		"where it names no folder, that's `pkg/b`\n`a.go:8` and `:9` (`pkg/a`)": "kubernetes/pkg/a/a.go",
		"`pkg/b/a.go:6`\n`a.go:8`":                                              "kubernetes/pkg/b/a.go",
	} {
		p := read("page.md", text)
		for _, r := range p.references {
			got, err := s.find(p, r)
			assert.NoError(t, err)
			assert.Equal(t, file, got, text)
		}
	}
	p := read("page.md", "`pkg/a/a.go:8`\n`pkg/b/a.go:8`\n`a.go:8`")
	_, err := s.find(p, p.references[2])
	assert.EqualError(t, err, "may be any of kubernetes/pkg/a/a.go, kubernetes/pkg/b/a.go")
}
