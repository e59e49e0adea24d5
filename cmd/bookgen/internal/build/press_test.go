package build_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
)

// TestAPressMakesWhatANewOneWould edits a book in every way that concerns the
// things that a press keeps.
func TestAPressMakesWhatANewOneWould(t *testing.T) {
	archive, err := os.ReadFile("testdata/parts/book.txtar")
	require.NoError(t, err)
	wrong := pressAfter(t, options(t, string(archive)), []change{
		{"a sentence", "chapter.md", "Words of", "Many words of"},
		{"a comment", "loop.go", "goes round.", "goes\n// round."},
		{"a declaration", "loop.go", "const text", "var text"},
		{"a test", "loop_test.go", "// TestStop stops.\n", "// TestStop stops\n// it.\n"},
		{"an exercise", "exercises/1b.md", "title: Go round", "title: Go round again"},
		{"its card", "stopping.md", "[Go round]", "[Go round again]"},
		{"the card taken away", "stopping.md", "\n[Go round again](exercises/1b.md)\n", ""},
		{"the card on another page", "in-kubernetes.md", "[text](", "[Go round again](exercises/1b.md)\n\n[text]("},
		{onNoPage + "a file of an exercise", "exercises/1b/canary.go", "", "package canary"},
		{"a reference to another part", "chapter.md", "\n[Loop](loop.go#Loop)\n", ""},
		{"the other end of it", "in-kubernetes.md", "[text](", "[Loop](loop.go#Loop)\n\n[text]("},
		{"the name of a part", "stopping.md", "Stopping\n", "Coming to rest\n"},
		{"a scene", "testdata/life.scene", "none", "some"},
		{"a file", "manifests/web.yaml", "", "a: 1"},
		{"the chapter's title", "../book.md", "title: Loop", "title: The loop"},
		{"the same in the chapter", "chapter.md", "Loop\n", "The loop\n"},
		{"the book's title", "../book.md", "title: Small", "title: Large"},
	})
	assert.Equal(t, []string{"an exercise", "the card taken away", "a reference to another part", "the chapter's title"}, wrong, "halfway through an edit")
}

func TestAPressKeepsPackagesApart(t *testing.T) {
	archive, err := os.ReadFile("testdata/parts/rooms.txtar")
	require.NoError(t, err)
	wrong := pressAfter(t, options(t, string(archive)), []change{
		{"a link's words", "chapter.md", "[a small SQL engine]", "[an engine]"},
		{"given code", "sql/parse.go", "len(text)", "2 * len(text)"},
		{"what it is for", "sql/parse.go", "executes", "runs"},
		{"more of it", "sql/parse.go", "// Parse", "// Limit is none.\nconst Limit = 0\n\n// Parse"},
		{"woven code", "node/node.go", "// New", "// New\n// New"},
		{"what is embedded", "node/init/start.sh", "true", "false"},
		{"a package more", "log/log.go", "", "package log\n"},
		{"it is of the core", "chapter.md", "core: [loop.go, node]", "core: [loop.go, node, log]"},
		{"it is on the page", "chapter.md", "[New](", "[log](log/log.go)\n\n[New]("},
		{"no more given", "chapter.md", "core: [loop.go, node, log]", "core: [loop.go, node, log, sql]"},
		{"it is woven", "chapter.md", "[New](", "[sql](sql/parse.go)\n\n[New]("},
	})
	assert.Equal(t, []string{"it is of the core", "no more given"}, wrong, "halfway through an edit")
}

// change is an edit of a file of the first chapter.
type change struct{ name, file, old, new string }

// onNoPage begins the name of a change that changes no page.
const onNoPage = "on no page: "

// pressAfter makes changes, one after the other, and compares what a press makes
// after each with what a new one makes. It returns the changes that leave
// something wrong.
func pressAfter(t *testing.T, o build.Options, changes []change) (wrong []string) {
	t.Helper()
	press := build.NewPress(o)
	first, err := press.Compose(context.Background())
	require.NoError(t, err)
	before := first.Files
	for _, step := range changes {
		path := filepath.Join(o.Chapters(), "01-loop", filepath.FromSlash(step.file))
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		require.NoError(t, err)
		require.Contains(t, string(content), step.old, step.name)
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(content), step.old, step.new)), 0o644))
		fresh, freshErr := build.Compose(context.Background(), o)
		kept, keptErr := press.Compose(context.Background())
		assert.Equal(t, text(freshErr), text(keptErr), step.name)
		if freshErr != nil {
			wrong = append(wrong, step.name)
			continue
		}
		for name, want := range fresh.Files {
			assert.Equal(t, string(want), string(kept.Files[name]), "%s: %s", step.name, name)
		}
		if !strings.HasPrefix(step.name, onNoPage) {
			assert.NotEqual(t, before, kept.Files, step.name)
		}
		before = kept.Files
	}
	return wrong
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
