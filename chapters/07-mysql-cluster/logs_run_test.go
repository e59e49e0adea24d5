package mysqlcluster_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/internal/kubetest"
)

// A master is killed after each write of one statement, with its two logs
// written in either order.
func TestRunOfTwoLogs(t *testing.T) {
	var log bytes.Buffer
	for _, l := range []mysqlcluster.TwoLogs{{RedoFirst: true}, {}} {
		if l.RedoFirst {
			fmt.Fprintln(&log, "# part: redo")
		} else {
			fmt.Fprintln(&log, "# part: binlog")
		}
		for writes := range 3 {
			folder, left := folder.NewMemory(), 1000
			err := l.Write(mysqlcluster.Limited{Folder: folder, Left: &left},
				func() { left = writes }, told...)
			require.Equal(t, writes < 2, err != nil)
			master, slave, err := l.Found(folder, "SELECT id FROM orders")
			require.NoError(t, err)
			fmt.Fprintf(&log, "killed after write %d   master: %-6s  slave: %s\n",
				writes, master, slave)
		}
	}
	kubetest.Recorded(t, "logs.txt", log.Bytes())
}
