package scene_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/scene"
	"reconcile/internal/script"
	"reconcile/internal/slow"
)

// TestASceneThatGoesOnIsTheOnePlayedAtOnce performs each of a scene's later steps
// when all before it have ended, with a question after each. What was recorded, all
// at once, is the judge.
func TestASceneThatGoesOnIsTheOnePlayedAtOnce(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(chapters, "*", "testdata", "*.scene"))
	require.NoError(t, err)
	for i, file := range files {
		file, err := filepath.Abs(file)
		require.NoError(t, err)
		chapter := filepath.Dir(filepath.Dir(file))
		t.Run(filepath.Base(chapter)+"/"+filepath.Base(file), func(t *testing.T) {
			if i%11 != 0 {
				slow.Test(t, "one scene in eleven is enough")
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			scripts := pieces(t, string(text))
			var last []byte
			require.NoError(t, scene.GoOn(t, scripts[0], chapter, cache, true, func(played scene.Played) *script.Script {
				last = played.Text
				if scripts = scripts[1:]; len(scripts) == 0 {
					assertTold(t, played.Look)
					return nil
				}
				return scripts[0]
			}))
			require.Empty(t, scripts, "a piece did not go on from the one before")
			assert.Equal(t, string(text), string(last))
		})
	}
}

// pieces returns the beginnings of a scene, from its first half to all of it, and
// between two of them the shorter one with a question.
func pieces(t *testing.T, text string) (scripts []*script.Script) {
	parse := func(text string) *script.Script {
		s, err := script.Parse("x.scene", []byte(text))
		require.NoError(t, err)
		return s
	}
	whole, lines := parse(text), strings.SplitAfter(text, "\n")
	for n := (len(whole.Steps) + 1) / 2; n < len(whole.Steps); n++ {
		begins := strings.Join(lines[:whole.Steps[n].Line-1], "")
		scripts = append(scripts, parse(begins), parse(begins+"\n$ kubectl get pods -o yaml\n"))
	}
	return append(scripts, whole)
}

func TestWhatDoesNotGoOnIsToBePlayedFromItsBeginning(t *testing.T) {
	for name, texts := range map[string][2]string{
		"another step":           {"restart\nadvance 1s\n", "restart\nadvance 2s\n"},
		"fewer steps":            {"restart\nadvance 1s\n", "restart\n"},
		"another setting":        {"# nodes: 1\nrestart\n", "# nodes: 2\nrestart\n"},
		"a command that changes": {"restart\n$ kubectl create ns a\n", "restart\n"},
		"a question into a file": {"restart\n$ kubectl get ns > a\n", "restart\n"},
	} {
		t.Run(name, func(t *testing.T) {
			played := 0
			first, err := script.Parse("x.scene", []byte(texts[0]))
			require.NoError(t, err)
			next, err := script.Parse("x.scene", []byte(texts[1]))
			require.NoError(t, err)
			require.NoError(t, scene.GoOn(t, first, t.TempDir(), cache, false, func(scene.Played) *script.Script {
				if played++; played > 1 {
					return nil
				}
				return next
			}))
			assert.Equal(t, 1, played)
		})
	}
}
