package whole_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/yaml"

	"reconcile/internal/kubetest"
)

// The manifest is Kubernetes' own, as it was before the summer of 2019, and this
// is all in which that differs from a later one. Whoever changes more of it than
// that changes what the chapter is about.
func TestTheManifestIsKubernetesOwnBeforeItWasMended(t *testing.T) {
	for name, oldnew := range map[string][]string{
		"configmap": {"primary.cnf", "master.cnf", "secondary.cnf", "slave.cnf"},
		"services":  {"    readonly: \"true\"\n", ""},
		"statefulset": {
			"primary.cnf", "master.cnf", "replica.cnf", "slave.cnf",
			` && "x$(<xtrabackup_slave_info)" != "x" ]]`, " ]]",
			"cat xtrabackup_slave_info | sed -E 's/;$//g' >", "mv xtrabackup_slave_info",
			"rm -f xtrabackup_slave_info xtrabackup_binlog_info", "rm -f xtrabackup_binlog_info",
			"rm -f xtrabackup_binlog_info xtrabackup_slave_info", "rm xtrabackup_binlog_info",
			laterSQL, formerSQL,
		},
	} {
		later, err := os.ReadFile("../testdata/original/" + name + ".yaml")
		require.NoError(t, err)
		text := strings.ReplaceAll(string(later), "    app.kubernetes.io/name: mysql\n", "")
		manifest, err := os.ReadFile("../manifests/mysql-" + name + ".yaml")
		require.NoError(t, err)
		assert.Equal(t, manifestObjects(t, replaced(t, text, oldnew...)),
			manifestObjects(t, string(manifest)), name)
	}
}

// How the server is told, later and before.
const (
	laterSQL = `            mysql -h 127.0.0.1 \
                  -e "$(<change_master_to.sql.in), \
                          MASTER_HOST='mysql-0.mysql', \
                          MASTER_USER='root', \
                          MASTER_PASSWORD='', \
                          MASTER_CONNECT_RETRY=10; \
                        START SLAVE;" || exit 1
            # In case of container restart, attempt this at-most-once.
            mv change_master_to.sql.in change_master_to.sql.orig
`
	formerSQL = `            mv change_master_to.sql.in change_master_to.sql.orig
            mysql -h 127.0.0.1 <<EOF
          $(<change_master_to.sql.orig),
            MASTER_HOST='mysql-0.mysql',
            MASTER_USER='root',
            MASTER_PASSWORD='',
            MASTER_CONNECT_RETRY=10;
          START SLAVE;
          EOF
`
)

func TestTheManifestSaysItInEnglish(t *testing.T) {
	files, err := filepath.Glob("../manifests/*.yaml")
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
	mended, err := os.ReadFile("../manifests/mysql-statefulset-mended.yaml")
	require.NoError(t, err)
	text, err := os.ReadFile("../manifests/mysql-statefulset.yaml")
	require.NoError(t, err)
	assert.Equal(t, string(mended), mendProcess(t, mendReplication(t, string(text))))
}

// What the pages show of the mended one, and of the one with a password.
func TestRunOfTheDiffsOfManifests(t *testing.T) {
	for _, diff := range []struct{ from, to, name string }{
		{"mysql-statefulset.yaml", "mysql-statefulset-mended.yaml", "mended.txt"},
		{"mysql-statefulset-mended.yaml", "mysql-statefulset-secret.yaml", "secret.txt"},
		{"mysql-statefulset-mended.yaml", "mysql-statefulset-failover.yaml", "failover.txt"},
	} {
		from, err := os.ReadFile("../manifests/" + diff.from)
		require.NoError(t, err)
		to, err := os.ReadFile("../manifests/" + diff.to)
		require.NoError(t, err)
		text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
			A: difflib.SplitLines(string(from)), FromFile: diff.from,
			B: difflib.SplitLines(string(to)), ToFile: diff.to,
		})
		require.NoError(t, err)
		kubetest.Recorded(t, "../../testdata/"+diff.name, []byte(text))
	}
}

// mendReplication has the file with the SQL renamed after the server has taken
// it, not before.
func mendReplication(t *testing.T, manifest string) string {
	const rename = "            mv change_master_to.sql.in change_master_to.sql.orig\n"
	const again = "            # If this container restarts, don't do this again.\n" + rename
	return replaced(t, manifest, again, "",
		"$(<change_master_to.sql.orig)", "$(<change_master_to.sql.in)",
		"          EOF\n", "          EOF\n"+again)
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

// manifestObjects are the objects of a manifest without the comments, those in
// scripts and option files too.
func manifestObjects(t *testing.T, manifest string) (objects []any) {
	t.Helper()
	for decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifest), 4096); ; {
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
