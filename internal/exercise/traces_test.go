package exercise

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise/cut"
	"reconcile/internal/exercise/trial"
	"reconcile/internal/open"
)

var rewrite = flag.Bool("update", false, "write the traces of faults anew")

// What an exercise shows of a fault is what the chapter's own recorded run
// becomes when the fault is in the code.
func TestTracesOfFaultsAreThoseOfRunsWithTheFaultInThem(t *testing.T) {
	chapters, err := filepath.Glob("../../chapters/[0-9]*")
	require.NoError(t, err)
	found := 0
	for _, dir := range chapters {
		exercises, err := Load(os.DirFS(dir), dir)
		require.NoError(t, err)
		for _, e := range exercises {
			if e.Kind != Debug {
				continue
			}
			found++
			t.Run(e.Number, func(t *testing.T) {
				got := traceWithFault(t, dir, e)
				file := filepath.Join(dir, "exercises", e.Number+".txt")
				if *rewrite {
					require.NoError(t, os.WriteFile(file, got, 0o644))
					return
				}
				assert.Equal(t, string(e.Run.Text), string(got),
					"go test ./internal/exercise -run Traces -update writes %s anew", file)
			})
		}
	}
	assert.NotZero(t, found, "no chapter has a fault")
}

// A fault that is the function of an older edition has a second one.
func TestAFaultIsOneLine(t *testing.T) {
	chapters, err := filepath.Glob("../../chapters/[0-9]*")
	require.NoError(t, err)
	for _, dir := range chapters {
		exercises, err := Load(os.DirFS(dir), dir)
		require.NoError(t, err)
		for _, e := range exercises {
			if e.Kind != Debug {
				continue
			}
			lines := make(map[string]int)
			for line := range strings.Lines(string(e.Fault().Code)) {
				lines[line]++
			}
			for _, fn := range e.Functions {
				text := fn.File.Content[fn.File.Offset(fn.Node.Pos()):fn.File.Offset(fn.Node.End())]
				if at := bytes.Index(text, []byte("\nfunc ")); at >= 0 {
					text = text[at+1:] // without the comment above it
				}
				for line := range strings.Lines(string(text) + "\n") {
					lines[line]--
				}
			}
			more, fewer := 0, 0
			for _, n := range lines {
				more, fewer = more+max(n, 0), fewer+max(-n, 0)
			}
			assert.LessOrEqual(t, max(more, fewer), 1, "%s: the function with the fault differs in more than a line", e.Number)
		}
	}
}

// traceWithFault is what the tests that judge record in the chapter with the
// fault in it: they do so in a folder of their own.
func traceWithFault(t *testing.T, dir string, e *Exercise) []byte {
	absolute, err := filepath.Abs(dir)
	require.NoError(t, err)
	texts := make(map[string][]byte)
	for file, functions := range e.ByFile() {
		texts[filepath.Join(absolute, file.Name)], err = cut.Replace(file.Content, e.Fault().Code, functions)
		require.NoError(t, err)
	}
	scratch := t.TempDir()
	output, err := trial.Build(t.Context(), dir, filepath.Join(scratch, "chapter.test"), texts)
	require.NoError(t, err, string(output))
	require.NoError(t, os.Mkdir(filepath.Join(scratch, "testdata"), 0o755))
	require.NoError(t, os.CopyFS(filepath.Join(scratch, "manifests"), os.DirFS(filepath.Join(dir, "manifests"))))
	run := exec.CommandContext(t.Context(), "./chapter.test", "-test.run", e.TestPattern(), "-update")
	run.Dir, run.Env = scratch, append(os.Environ(), open.PlainEnv+"=1")
	output, err = run.CombinedOutput() // it fails, since it is wrong
	text, missing := os.ReadFile(filepath.Join(scratch, "testdata", e.Run.Of))
	require.NoError(t, missing, "%v\n%s", err, output)
	return text
}
