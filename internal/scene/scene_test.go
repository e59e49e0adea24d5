package scene_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/stretchr/testify/require"

	"reconcile/internal/openexercises"
	"reconcile/internal/scene"
	"reconcile/internal/script"
	"reconcile/internal/slow"
)

var (
	update   = flag.Bool("update", false, "write down what the scenes print")
	chapters = filepath.Join("..", "..", "chapters")
	cache    string // kubectl's knowledge of the API, over all scenes
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if cache, err = os.MkdirTemp("", "scenes-*"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(cache)
		return openexercises.Run(m)
	}())
}

// TestScenes plays every scene of every chapter; a reader's run, one in three.
func TestScenes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(chapters, "*", "testdata", "*.scene"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, file := range files {
		file, err := filepath.Abs(file)
		require.NoError(t, err)
		chapter := filepath.Dir(filepath.Dir(file))
		name := strings.TrimSuffix(filepath.Base(file), ".scene")
		t.Run(filepath.Base(chapter)+"/"+name, func(t *testing.T) {
			if i%3 != 0 {
				slow.Test(t, "one scene in three is enough")
			}
			playAndCompare(t, file, chapter)
		})
	}
}

func playAndCompare(t *testing.T, file, chapter string) {
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	name, err := filepath.Rel(filepath.Dir(filepath.Dir(chapter)), file)
	require.NoError(t, err)
	s, err := script.Parse(filepath.ToSlash(name), content)
	require.NoError(t, err)
	if s.Setting("acts", "") != "" {
		slow.Test(t, "its recording names lines, which move with an answer above them")
	}
	played, err := scene.Play(t, s, chapter, cache)
	require.NoError(t, err)
	compare(t, file, played.Text)
	if trace := s.Setting("trace", ""); trace != "" {
		compare(t, filepath.Join(chapter, filepath.FromSlash(trace)), played.Trace)
	}
	if writers := s.Setting("writers", ""); writers != "" {
		compare(t, filepath.Join(chapter, filepath.FromSlash(writers)), played.Writers)
	}
	if acts := s.Setting("acts", ""); acts != "" {
		compare(t, filepath.Join(chapter, filepath.FromSlash(acts)), played.Acts)
	}
	if record := s.Setting("look", ""); record != "" {
		compare(t, filepath.Join(chapter, filepath.FromSlash(record)), played.Record)
	}
}

func TestTheSettingsThatAreDocumentedAreThoseThereAre(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	var names []string
	for _, line := range regexp.MustCompile(`(?m)^//\t# (\w+): `).FindAllSubmatch(doc, -1) {
		names = append(names, string(line[1]))
	}
	slices.Sort(names)
	_, err = script.Parse("x.scene", []byte("# none: 1\n$ kubectl get pods"))
	require.EqualError(t, err, `x.scene:1: there is no setting "none": there are `+strings.Join(names, ", "))
}

// compare compares a file with the content that it should have, or writes that.
func compare(t *testing.T, file string, content []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, content, 0o644))
		return
	}
	was, err := os.ReadFile(file)
	require.NoError(t, err)
	diff, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(string(was)), FromFile: filepath.Base(file),
		B: difflib.SplitLines(string(content)), ToFile: "what happens", Context: 3,
	})
	require.NoError(t, err)
	if diff != "" {
		t.Errorf("written down by: go test ./internal/scene -run %s -update\n%s", t.Name(), diff)
	}
}
