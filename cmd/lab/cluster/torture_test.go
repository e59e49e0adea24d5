package main

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTortureRefusesWhatItCannotKill(t *testing.T) {
	said := runLab(t, 1, "torture", "--kill", "mysqld,node")
	assert.Contains(t, said, "--kill node: there are mysqld, container, pod")
	said = runLab(t, 1, "torture", "--rounds", "0")
	assert.Contains(t, said, "nothing to kill, or no round to do it in")
}

func TestTortureSaysAtOnceWhatIsMissing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere it says that it wants a Linux")
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv(asLab, "yes") // in the room it is not to run all tests
	said := runLab(t, 1, "torture")
	assert.Regexp(t, `(?m)^missing +go `, said)
	assert.Contains(t, said, "image mysql", "and whatever else there is to say")
}
