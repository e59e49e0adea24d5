package figure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

// bindingOf is two moments: in the second there is another claim, and the first
// one names the volume or not.
func bindingOf(volumeTo, claimTo string) []byte {
	return fmt.Appendf(nil, `{"moments":[
		{"when":"killed before write 1",
		 "volume":{"name":"nfs","phase":"Available","to":""},
		 "claims":[{"name":"data","phase":"Pending","to":""}]},
		{"when":"Ada deletes her claim and makes it again",
		 "volume":{"name":"nfs","phase":"Available","to":%q},
		 "claims":[{"name":"data","phase":"Pending","to":%q},{"name":"new data","phase":"Pending","to":""}]}]}`,
		volumeTo, claimTo)
}

func TestABindingHasAnArrowForEachThatNamesAnother(t *testing.T) {
	for volumeTo, heads := range map[string]int{"": 0, "data": 1, "new data": 1} {
		for claimTo, more := range map[string]int{"": 0, "nfs": 1} {
			data := bindingOf(volumeTo, claimTo)
			svg, err := figure.Render("binding", data, "id", "alt")
			require.NoError(t, err)
			for _, variant := range strings.SplitAfter(string(svg), "</svg>")[:2] {
				require.Equal(t, heads+more, strings.Count(variant, `class="f-h"`), "%q, %q", volumeTo, claimTo)
			}
			papers, err := figure.Papers("binding", data)
			require.NoError(t, err)
			requireClear(t, papers["wide"])
			requireClear(t, papers["narrow"])
		}
	}
}

func TestABoxThatHasNotChangedHasNoColour(t *testing.T) {
	svg, err := figure.Render("binding", bindingOf("", ""), "id", "alt")
	require.NoError(t, err)
	wide, _, _ := strings.Cut(string(svg), "</svg>")
	assert.Equal(t, 1, strings.Count(wide, "f-j"), "the claim that is new")
	assert.Equal(t, 4, strings.Count(wide, "f-b f-y"), "and all others")
}

func TestABindingThatCannotBeTrueIsAnError(t *testing.T) {
	good := string(bindingOf("data", "nfs"))
	for name, c := range map[string]struct{ old, new, want string }{
		"no moment":      {good, `{"moments":[]}`, "0 moments: a page has room for 1 to 6"},
		"no reason":      {"killed before write 1", "", "moments[0]: it does not say what has happened"},
		"no claim":       {`[{"name":"data","phase":"Pending","to":""}]`, "[]", "moments[0]: 0 claims: beside a volume is room for 1 to 2"},
		"a lost claim":   {`{"name":"data","phase":"Pending","to":""}`, `{"name":"data","phase":"gone","to":""},{"name":"b","phase":"gone","to":""}`, "moments[1]: new data is another claim than b"},
		"another volume": {`"nfs","phase":"Available","to":""`, `"ceph","phase":"Available","to":""`, "moments[1]: nfs is another volume than ceph"},
		"twice":          {"new data", "data", `moments[1]: two claims are called "data"`},
		"to nowhere":     {`"to":"data"`, `"to":"logs"`, "moments[1]: nfs names logs, which is not there"},
		"from nowhere":   {`"to":"nfs"`, `"to":"ceph"`, "moments[1]: data names ceph, which is not there"},
		"no phase":       {`"phase":"Available","to":""`, `"phase":"","to":""`, `moments[0]: "nfs" has the phase "": both are needed`},
		"from the grave": {`"phase":"Pending","to":"nfs"`, `"phase":"gone","to":"nfs"`, "moments[1]: data is gone, and names nfs"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, good, c.old)
			_, err := figure.Render("binding", []byte(strings.Replace(good, c.old, c.new, 1)), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
}
