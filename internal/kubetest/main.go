package kubetest

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"

	"reconcile/internal/openexercises"
)

// Main runs a chapter's tests. It trades memory for the time of the people who
// wait for them: they make and drop a few hundred clusters. Benchmarks collect
// garbage as always.
func Main(m *testing.M) {
	flag.BoolVar(&rewrite, "update", false, "write the recorded runs anew")
	historyFlags()
	if f := flag.Lookup("rapid.nofailfile"); f != nil {
		f.DefValue = "true" // a failure is printed, and leaves no file in the chapter
		_ = f.Value.Set(f.DefValue)
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400)
	}
	leaveRecordsWhenTold()
	os.Exit(openexercises.Run(m))
}
