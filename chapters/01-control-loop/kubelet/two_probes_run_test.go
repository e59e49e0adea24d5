package kubelet_test

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

// asked holds the times at which a probe asked, by the answers.
type asked struct {
	Passed []time.Duration `json:"passed"`
	Failed []time.Duration `json:"failed"`
}

// checkup is what figures/probes.svg has of a Pod with two probes.
type checkup struct {
	Liveness  asked           `json:"liveness"`
	Readiness asked           `json:"readiness"`
	Started   []time.Duration `json:"started"` // its container, and again
	Ready     []time.Duration `json:"ready"`   // from when, until when
	Made      time.Duration   `json:"made"`    // what the readiness probe looks for
	Removed   time.Duration   `json:"removed"` // what the liveness probe looks for
}

// The Pod of the page's manifest. After ten seconds it has what its readiness
// probe asks for, and after twenty no more what its liveness probe asks for; a
// container that is started anew has the second, and not the first.
func TestRunOfTwoProbes(t *testing.T) {
	var all checkup
	var start time.Time
	var ready, broken bool
	serves := kubetest.Serves(80, func(w http.ResponseWriter, r *http.Request) {
		probe, passes := &all.Liveness, !broken
		if r.URL.Path == "/ready" {
			probe, passes = &all.Readiness, ready
		}
		if passes {
			probe.Passed = append(probe.Passed, time.Since(start))
			return
		}
		probe.Failed = append(probe.Failed, time.Since(start))
		w.WriteHeader(http.StatusNotFound)
	})
	images := simulated.Images{
		kubetest.Nginx: func(ctx context.Context, p *simulated.Process) int {
			all.Started = append(all.Started, time.Since(start))
			ready, broken = false, false
			return serves(ctx, p)
		},
	}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		start = time.Now()
		data, err := os.ReadFile("../manifests/probes.yaml")
		require.NoError(t, err)
		kubetest.Create(c, kubetest.Objects(t, controlloop.CoreKinds(), string(data))[0])
		c.Advance(10 * time.Second)
		all.Made, ready = time.Since(start), true
		c.Advance(10 * time.Second)
		all.Removed, broken = time.Since(start), true
		c.Advance(40 * time.Second)
		all.Ready = timeline(c, "probes")
	})
	kubetest.RecordedJSON(t, "../../testdata/probes.json", all)
}
