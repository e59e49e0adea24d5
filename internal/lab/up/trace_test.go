package up_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATraceIsWholeWhenTheLabHasStopped(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Trace = filepath.Join(folder, "trace.json")
	require.NoError(t, os.WriteFile(opts.Trace, []byte("[\n an old one, which is longer than nothing"), 0o600))
	l := start(t, opts)
	l.create("default", pod("web"))
	l.prints("  pod/web ")
	require.NoError(t, l.stop())
	text, err := os.ReadFile(opts.Trace)
	require.NoError(t, err)
	var events []struct {
		Ph   string
		Args map[string]any
	}
	require.NoError(t, json.Unmarshal(text, &events))
	processes, created := map[any]bool{}, false
	for _, e := range events {
		if e.Ph == "M" {
			processes[e.Args["name"]] = true
		}
		created = created || e.Args["key"] == "default/web" && e.Args["verb"] == "added"
	}
	for _, name := range []string{"scheduler", "kubelet node-1", "deployment"} {
		assert.True(t, processes[name], name)
	}
	assert.True(t, created)
}

func TestAFileThatIsNoTraceIsLeftAsItIs(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Trace = filepath.Join(folder, "lab.json")
	require.NoError(t, os.WriteFile(opts.Trace, []byte("{}"), 0o600))
	assert.ErrorContains(t, refused(t, opts), "/lab.json is there, and is no trace: it is left as it is, name another file")
	text, err := os.ReadFile(opts.Trace)
	require.NoError(t, err)
	assert.Equal(t, "{}", string(text))
	opts.Trace = filepath.Join(folder, "nowhere", "trace.json")
	assert.ErrorContains(t, refused(t, opts), "--trace: open ")
}

func TestALabGoesOnWhoseDiskIsFull(t *testing.T) {
	const disk = "/dev/full" // of Linux
	if _, err := os.Stat(disk); err != nil {
		t.Skip(err)
	}
	opts := inFolder(t.TempDir())
	opts.Trace = disk
	l := start(t, opts)
	l.prints("lab: nothing more is traced: write /dev/full: no space left on device\n" +
		"lab: the file holds what came before; the lab goes on\n")
	l.create("default", pod("web"))
	l.prints("  pod/web ")
	assert.EqualError(t, l.stop(), "the trace is not whole: write /dev/full: no space left on device; "+
		"the file holds what came before")
}
