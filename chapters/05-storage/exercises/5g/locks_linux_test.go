package wastebasket_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// meetLocks has a test that runs as root stop where a file's mode says so, as
// anybody else does, until the function that it returns is called. It takes two
// capabilities off the test's thread.
func meetLocks(t *testing.T) (end func()) {
	runtime.LockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var had [2]unix.CapUserData
	require.NoError(t, unix.Capget(&header, &had[0]))
	now := had
	now[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	require.NoError(t, unix.Capset(&header, &now[0]))
	return func() {
		if assert.NoError(t, unix.Capset(&header, &had[0])) {
			runtime.UnlockOSThread()
		}
	}
}
