package rollingupdate_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"reconcile/chapters/01-control-loop/simulated"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// Four Pods are updated between different bounds, as in
// TestRunOfUpdatesWithinTheirBounds: how many there are, how many of them are
// available, how long it takes, and how many serve in the end, should the new
// image not exist.
func TestRunOfTheBoundsCompared(t *testing.T) {
	var out bytes.Buffer
	out.WriteString("surge, unavailable   wanted  there  available  seconds   broken: serve\n")
	for _, b := range [][2]string{
		{"1", "0"}, {"0", "1"}, {"0", "2"}, {"1", "1"}, {"4", "0"}, {"0", "4"},
	} {
		setup := rolled()
		server := rollingupdate.Web{WarmUp: 4500 * time.Millisecond, Linger: 2 * time.Second}
		setup.Images = simulated.Images{"web:v1": server.Serve, "web:v2": server.Serve}
		in(t, setup, func(c *kubetest.Cluster) {
			kubetest.Create(c, web("web", 4, bounds(b[0], b[1])))
			c.Advance(time.Minute)
			edit(c, "web", image("web:v2"))
			most, there, least, seconds := follow(t, c)
			edit(c, "web", image("web:none"))
			c.Advance(time.Hour)
			fmt.Fprintf(&out, "%-18s %8d %6d %10d %8d %15d\n",
				b[0]+", "+b[1], most, there, least, seconds, serving(c))
		})
	}
	kubetest.Recorded(t, "compared.txt", out.Bytes())
}

// follow watches an update of web to v2, second by second.
func follow(t *testing.T, c *kubetest.Cluster) (wanted, there, available, seconds int) {
	available = 4
	for ; ; seconds++ {
		require.Less(t, seconds, 60)
		sizes, old := 0, 0
		for _, rs := range sets(c) {
			sizes += int(*rs.Spec.Replicas)
		}
		for _, pod := range c.Pods() {
			if pod.Spec.Containers[0].Image == "web:v1" && pod.DeletionTimestamp == nil {
				old++
			}
		}
		wanted, there = max(wanted, sizes), max(there, len(c.Pods()))
		available = min(available, serving(c))
		if old == 0 && serving(c) == 4 {
			return wanted, there, available, seconds
		}
		c.Advance(time.Second)
	}
}
