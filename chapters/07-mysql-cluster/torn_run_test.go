package mysqlcluster_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/internal/kubetest"
)

// orders is what was acknowledged, and cancel what is being written when the
// server is killed.
var orders = []string{
	"CREATE DATABASE shop",
	"CREATE TABLE orders (id INT PRIMARY KEY)",
	"INSERT INTO orders VALUES (1), (12), (123)",
}

const (
	cancel = "DELETE FROM orders WHERE id = 123"
	asked  = "SELECT id FROM orders"
)

// killedAt says what a start finds for each number of bytes that were written,
// those in a row with the same answer in one line.
func killedAt(of int, start func(bytes int) string) string {
	var out bytes.Buffer
	for from := 0; from <= of; {
		to, found := from, start(from)
		for to < of && start(to+1) == found {
			to++
		}
		at := fmt.Sprintf("after byte %d", from)
		if to > from {
			at = fmt.Sprintf("after byte %d to %d", from, to)
		}
		fmt.Fprintf(&out, "%-22s %s\n", at, found)
		from = to + 1
	}
	return out.String()
}

// A server is killed at each byte of a write.
func TestRunOfATornLog(t *testing.T) {
	var log bytes.Buffer
	fmt.Fprintf(&log, "# part: lines\n# a log of lines; the last is: %s\n", cancel)
	before := strings.Join(orders, "\n") + "\n"
	log.WriteString(killedAt(len(cancel)+1, func(n int) string {
		rows, err := mysqlcluster.NaiveRowsOf(before+(cancel + "\n")[:n], asked)
		if err != nil {
			return "does not start"
		}
		return "orders: " + cmp.Or(rows, "none")
	}))

	whole := folder.NewMemory()
	ends, err := mysqlcluster.LogOf(whole, append(orders, cancel)...)
	require.NoError(t, err)
	last := int(ends[3] - ends[2])
	fmt.Fprintf(&log, "# part: records\n# a log of records; the last has %d bytes\n", last)
	log.WriteString(killedAt(last, func(n int) string {
		folder := folder.NewMemory()
		_, err := mysqlcluster.LogOf(folder, append(orders, cancel)...)
		require.NoError(t, err)
		file, err := folder.Open("ib_logfile0", os.O_RDWR)
		require.NoError(t, err)
		require.NoError(t, file.Truncate(ends[2]+int64(n)))
		rows, err := mysqlcluster.RowsOf(folder, asked)
		require.NoError(t, err)
		return "orders: " + rows
	}))
	kubetest.Recorded(t, "torn.txt", log.Bytes())
}
