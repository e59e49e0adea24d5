package whole_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/sqltest"
)

// The manifest, unchanged, and what its three Pods have become: each a server
// with a number of its own, of which one may be written to.
func TestOneTemplateMakesAMasterAndItsSlaves(t *testing.T) {
	bringInBubble(t, bringManifest(t), func(b *brought) {
		began := time.Now()
		b.until(time.Minute, "all are ready", func() bool { return b.areReady(3) })
		assert.Less(t, time.Since(began), 40*time.Second)
		b.must(0, "CREATE DATABASE test")
		b.must(0, "CREATE TABLE test.t (n INT PRIMARY KEY)")
		b.must(0, "INSERT INTO test.t VALUES (1), (2), (3)")
		time.Sleep(time.Second)
		for ordinal := range 3 {
			assert.Equal(t, fmt.Sprint(100+ordinal),
				fmt.Sprint(b.must(ordinal, "SELECT @@server_id").Rows[0][0]))
			assert.EqualValues(t, 3, b.must(ordinal, "SELECT COUNT(*) FROM test.t").Rows[0][0])
			if ordinal == 0 {
				continue
			}
			_, err := b.ask(ordinal, "INSERT INTO test.t VALUES (4)")
			assert.EqualError(t, err, "ERROR 1290 (HY000): The MySQL server is running with "+
				"the --super-read-only option so it cannot execute this statement")
			status := sqltest.Row(b.must(ordinal, "SHOW SLAVE STATUS"))
			assert.Equal(t, "mysql-0.mysql", status["Master_Host"])
			assert.Equal(t, "Yes", status["Slave_IO_Running"])
			assert.Equal(t, "Yes", status["Slave_SQL_Running"])
		}
		assert.Len(t, b.records.clones, 2, "one for each slave")
	})
}
