package architecture

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// borrowedList has the packages of Kubernetes itself that the book imports outside
// its tests. They promise nobody anything, and move every four months.
const borrowedList = "testdata/borrowed.txt"

// borrowed returns the packages of k8s.io/kubernetes that the Go files below a
// folder import, and one of the files for each. Tests are left out, and folders in
// which Kubernetes itself is what is run.
func borrowed(t *testing.T, root string, without ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		at = filepath.ToSlash(at)
		if d.IsDir() {
			if d.Name() == "testdata" || slices.Contains(without, at) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		paths, err := importedBy(file)
		for _, path := range paths {
			if strings.HasPrefix(path, "k8s.io/kubernetes/") {
				found[path] = at
			}
		}
		return err
	}))
	return found
}

// unsettled says how what is imported differs from the list.
func unsettled(list []string, found map[string]string) (wrong []string) {
	for _, path := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(list, path) {
			wrong = append(wrong, path+" is new, in "+found[path]+": the list only shrinks")
		}
	}
	for _, path := range list {
		if found[path] == "" {
			wrong = append(wrong, path+" is imported no more: take its line out of "+borrowedList)
		}
	}
	return wrong
}

func TestTheBookImportsNoMoreOfKubernetesItselfThanItDid(t *testing.T) {
	text, err := os.ReadFile(borrowedList)
	require.NoError(t, err)
	list := strings.Fields(string(text))
	assert.True(t, slices.IsSorted(list), "the list is sorted")
	for _, wrong := range unsettled(list, borrowed(t, "../..", "site", "judges")) {
		assert.Fail(t, wrong)
	}
}

func TestAListThatGrowsOrIsBehindIsTold(t *testing.T) {
	const core, apps = "k8s.io/kubernetes/pkg/apis/core", "k8s.io/kubernetes/pkg/apis/apps"
	root := t.TempDir()
	for name, path := range map[string]string{
		"rules.go": core, "rules_test.go": apps, "proof/run.go": apps, "testdata/x.go": apps,
		"other.go": "k8s.io/apimachinery/pkg/types",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte("package x\n\nimport _ \""+path+"\"\n"), 0o644))
	}
	found := borrowed(t, root, "proof")
	assert.Equal(t, map[string]string{core: "rules.go"}, found)
	assert.Empty(t, unsettled([]string{core}, found))
	assert.Equal(t, []string{core + " is new, in rules.go: the list only shrinks"}, unsettled(nil, found))
	assert.Equal(t, []string{apps + " is imported no more: take its line out of testdata/borrowed.txt"},
		unsettled([]string{apps, core}, found))
}
