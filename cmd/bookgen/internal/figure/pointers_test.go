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

func TestWhatAWriteHasChangedStandsOut(t *testing.T) {
	for _, variant := range variants(t, "pointers") {
		assert.Equal(t, 4, strings.Count(variant, `class="f-j"`), "a box was written to by each of four writes")
		assert.Equal(t, 6, strings.Count(variant, `class="f-b"`), "the others were not")
		assert.Equal(t, 2, strings.Count(variant, `class="f-h"`), "two arrows are new")
		assert.Equal(t, 6+4, strings.Count(variant, `class="f-y"`), "around the boxes, and four arrows that were there")
		assert.Len(t, regexp.MustCompile(`<text class="f-s0"[^>]*>Bound<`).FindAllString(variant, -1), 2, "two phases are news")
		assert.Equal(t, 4, strings.Count(variant, ">Bound<"), "and stay")
		assert.Less(t, len(variant), 6<<10)
	}
}

func TestEachStateSaysWhatWasWrittenAndWhatIsLeft(t *testing.T) {
	for _, variant := range variants(t, "pointers") {
		at := 0
		for _, said := range []string{"before", "claimRef", "phase", "volumeName", "bind-completed", "phase"} {
			next := strings.Index(variant[at:], said)
			require.GreaterOrEqual(t, next, 0, "%s, in order", said)
			at += next + len(said)
		}
		for _, left := range []string{"four writes", "three writes", "two writes", "one write", "nothing"} {
			assert.Contains(t, variant, ">"+left+" left<")
		}
	}
}

func TestErrorsNameTheState(t *testing.T) {
	state := func(wrote, volume, claim string) string {
		return fmt.Sprintf(`{"wrote":[%s],"volume":{%s},"claim":{%s}}`, wrote, volume, claim)
	}
	const free, pending = `"phase":"Available"`, `"phase":"Pending"`
	const taken = free + `,"to":"data"`
	begin, then := state("", free, pending), state(`"a"`, taken, pending)
	for name, c := range map[string]struct{ states, want string }{
		"one alone":        {begin, "1 states: a page has room for 2 to 5"},
		"six":              {strings.Repeat(begin+",", 5) + begin, "6 states"},
		"begins late":      {state(`"a"`, free, pending) + "," + then, "states[0]: nothing has been written"},
		"without a word":   {begin + "," + state("", taken, pending), "states[1]: it does not say what"},
		"nothing new":      {begin + "," + state(`"a"`, free, pending), "states[1]: a write changes"},
		"two at once":      {begin + "," + state(`"a"`, taken, `"phase":"Bound"`), "states[1]: a write changes"},
		"no phase":         {begin + "," + state(`"a"`, `"to":"data"`, pending), "states[1]: the volume has no phase"},
		"names another":    {begin + "," + state(`"a"`, free, pending+`,"to":"ceph"`), "the claim names ceph, and there is only nfs"},
		"fewer than none":  {begin + "," + strings.Replace(then, `"wrote"`, `"left":-1,"wrote"`, 1), "-1 writes cannot be left"},
		"a misspelt field": {strings.Replace(begin, "wrote", "writes", 1), `unknown field "writes"`},
	} {
		t.Run(name, func(t *testing.T) {
			data := `{"volume":"nfs","claim":"data","states":[` + c.states + `]}`
			_, err := figure.Render("pointers", []byte(data), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
	_, err := figure.Render("pointers", []byte(`{"volume":"nfs","states":[`+begin+","+then+`]}`), "id", "alt")
	assert.ErrorContains(t, err, "need names")
}

func TestNoPointersLabelTouchesAnotherWhateverWasRecorded(t *testing.T) {
	name := rapid.StringMatching(`[a-z]{1,12}(-[a-z0-9]{1,10}){0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		volume, claim := name.Draw(t, "volume"), name.Draw(t, "claim")
		var states []map[string]any
		for i := range rapid.IntRange(2, 5).Draw(t, "states") {
			state := map[string]any{
				"volume": map[string]string{"phase": fmt.Sprint("phase-", i), "to": rapid.SampledFrom([]string{"", claim}).Draw(t, "to")},
				"claim":  map[string]string{"phase": "Pending"},
				"left":   rapid.IntRange(0, 20).Draw(t, "left"),
			}
			if i > 0 {
				state["wrote"] = rapid.SliceOfN(name, 1, 3).Draw(t, "wrote")
			}
			states = append(states, state)
		}
		data, err := json.Marshal(map[string]any{"volume": volume, "claim": claim, "states": states})
		require.NoError(t, err)
		papers, err := figure.Papers("pointers", data)
		require.NoError(t, err, string(data))
		requireClear(t, papers["wide"])
		requireClear(t, papers["narrow"])
	})
}
