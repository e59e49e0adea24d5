package mysqlcluster_test

import (
	"os"
	"testing"

	"reconcile/internal/kubetest"
	"reconcile/internal/open"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// unlessOpen is called by tests of what really runs on this machine. They take
// their time, and are skipped while an exercise is open, since none is about them,
// and where RECONCILE_REAL is no.
func unlessOpen(t testing.TB) {
	t.Helper()
	if os.Getenv(open.Env) != "" {
		t.Skip("an exercise is open, and is not about this")
	}
	if os.Getenv("RECONCILE_REAL") == "no" {
		t.Skip("RECONCILE_REAL=no: nothing shall really run")
	}
}

// realLacks skips a test on a machine that has not what real containers need;
// where they are required it fails.
func realLacks(t testing.TB, what ...any) {
	t.Helper()
	if os.Getenv("RECONCILE_REAL") == "required" {
		t.Fatal(what...)
	}
	t.Skip(what...)
}
