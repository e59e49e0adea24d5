package diskcache_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/diskcache"
)

func TestWhatWasAddedIsKnown(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	m, err := diskcache.Open(dir)
	require.NoError(t, err)
	_, known := m.Get("a")
	assert.False(t, known)
	require.NoError(t, m.Add("a", []byte("1")))
	require.NoError(t, m.Add("a", []byte("2")))
	text, known := m.Get("a")
	assert.True(t, known)
	assert.Equal(t, "2", string(text))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left on the way")
}

func TestNothingOfAHalfIsKnown(t *testing.T) {
	dir := t.TempDir()
	m, err := diskcache.Open(dir)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(m.Path("a"), 0o755)) // a file cannot take its place
	assert.Error(t, m.Add("a", []byte("1")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestWhatNothingAskedForInAMonthIsForgotten(t *testing.T) {
	m, err := diskcache.Open(t.TempDir())
	require.NoError(t, err)
	old := time.Now().Add(-diskcache.Span - time.Hour)
	for _, name := range []string{"old", "asked"} {
		require.NoError(t, os.MkdirAll(filepath.Join(m.Path(name), "below"), 0o755))
		require.NoError(t, os.Chtimes(m.Path(name), old, old))
	}
	require.NoError(t, m.Add("new", nil))
	assert.True(t, m.Has("asked"))
	m.ForgetOld()
	assert.False(t, m.Has("old"))
	assert.True(t, m.Has("asked"))
	assert.True(t, m.Has("new"))
}
