package kubetest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ending stands in for a test, and does at its end what is left to do.
type ending struct {
	complaints
	cleanups []func()
}

func (e *ending) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }

func (e *ending) end() {
	for _, f := range e.cleanups {
		f()
	}
}

func TestWhatATestLeavesOpenIsCounted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not say what is open")
	}
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "volumes"), 0o755))
	held, err := os.OpenRoot(folder)
	require.NoError(t, err)
	defer held.Close()

	test := &ending{complaints: complaints{TB: t}}
	Closes(test, folder)
	other, err := os.Open(t.TempDir())
	require.NoError(t, err)
	defer other.Close()
	inside, err := held.OpenRoot("volumes")
	require.NoError(t, err)
	inside.Close()
	test.end()
	assert.Empty(t, test.errors, "what is open elsewhere, or was before, or is closed")

	test = &ending{complaints: complaints{TB: t}}
	Closes(test, folder)
	for range 2 {
		inside, err := held.OpenRoot("volumes")
		require.NoError(t, err)
		defer inside.Close()
	}
	test.end()
	assert.Equal(t, []string{"files and folders that were opened and are never closed: 2"}, test.errors)
}
