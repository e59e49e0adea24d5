package filelock_test

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/filelock"
)

func TestALockIsHeldOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := filelock.TryLock(path)
	require.NoError(t, err)
	_, err = filelock.TryLock(path)
	require.ErrorIs(t, err, filelock.ErrLocked)

	release()
	release, err = filelock.TryLock(path)
	require.NoError(t, err, "it was given back")
	release()
}

func TestWhoHoldsALockIsKnown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := filelock.Hold(path)
	require.NoError(t, err)

	_, err = filelock.Hold(path)
	require.ErrorIs(t, err, filelock.ErrLocked)
	var held *filelock.HeldError
	require.ErrorAs(t, err, &held)
	assert.Equal(t, os.Getpid(), held.PID)

	release()
	assert.NoFileExists(t, path, "nothing is left behind")
}

func TestALockFileThatWasLeftBehindIsNoLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	require.NoError(t, os.WriteFile(path, []byte("4711\n"), 0o644))
	release, err := filelock.Hold(path)
	require.NoError(t, err, "whoever left it has ended")
	release()
}

func TestWhereNoFileCanBeMadeIsNoLock(t *testing.T) {
	_, err := filelock.Hold(filepath.Join(t.TempDir(), "nowhere", "lock"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestRemovingTheFileNeverGivesTheLockToTwo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var holders, held atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				release, err := filelock.Hold(path)
				if err != nil {
					continue
				}
				held.Add(1)
				assert.EqualValues(t, 1, holders.Add(1), "two hold the lock")
				holders.Add(-1)
				release()
			}
		})
	}
	all.Wait()
	assert.NotZero(t, held.Load())
}
