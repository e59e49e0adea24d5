//go:build unix

package mysqlcluster_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/folder"
)

// nodeDisk is a folder on this machine's disk.
func nodeDisk(b testing.TB) folder.Folder {
	root, err := os.OpenRoot(b.TempDir())
	require.NoError(b, err)
	return folder.Disk(root, false)
}

// nodeCPU is what the process has used, in seconds.
func nodeCPU() float64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

// A master and four slaves, and 100,000 rows: by single inserts, and by inserts
// of a hundred.
func BenchmarkReplicate(b *testing.B) {
	for _, at := range []int{1, 100} {
		b.Run(fmt.Sprintf("rows=%d", at), func(b *testing.B) {
			for b.Loop() {
				before := nodeCPU()
				nodeReplicate(b, 100_000, at)
				b.ReportMetric(nodeCPU()-before, "cpu-s")
			}
		})
	}
}

func nodeReplicate(b *testing.B, rows, at int) {
	w := newNodeWorld(b)
	m := w.start("mysql-0", nodeDisk(b), "server-id=100", "log-bin")
	m.do(nodeTable...)
	var slaves []*node
	for i := range 4 {
		s := w.start(fmt.Sprintf("mysql-%d", i+1), nodeDisk(b), fmt.Sprintf("server-id=%d", 101+i), "super-read-only")
		s.do(nodeChange, "START SLAVE")
		slaves = append(slaves, s)
	}
	insert := "INSERT INTO test.t (s) VALUES ('a row')" + strings.Repeat(", ('a row')", at-1)
	c := m.client()
	for range rows / at {
		_, err := c.Query(insert)
		require.NoError(b, err)
	}
	for _, s := range slaves {
		s.catchUp(m)
		require.Equal(b, int64(rows), s.value("SELECT COUNT(*) FROM test.t"))
		s.kill()
	}
	m.kill()
}

func BenchmarkStart(b *testing.B) {
	data := nodeDisk(b)
	w := newNodeWorld(b)
	m := w.start("mysql-0", data, "server-id=100", "log-bin")
	m.do(nodeTable...)
	insert := "INSERT INTO test.t (s) VALUES ('a row')" + strings.Repeat(", ('a row')", 99)
	for range 1000 {
		m.do(insert)
	}
	m.kill()
	for b.Loop() {
		w.start("mysql-0", data, "server-id=100", "log-bin").kill()
	}
}
