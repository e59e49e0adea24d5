package kubetest

import (
	"os"
	"testing"

	"reconcile/internal/openexercises"
	"reconcile/internal/slow"
)

// Real is called by tests of what really runs on this machine. They are slow, and
// are skipped while an exercise is open, since none is about them, and where
// RECONCILE_REAL is no.
func Real(t testing.TB) {
	t.Helper()
	if os.Getenv(openexercises.Env) != "" {
		t.Skip("an exercise is open, and is not about this")
	}
	if os.Getenv("RECONCILE_REAL") == "no" {
		t.Skip("RECONCILE_REAL=no: nothing shall really run")
	}
	slow.Test(t, "it starts real processes")
}

// Lacks skips a test on a machine that does not have what real containers need;
// where they are required it fails.
func Lacks(t testing.TB, what ...any) {
	t.Helper()
	if os.Getenv("RECONCILE_REAL") == "required" {
		t.Fatal(what...)
	}
	t.Skip(what...)
}
