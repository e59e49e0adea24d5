package mysqlcluster_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// The manifest is one that people have used for years, with comments of our
// own. Whoever changes more of it than that changes what the chapter is about.
func TestTheManifestIsTheOneThatPeopleUse(t *testing.T) {
	for _, name := range []string{"configmap", "services", "statefulset"} {
		original := manifestObjects(t, "testdata/original/"+name+".yaml")
		require.NotEmpty(t, original)
		assert.Equal(t, original,
			manifestObjects(t, "manifests/mysql-"+name+".yaml"), name)
	}
}

func TestTheManifestSaysItInEnglish(t *testing.T) {
	files, err := filepath.Glob("manifests/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, r := range string(text) {
			require.Less(t, r, rune(0x80), "%s", file)
		}
	}
}

// Each of the two faults is mended in a place of its own: what the second
// manifest takes away, and what it says instead.
func TestTheMendedManifestDiffersInTheTwoFaultsOnly(t *testing.T) {
	mended, err := os.ReadFile("manifests/mysql-statefulset-mended.yaml")
	require.NoError(t, err)
	text, err := os.ReadFile("manifests/mysql-statefulset.yaml")
	require.NoError(t, err)
	assert.Equal(t, string(mended), mendProcess(t, mendReplication(t, string(text))))
}

// mendReplication has the file with the SQL renamed after the server has taken
// it, not before.
func mendReplication(t *testing.T, manifest string) string {
	const rename = "            mv change_master_to.sql.in change_master_to.sql.orig\n"
	return replaced(t, manifest,
		"            # Under another name, so that a restart of this container"+
			" does not do all\n            # this once more.\n"+rename, "",
		"$(<change_master_to.sql.orig)", "$(<change_master_to.sql.in)",
		"          EOF\n", "          EOF\n"+
			"            # Only now: what failed must be tried again.\n"+rename)
}

// mendProcess leaves the shell the first process of its container, which takes
// in orphans and ends when it is told to.
func mendProcess(t *testing.T, manifest string) string {
	return replaced(t, manifest,
		"          exec ncat", "          trap 'exit 143' TERM\n          ncat",
		"--user=root\"\n", "--user=root\" &\n          wait $!\n")
}

// replaced is a text with each old replaced by the new that follows it. Each is
// in it once.
func replaced(t *testing.T, text string, oldnew ...string) string {
	t.Helper()
	for i := 0; i < len(oldnew); i += 2 {
		require.Equal(t, 1, strings.Count(text, oldnew[i]), oldnew[i])
		text = strings.Replace(text, oldnew[i], oldnew[i+1], 1)
	}
	return text
}

// manifestObjects are the objects of a file without the comments, those in
// scripts and option files too.
func manifestObjects(t *testing.T, name string) (objects []any) {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	for decoder := yaml.NewYAMLOrJSONDecoder(file, 4096); ; {
		var object map[string]any
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		objects = append(objects, uncommented(object))
	}
}

func uncommented(of any) any {
	switch of := of.(type) {
	case map[string]any:
		for key, value := range of {
			of[key] = uncommented(value)
		}
	case []any:
		for i, value := range of {
			of[i] = uncommented(value)
		}
	case string:
		var kept strings.Builder
		for line := range strings.Lines(of) {
			if !strings.HasPrefix(strings.TrimSpace(line), "#") {
				kept.WriteString(line)
			}
		}
		return kept.String()
	}
	return of
}
