package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
)

// bookOfCode writes a book of one chapter: 40 files of about 75 lines, each
// woven into 250 words.
func bookOfCode(t testing.TB) build.Options {
	t.Helper()
	o := options(t, "")
	dir := filepath.Join(o.Chapters(), "01-loop")
	require.NoError(t, os.Remove(filepath.Join(dir, "loop.go")))
	var names []string
	text := "# Loop\n"
	prose := strings.Repeat("Compare what is with what should be, take one step, look again. ", 20)
	for i := range 40 {
		var code strings.Builder
		fmt.Fprintf(&code, "package loop\n\nimport \"sync\"\n\n// Queue%d hands out keys.\ntype Queue%d struct {\n\tmu   sync.Mutex\n\tkeys map[string]int\n}\n", i, i)
		for j := range 7 {
			fmt.Fprintf(&code, "\n// Add%d puts a key in,\n// as often as it is asked.\nfunc (q *Queue%d) Add%d(key string, times int) {\n\tq.mu.Lock()\n\tdefer q.mu.Unlock()\n\tfor n := range times {\n\t\tq.keys[key] += n\n\t}\n}\n", j, i, j)
		}
		name := fmt.Sprintf("queue%02d.go", i)
		names = append(names, name)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(code.String()), 0o644))
		text += fmt.Sprintf("\n## Queue %d\n\n%s\n\n[%s](%s)\n", i, prose, name, name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "chapter.md"), []byte(front(names...)+text), 0o644))
	return o
}

// BenchmarkBuildWithoutCache type-checks every time.
func BenchmarkBuildWithoutCache(b *testing.B) {
	o := bookOfCode(b)
	o.Cache = ""
	mustBuild(b, o)
	for b.Loop() {
		mustCompose(b, o)
	}
}

// BenchmarkBuildWithNothingChanged makes a full build with warm caches.
func BenchmarkBuildWithNothingChanged(b *testing.B) {
	o := bookOfCode(b)
	mustBuild(b, o)
	for b.Loop() {
		mustBuild(b, o)
	}
}

// BenchmarkBuildAfterAProseEdit writes a sentence and builds.
func BenchmarkBuildAfterAProseEdit(b *testing.B) {
	o := bookOfCode(b)
	mustBuild(b, o)
	path := filepath.Join(o.Chapters(), "01-loop", "chapter.md")
	text, err := os.ReadFile(path)
	require.NoError(b, err)
	for i := 0; b.Loop(); i++ {
		edited := fmt.Sprintf("%s\nSentence %d.\n", text, i)
		require.NoError(b, os.WriteFile(path, []byte(edited), 0o644))
		mustBuild(b, o)
	}
}
