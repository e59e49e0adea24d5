package rollingupdate_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
	"reconcile/internal/kubetest/stories"
)

// The stories in testdata/stories were written by Kubernetes' own controllers of
// Deployments and ReplicaSets (judges/stories). Ours do the same things in the
// same order and say the same about them. Where they mean to do something else, it
// stands beside in testdata, as <story>.ours.txt.
func TestStoriesEndAsInKubernetesStepByStep(t *testing.T) {
	files, err := filepath.Glob("testdata/stories/*.txt")
	require.NoError(t, err)
	kubetest.RecordedJSON(t, "stories.json", map[string]int{"stories": len(files)})
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			var got string
			synctest.Test(t, func(t *testing.T) {
				got = stories.Play(t, file, storyWorld(kubetest.New(t, kubetest.Setup{
					Kinds:       controlloop.CoreKinds().With(deployment.Kinds()...).With(rollingupdate.Kinds()...),
					Controllers: []kubetest.Controller{rollingupdate.NewDeployments, deployment.NewReplicaSets},
				})))
			})
			ours := strings.TrimSuffix(filepath.Base(file), ".txt") + ".ours.txt"
			if _, err := os.Stat(filepath.Join("testdata", ours)); err == nil {
				kubetest.Recorded(t, ours, []byte(got))
				assert.NotEqual(t, string(want), got, "they agree: %s can go", ours)
				return
			}
			assert.Equal(t, string(want), got)
		})
	}
}

func storyWorld(c *kubetest.Cluster) stories.World {
	return stories.World{
		Store: c.Store,
		Writes: func() []controlloop.Write {
			var all []controlloop.Write
			for _, w := range c.Writes() {
				all = append(all, w.Write)
			}
			return all
		},
		Events: func() []string {
			var told []string
			for _, event := range c.Events() {
				about, message, ours := strings.Cut(event, " deployment-controller: ")
				if ours {
					told = append(told, about+": "+message)
				}
			}
			return told
		},
		Advance: c.Advance,
		Undo: func(key controlloop.Key, revision int64) error {
			_, err := rollingupdate.Undo(context.Background(), c.Store, key, revision)
			return err
		},
	}
}
