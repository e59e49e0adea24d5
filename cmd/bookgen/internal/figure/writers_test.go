package figure_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

func TestEachWriteHasItsMark(t *testing.T) {
	for _, variant := range variants(t, "writers") {
		dots := strings.Count(variant, `r="3.6"`) - 1 // but for that of the legend
		rings := strings.Count(variant, `r="7"`) - 1
		assert.Equal(t, 41, dots, "specs, made or changed")
		assert.Equal(t, 12, rings, "statuses")
		assert.Equal(t, 1, strings.Count(variant, `class="f-e"`), "chapter 3 is lit")
		assert.Contains(t, variant, `class="f-u" transform`, "statefulset is not built")
	}
}

func TestAMapOfWritersIsRefused(t *testing.T) {
	for data, want := range map[string]string{
		`{"programs":[{"name":"a","chapter":1}],"kinds":[{"name":"Pod","writes":[]}]}`:                          "two programs at least",
		`{"programs":[{"name":"a","chapter":2},{"name":"b","chapter":1}],"kinds":[{"name":"Pod","writes":[]}]}`: "programs[1]: b is of chapter 1, and stands behind one of chapter 2",
		`{"programs":[{"name":"a","chapter":1},{"name":"b","chapter":1}],
		  "kinds":[{"name":"Pod","writes":[{"program":"c","spec":true}]}]}`: "c writes Pod and is not one of the programs",
	} {
		_, err := figure.Render("writers", []byte(data), "id", "alt")
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
	}
	_, err := figure.Render("writers three", []byte(`{}`), "id", "alt")
	assert.ErrorContains(t, err, `"three" is not a chapter`)
}

func TestWhatAChapterAdds(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "writers.json"))
	require.NoError(t, err)
	names, err := figure.WritersOf(data, 2)
	require.NoError(t, err)
	assert.Equal(t, []string{"deployment", "garbage collector", "replicaset"}, names)
}
