package rollingupdate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"reconcile/chapters/01-control-loop/simulated"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// Four Pods of one version give way to four of another, which need five seconds
// until they are ready. Those that are told to end take two.
func TestRunOfUpdatesWithinTheirBounds(t *testing.T) {
	for name, b := range map[string]struct {
		surge, unavailable string
		most, least        int
	}{
		"lanes-1-0":   {"1", "0", 5, 4},
		"lanes-0-1":   {"0", "1", 4, 3},
		"lanes-25-25": {"25%", "25%", 5, 3},
		"lanes-100-0": {"100%", "0", 8, 4},
	} {
		t.Run(name, func(t *testing.T) {
			setup := rolled()
			server := rollingupdate.Web{
				WarmUp: 4500 * time.Millisecond, Linger: 2 * time.Second,
			}
			setup.Images = simulated.Images{"web:v1": server.Serve, "web:v2": server.Serve}
			in(t, setup, func(c *kubetest.Cluster) {
				kubetest.Create(c, web("web", 4, bounds(b.surge, b.unavailable)))
				c.Advance(time.Minute)
				before := len(c.Writes())
				edit(c, "web", image("web:v2"))
				c.Advance(5 * time.Minute)
				rec := &kubetest.Lanes{
					Title:    fmt.Sprintf("maxSurge %s, maxUnavailable %s", b.surge, b.unavailable),
					Replicas: 4, Most: b.most, Least: b.least,
					Until:  25 * time.Second,
					Counts: []kubetest.Tally{{There: 4, Available: 4}},
				}
				require.NoError(t, rec.Add(c.Writes(), before))
				last := rec.Counts[len(rec.Counts)-1]
				require.Equal(t, kubetest.Tally{At: last.At, There: 4, Available: 4}, last)
				kubetest.RecordedJSON(t, name+".json", rec)
			})
		})
	}
}
