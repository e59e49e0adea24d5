package workspace

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAProgramThatEndsBeforeItsTestsIsNoAttempt(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	r.replace(planGo, "import (\n", "import (\n\t\"os\"\n")
	r.write(planGo, r.read(planGo)+"\nfunc init() { os.Exit(3) }\n")
	_, err := r.Test(t.Context(), "1b", false, Telling{Begins: func(Tested) {}})
	require.ErrorContains(t, err, "ended before them, with exit code 3")
	assert.Zero(t, r.line("1b").Attempts)
}

func TestTestsThatAreKilledLeaveNothingBehind(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary)
	r := newReader(t)
	r.start("1b")
	r.replace(planGo, "import (\n", "import (\n\t\"os\"\n")
	r.replace(planGo, "\treturn 0, nil\n", `	_, _ = os.MkdirTemp("", "")
	p, _ := os.FindProcess(os.Getpid())
	_ = p.Kill()
	select {}
`)
	_, _ = r.test("1b")
	assert.NotEmpty(t, r.line("1b").Failing, "they were killed")
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left)
}
