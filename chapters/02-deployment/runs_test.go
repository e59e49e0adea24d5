package deployment_test

import (
	"flag"
	"testing"

	"reconcile/internal/kubetest"
)

// The tests named TestRun… record the runs that the chapter prints and draws. A
// recording that differs from its file fails; -update writes it anew, and then
// the diff is to be read like a change of the code.

var rewrite = flag.Bool("update", false, "write the recorded runs anew")

func recorded(t *testing.T, name string, got []byte) {
	t.Helper()
	kubetest.Recorded(t, *rewrite, name, got)
}

func recordedJSON(t *testing.T, name string, value any) {
	t.Helper()
	kubetest.RecordedJSON(t, *rewrite, name, value)
}
