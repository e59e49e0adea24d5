package digest_test

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/digest"
)

// folder is a module in which a imports b, b imports c, and a's test imports d.
type folder struct {
	t    *testing.T
	root string
}

func newFolder(t *testing.T) folder {
	f := folder{t, t.TempDir()}
	f.write("go.mod", "module m\n")
	f.write("a/a.go", "package a\n\nimport _ \"m/b\"\n")
	f.write("a/a_test.go", "package a_test\n\nimport _ \"m/d\"\n")
	f.write("a/data/x.txt", "x")
	f.write("a/data/x.go", "package x\n\nimport _ \"m/e\"\n") // another package
	f.write("b/b.go", "package b\n\nimport (\n\t_ \"other/e\"\n\t_ \"m/c\"\n)\n")
	f.write("b/b_test.go", "package b\n")
	f.write("b/below/b.go", "package below\n")
	f.write("b/embedded.txt", "x")
	f.write("b/b.md", "words")
	f.write("c/c.go", "package c\n")
	f.write("d/d.go", "package d\n")
	f.write("e/e.go", "package e\n")
	return f
}

func (f folder) write(name, text string) {
	f.t.Helper()
	file := filepath.Join(f.root, filepath.FromSlash(name))
	require.NoError(f.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(f.t, os.WriteFile(file, []byte(text), 0o644))
}

// ofA returns the digest of a by a module that is read anew. Others see the
// files of a package without blanks, but for prose.
func (f folder) ofA(environment string) string {
	f.t.Helper()
	m, err := digest.New(f.root, environment, func(name string, text []byte) []byte {
		if path.Ext(name) == ".md" {
			return nil
		}
		return bytes.Join(bytes.Fields(text), nil)
	})
	require.NoError(f.t, err)
	sum, err := m.Package("a", func(string) bool { return true })
	require.NoError(f.t, err)
	return sum
}

func TestADigestIsOfAllThatAPackageDependsOnAndOfNothingElse(t *testing.T) {
	for name, text := range map[string]string{
		"go.mod":         "module m\n\ngo 1.26\n",
		"go.sum":         "x",
		"a/a.go":         "package a\n\nimport  _ \"m/b\"\n", // a blank more
		"a/a_test.go":    "package a_test\n",
		"a/data/x.txt":   "y",
		"a/new.txt":      "",
		"b/b.go":         "package b\n",
		"b/embedded.txt": "y",
		"c/c.go":         "package c\n\nvar C int\n",
		"d/d.go":         "package d\n\nvar D int\n",
	} {
		t.Run("changed by "+name, func(t *testing.T) {
			f := newFolder(t)
			before := f.ofA("")
			f.write(name, text)
			assert.NotEqual(t, before, f.ofA(""))
		})
	}
	for name, text := range map[string]string{
		"b/b_test.go":  "package b\n\nvar B int\n",
		"b/below/b.go": "package below\n\nvar B int\n",
		"b/b.md":       "other words",
		"c/c.go":       "package  c\n", // not seen from a
		"e/e.go":       "package e\n\nvar E int\n",
		"f/f.go":       "package f\n",
	} {
		t.Run("not changed by "+name, func(t *testing.T) {
			f := newFolder(t)
			before := f.ofA("")
			f.write(name, text)
			assert.Equal(t, before, f.ofA(""))
		})
	}
	f := newFolder(t)
	assert.NotEqual(t, f.ofA("go1.26"), f.ofA("go1.27"))
}

func TestOnlyWhatIsAskedForCountsOfThePackageItself(t *testing.T) {
	f := newFolder(t)
	of := func(own func(string) bool) string {
		m, err := digest.New(f.root, "", func(_ string, text []byte) []byte { return text })
		require.NoError(t, err)
		sum, err := m.Package("a", own)
		require.NoError(t, err)
		return sum
	}
	code := func(name string) bool { return path.Ext(name) == ".go" }
	before := of(code)
	f.write("a/data/x.txt", "y")
	assert.Equal(t, before, of(code))
	noTests := func(name string) bool { return name == "a.go" }
	before = of(noTests)
	f.write("d/d.go", "package d\n\nvar D int\n")
	assert.Equal(t, before, of(noTests), "what is not asked for imports nothing")
}

func TestAPackageIsTheSameWhateverWasAskedBefore(t *testing.T) {
	f := newFolder(t)
	f.write("z/z.go", "package z\n\nimport _ \"m/b\"\n")
	every := func(string) bool { return true }
	m, err := digest.New(f.root, "", func(_ string, text []byte) []byte { return text })
	require.NoError(t, err)
	first, err := m.Package("z", every)
	require.NoError(t, err)
	_, err = m.Package("a", every)
	require.NoError(t, err)
	again, err := m.Package("z", every)
	require.NoError(t, err)
	assert.Equal(t, first, again)
}

// An editor's lock is a link to nowhere, and may be gone before it is read.
func TestALinkToNowhereHidesNoOtherFile(t *testing.T) {
	f := newFolder(t)
	if err := os.Symlink("nowhere", filepath.Join(f.root, "a", ".#a.go")); err != nil {
		t.Skip("no links here:", err)
	}
	before := f.ofA("")
	f.write("a/a.go", "package a\n")
	assert.NotEqual(t, before, f.ofA(""))
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	f := newFolder(t)
	if err := os.Symlink("a", filepath.Join(f.root, "c", "folder.go")); err != nil {
		t.Skip("no links here:", err)
	}
	require.NoError(t, os.Mkdir(filepath.Join(f.root, "c", "a"), 0o755))
	m, err := digest.New(f.root, "", func(_ string, text []byte) []byte { return text })
	require.NoError(t, err)
	_, err = m.Package("a", func(string) bool { return true })
	assert.ErrorContains(t, err, "folder.go")

	require.NoError(t, os.Mkdir(filepath.Join(f.root, "go.sum"), 0o755))
	_, err = digest.New(f.root, "", nil)
	assert.ErrorContains(t, err, "go.sum")
}

func TestEveryCopyOfAModuleHasTheSameDigests(t *testing.T) {
	assert.Equal(t, newFolder(t).ofA(""), newFolder(t).ofA(""))
}

// Code that the compiler will refuse has a digest, so that the compiler can say
// so.
func TestWhatDoesNotCompileHasADigest(t *testing.T) {
	for name, broken := range map[string]string{
		"a package that is not there":     "package c\n\nimport _ \"m/nowhere\"\n",
		"a package that imports itself":   "package c\n\nimport _ \"m/b\"\n",
		"a file that does not parse":      "package c\n\nimport _ \"m/d\"\n\nfunc (",
		"a file that does not even begin": "}",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			before := f.ofA("")
			f.write("c/c.go", broken)
			assert.NotEqual(t, before, f.ofA(""))
			f.write("c/c.go", "package c\n")
			assert.Equal(t, before, f.ofA(""))
		})
	}
}

func TestOneFileEndsWhereTheNextBegins(t *testing.T) {
	var ab, a bytes.Buffer
	digest.Add(&ab, "x", []byte("1"))
	digest.Add(&ab, "y", []byte("2"))
	digest.Add(&a, "x", []byte("1\"y\" 1\n2"))
	assert.NotEqual(t, ab.String(), a.String())
}

func TestAModuleNeedsItsGoMod(t *testing.T) {
	_, err := digest.New(t.TempDir(), "", nil)
	assert.ErrorIs(t, err, os.ErrNotExist)
}
