package figure_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"reconcile/cmd/bookgen/internal/figure"
)

func TestEveryOwnedObjectHasAnArrowAndEveryNumberIsThere(t *testing.T) {
	for _, variant := range strings.SplitAfter(drawn(t, "owners"), "</svg>")[:2] {
		assert.Equal(t, 6+2, strings.Count(variant, `class="f-h"`), "six are owned, two stand in the legend")
		assert.Equal(t, 8, strings.Count(variant, `class="f-b"`), "a box an object")
		numbers := regexp.MustCompile(`class="f-n"[^>]*>(\d)<`).FindAllStringSubmatch(variant, -1)
		seen := map[string]int{}
		for _, n := range numbers {
			seen[n[1]]++
		}
		assert.Equal(t, map[string]int{"1": 2, "2": 1, "3": 1, "4": 1, "5": 1, "6": 1, "7": 1}, seen,
			"and one in the legend")
		assert.Less(t, len(variant), 6<<10)
	}
}

func TestWhatDoesNotKeepItsOwnerHasNoBar(t *testing.T) {
	svg := drawn(t, "owners")
	assert.Equal(t, 5, strings.Count(svg, `h14"`), "five of six block")
	assert.Equal(t, 2, strings.Count(svg, "does not keep the owner"))
	plain := `{"objects":[{"kind":"Pod","name":"a","uid":"1"}]}`
	alone, err := figure.Render("owners", []byte(plain), "id", "alt")
	require.NoError(t, err)
	assert.NotContains(t, string(alone), "owner may not", "a legend is of what there is")
}

func TestErrorsNameTheObject(t *testing.T) {
	object := func(fields string) string { return `{"kind":"Pod","name":"a",` + fields + `}` }
	many := strings.Repeat(object(`"uid":"1"`)+",", 17)
	leaves := ""
	for i := range 7 {
		leaves += object(fmt.Sprintf(`"uid":"%d"`, i)) + ","
	}
	deep := object(`"uid":"0"`)
	for i := range 4 {
		deep += "," + object(fmt.Sprintf(`"uid":"%d","owner":"%d"`, i+1, i))
	}
	for name, c := range map[string]struct{ objects, want string }{
		"none":             {"", "there are no objects"},
		"too many":         {strings.TrimSuffix(many, ","), "17 objects"},
		"too many leaves":  {strings.TrimSuffix(leaves, ","), "7 objects own nothing"},
		"too deep":         {deep, "objects[4]: it has 4 owners above it"},
		"nameless":         {`{"kind":"Pod","uid":"1"}`, "objects[0]: an object needs"},
		"a uid twice":      {object(`"uid":"1"`) + "," + object(`"uid":"1"`), "objects[1]: uid 1 has been given to a"},
		"an unknown owner": {object(`"uid":"1","owner":"2"`), "objects[0]: no object above it has its owner's uid, 2"},
		"before the first": {object(`"uid":"1","gone":-1`), "objects[0]: it cannot be gone"},
		"a misspelt field": {object(`"uid":"1","owners":[]`), `unknown field "owners"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := figure.Render("owners", []byte(`{"objects":[`+c.objects+`]}`), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestNoOwnersLabelTouchesAnotherWhateverWasRecorded(t *testing.T) {
	name := rapid.StringMatching(`[a-z]{1,12}(-[a-z0-9]{1,10}){0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		var objects []map[string]any
		depth := map[string]int{}
		for i := range rapid.IntRange(1, 6).Draw(t, "objects") {
			uid := fmt.Sprint("u", i)
			object := map[string]any{
				"kind": rapid.SampledFrom([]string{"Pod", "ReplicaSet", "PersistentVolumeClaim"}).Draw(t, "kind"),
				"name": name.Draw(t, "name"), "uid": uid, "gone": rapid.IntRange(0, 16).Draw(t, "gone"),
				"note": rapid.SampledFrom([]string{"", "Running", "nginx:1.27, wants 3 of them"}).Draw(t, "note"),
			}
			if owner := rapid.IntRange(-1, i-1).Draw(t, "owner"); owner >= 0 {
				if above := fmt.Sprint("u", owner); depth[above] < 3 {
					object["owner"] = above
					depth[uid] = depth[above] + 1
				}
			}
			objects = append(objects, object)
		}
		data, err := json.Marshal(map[string]any{"objects": objects})
		require.NoError(t, err)
		papers, err := figure.Papers("owners", data)
		require.NoError(t, err, string(data))
		requireClear(t, papers["wide"])
		requireClear(t, papers["narrow"])
	})
}
