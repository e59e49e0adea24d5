package decision_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/whatif/decision"
)

// ask returns the decision that is asked for.
func ask(t *testing.T, a decision.Asked) *decision.Decision {
	t.Helper()
	d, err := decision.Ask(a)
	require.NoError(t, err)
	return d
}

func TestWhateverIsAskedTheChosenNodeHasTheMostPoints(t *testing.T) {
	for milli := 250; milli <= 4500; milli += 250 {
		for _, tainted := range []string{"", "node-1", "node-2", "node-3", "node-4", "node-5"} {
			for weight := int64(1); weight <= 5; weight++ {
				a := decision.Asked{CPU: fmt.Sprintf("%dm", milli), Tainted: tainted, Weight: weight}
				d := ask(t, a)
				require.Equal(t, d, ask(t, a), "%v: the same question has the same answer", a)
				require.Len(t, d.Nodes, 5)
				most, taken := int64(-1), ""
				for _, n := range d.Nodes {
					if n.Refused == nil && n.Sum > most {
						most, taken = n.Sum, n.Name
					}
					if n.Name == tainted {
						require.NotNil(t, n.Refused, "%v", a)
						require.Equal(t, "TaintToleration", n.Refused.Filter, "%v", a)
					}
				}
				require.Equal(t, taken, d.Chosen, "%v: of two with the same points the first", a)
				require.Equal(t, taken == "", d.Message != "", "%v: why there is none", a)
			}
		}
	}
}

func TestAnOunceMoreOrLessDecides(t *testing.T) {
	for name, c := range map[string]struct {
		asked  decision.Asked
		chosen string
	}{
		"as recorded":            {decision.Recorded, "node-3"},
		"the disk counts less":   {decision.Asked{CPU: "1500m", Tainted: "node-1", Weight: 1}, "node-4"},
		"no taint":               {decision.Asked{CPU: "1500m", Weight: 2}, "node-1"},
		"too much for node-3":    {decision.Asked{CPU: "2250m", Tainted: "node-1", Weight: 2}, "node-4"},
		"too much for all but 5": {decision.Asked{CPU: "4", Tainted: "node-1", Weight: 2}, "node-5"},
		"too much for all":       {decision.Asked{CPU: "4250m", Tainted: "node-1", Weight: 2}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.chosen, ask(t, c.asked).Chosen)
		})
	}
}

func TestWhyNoNodeIsChosenIsSaidInKubernetesWords(t *testing.T) {
	d := ask(t, decision.Asked{CPU: "9", Tainted: "node-1", Weight: 2})
	assert.Equal(t, "0/5 nodes are available: 1 node(s) had untolerated taint(s), 4 Insufficient cpu. "+
		"preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.", d.Message)
}

func TestARequestThatIsNoQuantityIsAnError(t *testing.T) {
	_, err := decision.Ask(decision.Asked{CPU: "much", Weight: 2})
	assert.ErrorContains(t, err, "quantities must match the regular expression")
}
