package stories

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/kubetest/stories"
)

var rewrite = flag.Bool("update", false, "write the stories anew")

var writtenBefore = regexp.MustCompile(`\A# Written by Kubernetes v[\d.]+`)

// The stories in the chapter's files are Kubernetes' own.
func TestStoriesAreKubernetes(t *testing.T) {
	files, err := filepath.Glob(
		filepath.Join("..", "..", "chapters", "03-rolling-update", "testdata", "stories", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			var got string
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t, ofDeployments)
				defer c.stop()
				got = stories.Play(t, file, c.world())
			})
			got = writtenBefore.ReplaceAllLiteralString(got, written())
			if *rewrite {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			assert.Equal(t, string(want), got)
		})
	}
}
