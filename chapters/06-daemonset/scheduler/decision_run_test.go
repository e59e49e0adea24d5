package scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
	"reconcile/internal/whatif/decision"
)

// One Pod, five nodes: two of them refuse it, and the other three are compared.
func TestRunOfADecision(t *testing.T) {
	d, err := decision.Ask(decision.Recorded)
	require.NoError(t, err)
	kubetest.RecordedJSON(t, "../../testdata/decision.json", d)
}

// deciding is a scheduler that tells of its decisions.
func deciding(told func(scheduler.Decision)) kubetest.Controller {
	return func(s *controlloop.System) *controlloop.Controller {
		c := plugins.NewScheduler(s)
		c.Reconciler.(*scheduler.Scheduler).OnDecision = told
		return c
	}
}
