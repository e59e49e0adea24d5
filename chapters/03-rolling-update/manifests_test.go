package rollingupdate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

func TestTheManifestsOfThisChapterAreGoodButForOne(t *testing.T) {
	files, err := filepath.Glob("manifests/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		store := controlloop.NewStore(allKinds())
		for _, obj := range kubetest.Objects(t, allKinds(), string(text)) {
			_, err := store.Create(t.Context(), obj)
			if filepath.Base(file) == "standstill.yaml" {
				assert.ErrorContains(t, err, "may not be 0 when `maxSurge` is 0")
				continue
			}
			assert.NoError(t, err, file)
		}
	}
}
