package book_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/book"
)

const played = `# What came of it.
Kubernetes v1.2.3

01-one/first: same: scheduler
01-one/second: differs: replicaset-controller scheduler beside 7k
    1 2: The book's is quicker.
01-one/third: same:
`

// withVerdicts returns the small book with three scenes, and what came of them.
func withVerdicts(verdicts string) string {
	const scene = "$ kubectl get pods\n$ kubectl get nodes\n"
	text := strings.Replace(small, "title: Small\n", "title: Small\nverdicts: played.txt\n", 1)
	for _, name := range []string{"first", "second", "third"} {
		text += "-- 01-one/testdata/" + name + ".scene --\n" + scene
	}
	return text + "-- played.txt --\n" + verdicts
}

func TestVerdictsSayWhoWroteInASceneAndWhatDiffers(t *testing.T) {
	b, err := book.Load(write(t, withVerdicts(played)))
	require.NoError(t, err)
	assert.Equal(t, &book.Verdicts{Kubernetes: "v1.2.3", Scenes: map[string]*book.Verdict{
		"01-one/first": {Writers: []string{"scheduler"}},
		"01-one/second": {
			Writers: []string{"replicaset-controller", "scheduler"}, Beside: "7k",
			Differs: []book.Difference{{Steps: []int{1, 2}, Why: "The book's is quicker."}},
		},
		"01-one/third": {Writers: []string{}},
	}}, b.Verdicts)
	played, same := b.Verdicts.Printed()
	assert.Equal(t, []int{2, 1}, []int{played, same}, "a scene in which none of them writes doesn't count")
}

// Each case replaces a part of what came of the scenes.
func TestVerdictsReportEveryProblemWithItsLine(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"no version", "Kubernetes v1.2.3\n", "", "played.txt:1: no line says which version has played: Kubernetes vX.Y.Z"},
		{"a scene that is none", "first", "last", "played.txt:4: there is no scene 01-one/last"},
		{"a step of no scene", "second", "last", "played.txt:5: there is no scene 01-one/last"},
		{"a reason of no scene", "01-one/first: same: scheduler\n", "    1: Luck.\n",
			"played.txt:4: a reason follows its scene, and no scene stands above: 1: Luck."},
		{"a step that is none", "1 2:", "0 1 3:", "played.txt:6: the scene has no step 0: it has 2\n" +
			"played.txt:6: the scene has no step 3: it has 2"},
		{"another word", "same: scheduler", "alike: scheduler", "played.txt:4: this is no verdict: 01-one/first: alike: scheduler"},
		{"two at once", "01-one/first: same: scheduler", "01-one/last: same: scheduler\nwhat?",
			"played.txt:4: there is no scene 01-one/last\nplayed.txt:5: this is no verdict: what?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, withVerdicts(strings.Replace(played, c.old, c.new, 1)))
			_, err := book.Load(dir)
			require.Error(t, err)
			assert.Equal(t, c.want, strings.ReplaceAll(err.Error(), dir+"/", ""))
		})
	}
}
