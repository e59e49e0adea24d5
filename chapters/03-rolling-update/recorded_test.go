package rollingupdate_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tests whose names begin with TestRun record the runs that the chapter prints
// and draws. A recording that differs from its file fails; -update writes it
// anew, and then the diff is to be read like a change of the code.

var rewrite = flag.Bool("update", false, "write the recorded runs anew")

// recorded compares a recording with testdata/name.
func recorded(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "go test -update writes %s anew", path)
}

func recordedJSON(t *testing.T, name string, value any) {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	require.NoError(t, err)
	recorded(t, name, append(text, '\n'))
}
