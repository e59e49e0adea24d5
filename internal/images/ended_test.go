package images_test

import (
	"context"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/images/unix"
)

// A loop in a shell goes on for a moment when its box has been killed: the sleep in it
// ends first. What it starts then must do nothing any more.
func TestNothingRunsInABoxThatHasEnded(t *testing.T) {
	disk := afero.NewMemMapFs()
	require.NoError(t, afero.WriteFile(disk, "/bin/act", unix.Binary("/bin/act"), 0o755))
	files, err := unix.NewFiles(disk, nil, time.Now())
	require.NoError(t, err)
	defer files.Close()
	ran := 0
	box := unix.NewBox("web", files, map[string]unix.Command{
		"/bin/act": func(context.Context, *unix.Process) int { ran++; return 0 },
	})
	run := func() int {
		p := &unix.Process{Box: box, Args: []string{"/bin/act"}}
		run, err := p.Prepare()
		require.NoError(t, err)
		return run(t.Context())
	}
	assert.Zero(t, run())
	box.End()
	assert.Equal(t, 128+int(unix.SIGKILL), run())
	assert.Equal(t, 1, ran)
}
