package mysqlcluster_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/kubetest"
	"reconcile/internal/whatif/tornlog"
)

// A slave's log is cut in the middle of a record, and the slave goes on.
func TestRunOfALogThatIsCut(t *testing.T) {
	log, err := tornlog.Cut(t, tornlog.Recorded)
	require.NoError(t, err)
	kubetest.RecordedJSON(t, "cut.json", log)
}
