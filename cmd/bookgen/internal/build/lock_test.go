package build

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASecondBookgenIsRefused(t *testing.T) {
	o := Options{Root: t.TempDir(), Cache: t.TempDir()}
	unlock, err := lock(o)
	require.NoError(t, err)
	_, err = Build(context.Background(), o)
	assert.EqualError(t, err, "another bookgen is writing "+o.Site()+": wait for it, or stop it")
	unlock()
	unlock, err = lock(o)
	require.NoError(t, err)
	unlock()
}

// TestALockDiesWithItsHolder takes the lock in another process, which exits
// without giving it back.
func TestALockDiesWithItsHolder(t *testing.T) {
	const root, cache = "LOCK_TEST_ROOT", "LOCK_TEST_CACHE"
	o := Options{Root: os.Getenv(root), Cache: os.Getenv(cache)}
	if o.Root != "" {
		_, err := lock(o)
		require.NoError(t, err)
		os.Exit(0)
	}
	o = Options{Root: t.TempDir(), Cache: t.TempDir()}
	holder := exec.Command(os.Args[0], "-test.run=^TestALockDiesWithItsHolder$")
	holder.Env = append(os.Environ(), root+"="+o.Root, cache+"="+o.Cache)
	require.NoError(t, holder.Run())
	unlock, err := lock(o)
	require.NoError(t, err)
	unlock()
}
