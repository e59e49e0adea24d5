package kubetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/openexercises"
)

// judged is a test that may fail.
type judged struct {
	testing.TB
	said string
}

func (j *judged) Errorf(format string, args ...any) { j.said += fmt.Sprintf(format, args...) }

func (j *judged) FailNow() { panic(j) }

func TestARecordingNamesTheCarriageReturnInIt(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("testdata", 0o755))
	require.NoError(t, os.WriteFile(filepath.Join("testdata", "a.txt"), []byte("one\r\ntwo\r\n"), 0o644))
	j := &judged{TB: t}
	assert.Panics(t, func() { Recorded(j, "a.txt", []byte("one\ntwo\n")) })
	assert.Contains(t, j.said, "a.txt:1: this line has a carriage return")
}

func TestNobodyIsToldToRecordARunAnewWhileAnExerciseIsOpen(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("testdata", 0o755))
	require.NoError(t, os.WriteFile(filepath.Join("testdata", "a.txt"), []byte("one\n"), 0o644))
	for exercise, told := range map[string]bool{"": true, "1.11": false} {
		t.Setenv(openexercises.Env, exercise)
		j := &judged{TB: t}
		Recorded(j, "a.txt", []byte("two\n"))
		assert.Contains(t, j.said, filepath.Join("testdata", "a.txt"))
		assert.Equal(t, told, strings.Contains(j.said, "-update"), j.said)
	}
}
