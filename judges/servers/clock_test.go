package servers

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// teller prints for each line that it reads what the time is, and how long ago it printed
// last, by the monotonic clock.
const teller = `package main

import (
	"bufio"
	"os"
	"strconv"
	"time"
)

func main() {
	last := time.Now()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); last = time.Now() {
		os.Stdout.WriteString(strconv.FormatInt(time.Now().Unix(), 10) + " " + strconv.FormatInt(int64(time.Since(last)), 10) + "\n")
	}
}
`

func TestRealAClockIsSetWhileAProgramRuns(t *testing.T) {
	folder := t.TempDir()
	program, clock := filepath.Join(folder, "teller"), Clock(filepath.Join(folder, "clock"))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(teller), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module teller\n\ngo 1.26\n"), 0o600))
	require.NoError(t, BuildWithClock(t.Context(), folder, ".", program, t.Output()))
	require.NoError(t, clock.Set(0))
	command := exec.Command(program)
	command.Env = append(os.Environ(), clock.Environment())
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	lines := bufio.NewScanner(out)
	for _, off := range []time.Duration{0, 7 * time.Minute, -20 * time.Minute, 0} {
		require.NoError(t, clock.Set(off))
		_, err := in.Write([]byte("\n"))
		require.NoError(t, err)
		require.True(t, lines.Scan())
		told, since, _ := strings.Cut(lines.Text(), " ")
		second, err := strconv.ParseInt(told, 10, 64)
		require.NoError(t, err)
		assert.WithinDuration(t, time.Now().Add(off), time.Unix(second, 0), time.Minute)
		monotonic, err := strconv.ParseInt(since, 10, 64)
		require.NoError(t, err)
		assert.Less(t, time.Duration(monotonic).Abs(), time.Minute, "no timer is moved by it")
	}
	require.NoError(t, in.Close())
	require.NoError(t, command.Wait())
}
