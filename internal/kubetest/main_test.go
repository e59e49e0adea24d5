package kubetest

import (
	"os"
	"testing"

	"reconcile/internal/open"
)

func TestMain(m *testing.M) {
	leaveRecordsWhenTold()
	os.Exit(open.Run(m))
}
