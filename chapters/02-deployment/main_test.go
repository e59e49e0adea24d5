package deployment_test

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

// TestMain trades memory for the time of whoever waits for the tests: they make
// and drop a few hundred clusters. Benchmarks collect as everybody does.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
