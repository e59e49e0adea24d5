package storage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/kubetest"
	"reconcile/internal/whatif/killedbinder"
)

// The binder is killed after its second write, as the hasty one was, and there is
// another claim when the next one begins.
func TestRunOfABinderThatIsKilledBeforeARivalComes(t *testing.T) {
	run, err := killedbinder.Kill(killedbinder.Recorded)
	require.NoError(t, err)
	kubetest.RecordedJSON(t, "rival.json", run)
}
