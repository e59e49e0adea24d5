package servers

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRealADiskIsFilledAndEmptiedAndGivenBack(t *testing.T) {
	opts := Options{Folder: t.TempDir()}
	if err := opts.SmallDisk(); errors.Is(err, os.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		require.NoError(t, opts.ReleaseDisk(), "there is none")
		t.Skip(err)
	} else {
		require.NoError(t, err)
	}
	t.Cleanup(func() { assert.NoError(t, opts.ReleaseDisk()) })
	c := &Cluster{opts: opts}
	write := func() error { return os.WriteFile(filepath.Join(c.disk(), "data"), []byte("text"), 0o600) }
	require.NoError(t, c.FillDisk())
	assert.True(t, full(write()))
	require.NoError(t, c.EmptyDisk())
	assert.NoError(t, write())
	require.NoError(t, opts.ReleaseDisk())
	assert.NoFileExists(t, filepath.Join(c.disk(), "data"))
}
