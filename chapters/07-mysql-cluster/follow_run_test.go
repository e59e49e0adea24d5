package mysqlcluster_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/internal/kubetest"
)

// told is what a master did. Its table has no key, so that nothing stops a row
// from coming twice.
var told = []string{
	"CREATE DATABASE shop",
	"CREATE TABLE orders (id INT)",
	"INSERT INTO orders VALUES (1)",
	"INSERT INTO orders VALUES (2)",
	"INSERT INTO orders VALUES (3)",
}

// A slave is killed at each of its writes and goes on from what it has written
// down.
func TestRunOfASlaveThatIsKilled(t *testing.T) {
	var log bytes.Buffer
	for _, where := range []string{"file first", "file last", "in the record"} {
		fmt.Fprintf(&log, "# part: %s\n", partOf(where))
		var found []string
		for writes := 0; ; writes++ {
			folder, left := folder.NewMemory(), writes
			f := mysqlcluster.Follower{Folder: folder, Place: where}
			require.NoError(t, f.Follow(told[:2]))
			f.Folder = mysqlcluster.Limited{Folder: folder, Left: &left}
			killed := f.Follow(told)
			f.Folder = folder
			require.NoError(t, f.Follow(told))
			rows, err := mysqlcluster.RowsOf(folder, "SELECT id FROM orders")
			if err != nil {
				rows = err.Error()
			}
			found = append(found, rows)
			if killed == nil {
				break
			}
		}
		count(&log, found)
	}
	kubetest.Recorded(t, "follow.txt", log.Bytes())
}

func partOf(where string) string {
	return map[string]string{
		"file first": "first", "file last": "last", "in the record": "record",
	}[where]
}

// count writes how often each was found, in the order of their first time.
func count(log *bytes.Buffer, found []string) {
	seen := map[string]bool{}
	for _, one := range found {
		if seen[one] {
			continue
		}
		seen[one] = true
		n := len(slices.DeleteFunc(slices.Clone(found),
			func(other string) bool { return other != one }))
		fmt.Fprintf(log, "%2d of %d  %s\n", n, len(found), one)
	}
}
