package toolchain

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compiledIn returns packages of a book: p, q, which imports it, and r and a library below both.
func compiledIn(t *testing.T) map[string]*listed {
	dir, packages := t.TempDir(), map[string]*listed{}
	add := func(name string, imports, deps []string) {
		p := &listed{ImportPath: name, Dir: dir, Export: filepath.Join(dir, fmt.Sprint(len(packages), ".a")),
			GoFiles: []string{"p.go"}, Imports: imports, Deps: deps}
		p.folder = strings.TrimPrefix(p.path(), "reconcile/")
		declared, code := "declarations", "code of "+name+" \x00go120ld12345678"
		text := fmt.Sprintf("!<arch>\n%-16s%-32s%-10d`\n%s%s", "__.PKGDEF", "0 0 0 644", len(declared), declared, code)
		require.NoError(t, os.WriteFile(p.Export, []byte(text), 0o644))
		packages[name] = p
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.go"), []byte("package p\n"), 0o644))
	add("internal/abi", nil, nil)
	add("example.com/used", nil, []string{"internal/abi"})
	add("example.com/linked", nil, []string{"internal/abi"})
	add("reconcile/r", []string{"example.com/linked"}, []string{"example.com/linked", "internal/abi"})
	add("reconcile/p", []string{"reconcile/r"}, []string{"example.com/linked", "internal/abi", "reconcile/r"})
	add("reconcile/q [reconcile/p.test]", []string{"reconcile/p"}, []string{"example.com/linked", "internal/abi", "reconcile/p", "reconcile/r"})
	add("reconcile/p_test [reconcile/p.test]", []string{"reconcile/q [reconcile/p.test]", "example.com/used"},
		[]string{"example.com/linked", "example.com/used", "internal/abi", "reconcile/p", "reconcile/q [reconcile/p.test]", "reconcile/r"})
	add("reconcile/p.test", nil, append([]string{"reconcile/p_test [reconcile/p.test]"}, packages["reconcile/p_test [reconcile/p.test]"].Deps...))
	return packages
}

func TestWhatImportsAPackageIsCompiledAfterIt(t *testing.T) {
	packages, files := compiledIn(t), map[string]string{}
	u, err := archivesOf(packages, []string{"p"}).unit(packages, "p", files)
	require.NoError(t, err)
	assert.Equal(t, "reconcile/p", u.Path)
	require.Len(t, u.Above, 2)
	assert.Equal(t, "reconcile/q", u.Above[0].Path)
	assert.Equal(t, "reconcile/p_test", u.Above[1].Path)
	assert.Equal(t, "package p\n", files["q/p.go"], "a page has its text")
	assert.NotContains(t, files, "r/p.go")
	_, err = archivesOf(packages, nil).unit(packages, "r", files)
	assert.EqualError(t, err, "r has no tests")
}

func TestOnlyWhatIsImportedHasItsDeclarations(t *testing.T) {
	packages := compiledIn(t)
	all := archivesOf(packages, []string{"p"})
	for name, has := range map[string]bool{
		"internal/abi": false, "example.com/linked": false, "example.com/used": true, "reconcile/r": true,
		"reconcile/q [reconcile/p.test]": true,
	} {
		sum, err := all.add(packages[name])
		require.NoError(t, err)
		text, err := all.bySum[sum].text()
		require.NoError(t, err)
		assert.Equal(t, has, strings.Contains(string(text), "declarations"), name)
		assert.Contains(t, string(text), "code of "+name)
		assert.True(t, strings.HasPrefix(string(text), "!<arch>\n"))
	}
	for path, may := range map[string]bool{"strings": true, "math/rand/v2": true, "k8s.io/utils/ptr": true, "k8s.io/client-go/rest": false,
		"vendor/golang.org/x/net/idna": false, "crypto/internal/fips140": false} {
		assert.Equal(t, may, all.isImported(path), path)
	}
	require.NoError(t, os.WriteFile(packages["internal/abi"].Export, []byte("!<arch>\n_go_.o"), 0o644))
	_, err := all.add(packages["internal/abi"])
	assert.ErrorContains(t, err, "Go has another format")
}
