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
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/kubetest"
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
			for before := written.Load(); written.Load() < before+50; {
				runtime.Gosched()
				_, err := os.Stat(from) // a page's only thread answers files once all wait
				assert.NoError(t, err)
			}
		}
		more()
		before := r.client(p)
		acknowledged := r.query(before, "SELECT COUNT(*) FROM test.t").(int64)
		out := r.ok(p, "tools", "xtrabackup --backup --slave-info --stream=xbstream "+
			"--host=127.0.0.1 --user=root > /var/lib/mysql/s.xb")
		assert.Contains(t, out, "completed OK!\n")
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
		for _, c := range []*wire.Conn{c, before, d} {
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

// backupCopied has a master be copied to /var/lib/mysql/to, and returns who can
// look at it, and what was said. The log that was copied has 102 bytes.
func backupCopied(t *testing.T, r *backupRig) (p *corev1.Pod, said string) {
	p = r.pod("mysql-0", t.TempDir(), backupMaster,
		backupContainer("mysql", "mysql:5.7"),
		backupContainer("tools", backupTools, "sleep", "1000"))
	c := r.client(p)
	r.query(c, "CREATE DATABASE test")
	c.Close()
	said = r.ok(p, "tools", "xtrabackup --backup --slave-info --stream=xbstream "+
		"--host 127.0.0.1 --user=root > /tmp/s.xb")
	r.ok(p, "tools", "mkdir /var/lib/mysql/to; cd /var/lib/mysql/to; xbstream -x < /tmp/s.xb")
	return p, said
}

const backupWhole = "from_lsn = 0\nto_lsn = 102\nlast_lsn = 102\ncompact = 0\nrecover_binlog_info = 0\n"

// In XtraBackup's words, which exercise 7h doesn't ask for: it is a recording that
// has them.
func TestABackupSaysWhatItDoes(t *testing.T) {
	backupInBubble(t, func(r *backupRig) {
		_, said := backupCopied(t, r)
		kubetest.Recorded(t, "backup.txt", []byte(said))
	})
}

func TestABackupSaysWhatItIs(t *testing.T) {
	backupInBubble(t, func(r *backupRig) {
		p, _ := backupCopied(t, r)
		assert.Equal(t, "tool_name = xtrabackup\nserver_version = 5.7.44-log\n"+
			"binlog_pos = filename 'mysql-0-bin.000001', position '44'\n"+
			"partial = N\nincremental = N\nformat = xbstream\n"+
			"backup_type = full-backuped\n"+backupWhole+"mysql-0-bin.000001\t44\n"+
			"default-character-set=latin1\ndefault-collation=latin1_swedish_ci\n",
			r.ok(p, "tools", "cd /var/lib/mysql/to; cat xtrabackup_info "+
				"xtrabackup_checkpoints xtrabackup_binlog_info mysql/db.opt"))
		assert.Contains(t, r.ok(p, "tools", "rm -r /var/lib/mysql/to; xtrabackup --backup --stream=xbstream "+
			"--user=root --port=3306 > /tmp/again.xb"), "host: localhost, user: root, password: not set, port: 3306, ")
	})
}

func TestACopyIsPreparedOnce(t *testing.T) {
	const prepare = "xtrabackup --prepare --target-dir=/var/lib/mysql/to"
	const said = "xtrabackup: cd to /var/lib/mysql/to\nxtrabackup: This target seems to be "
	for name, half := range map[string]string{
		"as it was copied":                 "true",
		"killed when the log had its name": "mv xtrabackup_logfile ib_logfile0",
		"with a torn log":                  "printf half >> xtrabackup_logfile",
	} {
		t.Run(name, func(t *testing.T) {
			backupInBubble(t, func(r *backupRig) {
				p, _ := backupCopied(t, r)
				r.ok(p, "tools", "cd /var/lib/mysql/to; "+half)
				assert.Equal(t, said+"not prepared yet.\n000101 00:00:01 completed OK!\n",
					r.ok(p, "tools", prepare))
				assert.Equal(t, "backup_type = full-prepared\n"+backupWhole+"102\n",
					r.ok(p, "tools", "cd /var/lib/mysql/to; cat xtrabackup_checkpoints; wc -c < ib_logfile0"))
				assert.Equal(t, said+"already prepared.\n000101 00:00:01 completed OK!\n",
					r.ok(p, "tools", prepare))
			})
		})
	}
}

func TestACopyThatIsNotWholeIsNotPrepared(t *testing.T) {
	for name, c := range map[string]struct{ half, says string }{
		"no log":    {"rm xtrabackup_logfile", "openat ib_logfile0: no such file or directory\n"},
		"no state":  {"rm xtrabackup_checkpoints", "failed to read metadata from './xtrabackup_checkpoints'\n"},
		"no backup": {"echo hello > xtrabackup_checkpoints", "failed to read metadata from './xtrabackup_checkpoints'\n"},
		"a part": {"echo backup_type = incremental > xtrabackup_checkpoints",
			"this target does not have a backup: incremental\n"},
		"another log": {"echo a line that is longer than a head > xtrabackup_logfile",
			"ib_logfile0 at byte 0: checksum mismatch in the head of a record\n"},
	} {
		t.Run(name, func(t *testing.T) {
			backupInBubble(t, func(r *backupRig) {
				p, _ := backupCopied(t, r)
				r.ok(p, "tools", "cd /var/lib/mysql/to; "+c.half)
				out, code := r.sh(p, "tools", "cd /var/lib/mysql/to; xtrabackup --prepare")
				assert.Equal(t, 1, code)
				assert.Contains(t, out, "xtrabackup: error: "+c.says)
				assert.NotContains(t, out, "completed OK!")
				out, _ = r.sh(p, "tools", "cat /var/lib/mysql/to/xtrabackup_checkpoints")
				assert.NotContains(t, out, "full-prepared")
			})
		})
	}
}

func TestWhatTheToolsCannotDoIsSaid(t *testing.T) {
	backupInBubble(t, func(r *backupRig) {
		p := r.pod("a", t.TempDir(), "", backupContainer("tools", backupTools, "sleep", "1000"))
		r.ok(p, "tools", "mkdir /var/lib/mysql/folder")
		for command, says := range map[string]string{
			"xtrabackup":                                          "xtrabackup: error: one of --backup and --prepare is needed\n",
			"xtrabackup backup":                                   "xtrabackup: error: unknown option 'backup'\n",
			"xtrabackup --nope":                                   "xtrabackup: error: unknown option '--nope'\n",
			"xtrabackup --backup --host":                          "xtrabackup: error: option '--host' requires an argument\n",
			"xtrabackup --backup --stream=tar":                    "xtrabackup: error: --stream=xbstream is the only way out that there is\n",
			"xtrabackup --prepare --target-dir=/no":               "xtrabackup: error: open /no: file does not exist\n",
			"xtrabackup --backup --stream=xbstream --datadir=/no": "xtrabackup: error: open /no: file does not exist\n",
			"xbstream":            "xbstream: one of -c and -x is needed\n",
			"xbstream -x -c":      "xbstream: one of -c and -x is needed\n",
			"xbstream -x -q":      "xbstream: unknown option '-q'\n",
			"xbstream -x -C":      "xbstream: unknown option '-C'\n",
			"xbstream -x -C /no":  "open /no: file does not exist\n",
			"xbstream -c -C /no":  "open /no: file does not exist\n",
			"xbstream -c nothing": "no such file or directory\n",
			"xbstream -c folder":  "is a directory\n",
		} {
			out, code := r.sh(p, "tools", "cd /var/lib/mysql; "+command)
			assert.Equal(t, 1, code, command)
			assert.True(t, strings.HasSuffix(out, says), "%s: %s", command, out)
		}
	})
}
