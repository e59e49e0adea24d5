package up_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/filelock"
)

func TestTheFoldersOfKilledLabsAreSwept(t *testing.T) {
	temporary := t.TempDir()
	for _, name := range []string{"TMPDIR", "TEMP", "TMP"} {
		t.Setenv(name, temporary)
	}
	at := func(name ...string) string {
		return filepath.Join(append([]string{temporary}, name...)...)
	}
	for name, age := range map[string]time.Duration{
		"reconcile-dead": time.Hour, "reconcile-alive": time.Hour,
		"reconcile-young": 0, "reconcile-prove-7": -1, "other": time.Hour,
	} {
		require.NoError(t, os.MkdirAll(at(name, "volumes"), 0o700))
		if age >= 0 {
			lock, began := at(name, "lab.lock"), time.Now().Add(-age)
			require.NoError(t, os.WriteFile(lock, nil, 0o644))
			require.NoError(t, os.Chtimes(lock, began, began))
		}
	}
	release, err := filelock.TryLock(at("reconcile-alive", "lab.lock"))
	require.NoError(t, err)
	defer release()

	l := start(t, inFolder(t.TempDir()))
	assert.NoDirExists(t, at("reconcile-dead"))
	for _, kept := range []string{"alive", "young", "prove-7"} {
		assert.DirExists(t, at("reconcile-"+kept, "volumes"))
	}
	assert.DirExists(t, at("other", "volumes"))
	own := func() int {
		all, err := filepath.Glob(at("reconcile-*"))
		require.NoError(t, err)
		return len(all) - 3
	}
	assert.Equal(t, 1, own())
	require.NoError(t, l.stop())
	assert.Equal(t, 0, own())
}

func TestAMissingTemporaryFolderIsToldWithItsVariable(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nowhere")
	folder := t.TempDir()
	for _, name := range []string{"TMPDIR", "TEMP", "TMP"} {
		t.Setenv(name, missing)
	}
	err := refused(t, inFolder(folder))
	assert.Regexp(t, `^no folder for the lab's volumes: .*nowhere.*; set TMP(DIR)? to a folder that is there `+
		`and can be written, or name a file with --snapshot$`, err.Error())

	opts := inFolder(folder)
	opts.Snapshot = filepath.Join(folder, "lab.json")
	require.NoError(t, start(t, opts).stop(), "the remedy is one")
}
