package kubetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/openexercises"
	"reconcile/internal/source"
)

// rewrite is the flag -update of a chapter's tests: Main has it.
var rewrite bool

// Recorded compares the result of a run with testdata/name, byte for byte. With
// -update it writes that anew; then the diff is to be read like one of code.
func Recorded(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if rewrite {
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	if os.Getenv(openexercises.ReachEnv) != "" {
		println(openexercises.Recorded)
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, source.PlainText(path, want))
	says := "go test -update writes " + path + " anew"
	if openexercises.Any() {
		says = path // what differs is the reader's, and not the recording
	}
	assert.Equal(t, string(want), string(got), says)
}

// RecordedJSON does the same for a value.
func RecordedJSON(t testing.TB, name string, value any) {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	require.NoError(t, err)
	Recorded(t, name, append(text, '\n'))
}
