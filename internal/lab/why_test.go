package lab_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/lab"
	"reconcile/internal/lab/snapshot"
	"reconcile/internal/trace"
	"reconcile/internal/trace/why"
)

func TestACacheThatIsLateIsWaitedFor(t *testing.T) {
	looking(t, func(f fixture) {
		_, err := f.Do(trace.Verb{Name: "late", Of: "deployment", For: time.Hour})
		require.NoError(t, err)
		f.typed(threeOfWeb)
		chain, err := f.Why("deploy/web", "")
		require.NoError(t, err)
		assert.Equal(t, why.Behind, chain.Reason, chain.Links)
		assert.Equal(t, "lab loop late Deployment 0", chain.Remedy)
		_, err = f.Do(trace.Verb{Name: "late", Of: "Deployment"})
		require.NoError(t, err)
		pass(time.Minute)
		chain, err = f.Why("deploy/web", "")
		require.NoError(t, err)
		assert.Equal(t, why.Nothing, chain.Reason, chain.Links)
	})
}

func TestAControllerThatIsNotThereIsWaitedForUntilItIs(t *testing.T) {
	var state snapshot.State
	for _, controllers := range [][]string{{"*", "-replicaset"}, {"*"}} {
		opts := lab.Options{Nodes: 1, Controllers: controllers}
		if state.Version > 0 {
			opts.State = &state
		}
		running(t, opts, func(f fixture) {
			f.Look.Begin()
			if state.Version == 0 {
				f.typed(threeOfWeb)
			}
			pass(time.Minute)
			chain, err := f.Why("deployments/web", "")
			require.NoError(t, err)
			if opts.State != nil {
				assert.Equal(t, why.Nothing, chain.Reason, chain.Links)
				return
			}
			assert.Equal(t, why.Nobody, chain.Reason)
			assert.Equal(t, "loop replicaset", chain.Links[len(chain.Links)-1].Of)
			assert.Contains(t, chain.Links[len(chain.Links)-1].Says, "isn't there")
			for _, kind := range f.Store.Kinds().All() {
				state.Objects = append(state.Objects, f.list(kind.GroupVersionKind, "")...)
			}
			state.Version = 10_000
		})
	}
}

func TestWhyOfWhatThereIsNot(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		chain, err := f.Why("nodes/node-1", "")
		require.NoError(t, err)
		assert.Equal(t, why.Nothing, chain.Reason)
		_, err = f.Why("deployments.apps/web", "")
		assert.ErrorContains(t, err, "there is no Deployment default/web", "as kubectl get -o name has it")
		for of, says := range map[string]string{
			"web":      "Say a kind and a name: deployment/web",
			"pod/web":  "there is no Pod default/web",
			"pot/web":  `there is no kind "pot" here`,
			"node/one": "there is no Node one",
		} {
			_, err := f.Why(of, "")
			assert.ErrorContains(t, err, says)
		}
	})
}
