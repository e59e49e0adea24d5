package mysqlcluster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
)

const backupMaster = "[mysqld]\nserver-id=100\nlog-bin\n"

// What was acknowledged before the backup is in it; of what comes meanwhile, it
// has what stands before the position that it names, and nothing else.
func TestABackupIsTheDataAtThePositionThatItNames(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	backupInBubble(t, func(r *backupRig) {
		p := r.pod("mysql-0", from, backupMaster,
			backupContainer("mysql", "mysql:5.7"),
			backupContainer("tools", backupTools, "sleep", "1000000"))
		c := r.client(p)
		r.query(c, "CREATE DATABASE test")
		r.query(c, "CREATE TABLE test.t (n INT PRIMARY KEY)")
		// Whoever writes does so without a pause: no time passes until it stops.
		var written atomic.Int64
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				_, err := c.Query(fmt.Sprintf("INSERT INTO test.t VALUES (%d)", n))
				assert.NoError(t, err)
				written.Add(1)
			}
		}()
		more := func() {
			for from := written.Load(); written.Load() < from+50; {
				runtime.Gosched()
			}
		}
		more()
		before := r.client(p)
		acknowledged := r.query(before, "SELECT COUNT(*) FROM test.t").(int64)
		out := r.ok(p, "tools", "xtrabackup --backup --slave-info --stream=xbstream "+
			"--host=127.0.0.1 --user=root > /var/lib/mysql/s.xb")
		assert.Contains(t, out, "completed OK!\n")
		assert.Contains(t, out, "Ignoring the --slave-info option\n")
		more()
		close(stop)
		<-stopped
		stream, err := os.ReadFile(filepath.Join(from, "s.xb"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(to, "s.xb"), stream, 0o644))

		other := r.pod("copy", to, "", backupContainer("tools", backupTools, "sleep", "1000"))
		out = r.ok(other, "tools", "cd /var/lib/mysql; xbstream -x < s.xb; rm s.xb; "+
			"xtrabackup --prepare --target-dir=/var/lib/mysql; cat xtrabackup_binlog_info")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var file string
		var pos int64
		_, err = fmt.Sscanf(lines[len(lines)-1], "%s\t%d", &file, &pos)
		require.NoError(t, err, out)
		assert.Equal(t, "mysql-0-bin.000001", file)

		copied := r.pod("mysql-1", to, "[mysqld]\nserver-id=101\n", backupContainer("mysql", "mysql:5.7"))
		d := r.client(copied)
		n := r.query(d, "SELECT COUNT(*) FROM test.t").(int64)
		assert.GreaterOrEqual(t, n, acknowledged)
		assert.Less(t, n, r.query(c, "SELECT COUNT(*) FROM test.t").(int64))
		assert.Equal(t, n, r.query(d, "SELECT MAX(n)+1 FROM test.t"))

		r.query(d, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='%s', MASTER_USER='root', "+
			"MASTER_LOG_FILE='%s', MASTER_LOG_POS=%d", p.Status.PodIP, file, pos))
		r.query(d, "START SLAVE")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, r.query(c, "SELECT COUNT(*) FROM test.t"),
			r.query(d, "SELECT COUNT(*) FROM test.t"), "none twice, none missing")
		for _, c := range []*mysqlcluster.Client{c, before, d} {
			c.Close()
		}
	})
}

func TestABackupNeedsItsServer(t *testing.T) {
	backupInBubble(t, func(r *backupRig) {
		p := r.pod("a", t.TempDir(), "", backupContainer("tools", backupTools, "sleep", "1000"))
		out, code := r.sh(p, "tools", "xtrabackup --backup --stream=xbstream --host=127.0.0.1")
		assert.Equal(t, 1, code)
		assert.Contains(t, out, "Failed to connect to MySQL server: ")
		assert.NotContains(t, out, "completed OK!")
	})
}

func TestOnlyABackupCanBePrepared(t *testing.T) {
	backupInBubble(t, func(r *backupRig) {
		p := r.pod("a", t.TempDir(), "", backupContainer("tools", backupTools, "sleep", "1000"))
		out, code := r.sh(p, "tools", "xtrabackup --prepare --target-dir=/var/lib/mysql")
		assert.Equal(t, 1, code)
		assert.Equal(t, "xtrabackup: cd to /var/lib/mysql\n"+
			"xtrabackup: error: failed to read metadata from './xtrabackup_checkpoints'\n", out)
	})
}
