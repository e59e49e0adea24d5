package chapter06

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
	"reconcile/internal/whatif/decision"
)

// drawn returns the figure with one value that is not the default.
func drawn(t *testing.T, name, value string) (string, error) {
	values := where.Defaults()
	values[name] = value
	return where.Draw(t, values)
}

func TestTheDefaultsDrawTheRecordedDecision(t *testing.T) {
	data, err := os.ReadFile("../../../../../chapters/06-daemonset/testdata/decision.json")
	require.NoError(t, err)
	got, err := where.Draw(t, where.Defaults())
	require.NoError(t, err)
	want, err := figure.Render("decision", data, "decision",
		"node-1 is refused by TaintToleration: node(s) had untolerated taint(s). "+
			"node-2 is refused by NodeResourcesFit: Insufficient cpu. "+
			"node-3 has 609 points. node-4 has 609 points. node-5 has 339 points. node-3 is chosen.")
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestEveryValueIsDrawnAndTwiceAlike(t *testing.T) {
	for _, i := range where.Inputs {
		values := i.Options
		for n := i.Min; n <= i.Max && i.Kind == "range"; n += max(1, i.Step) {
			values = append(values, strconv.Itoa(n))
		}
		require.Contains(t, values, i.Default, i.Name)
		for _, value := range values {
			once, err := drawn(t, i.Name, value)
			require.NoError(t, err, "%s=%s", i.Name, value)
			again, err := drawn(t, i.Name, value)
			require.NoError(t, err, "%s=%s", i.Name, value)
			require.Equal(t, once, again, "%s=%s", i.Name, value)
			require.Contains(t, once, "<svg", "%s=%s", i.Name, value)
		}
	}
}

func TestWhereNoNodeTakesThePodItIsSaidWhy(t *testing.T) {
	got, err := drawn(t, "cpu", "4250")
	require.NoError(t, err)
	assert.Contains(t, got, "0/5 nodes are available: 1 node(s) had untolerated taint(s), 4 Insufficient cpu.")
}

func TestTheFormBeginsWithWhatIsRecorded(t *testing.T) {
	asked, err := read(where.Defaults())
	require.NoError(t, err)
	assert.Equal(t, decision.Recorded, asked)
	require.NoError(t, where.Check(where.Defaults()))
}
