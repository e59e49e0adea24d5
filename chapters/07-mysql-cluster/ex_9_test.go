package mysqlcluster_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/kubetest"
	"reconcile/internal/sqltest"
)

// exSlow is a network on which each answer takes a while.
type exSlow struct{ simulated.Network }

func (n exSlow) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := n.Network.DialContext(ctx, network, address)
	return exSlowConn{conn}, err
}

type exSlowConn struct{ net.Conn }

func (c exSlowConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	time.Sleep(2 * time.Millisecond)
	return n, err
}

// exClone is a slave that is made of a copy of a master who takes an order every
// five milliseconds, and what was seen of it.
type exClone struct {
	*backupRig
	began  time.Time
	mu     sync.Mutex
	log    bytes.Buffer
	orders int                  // acknowledged
	slave  map[string]sql.Value // SHOW SLAVE STATUS
	has    string               // in the end
}

func (c *exClone) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(&c.log, "%3d ms  %s\n", time.Since(c.began).Milliseconds(), fmt.Sprintf(format, args...))
}

// Write takes what xtrabackup says, without the time.
func (c *exClone) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		for _, told := range []string{"Executing", "Streaming xtrabackup_log", "MySQL binlog position"} {
			if _, rest, found := strings.Cut(line, told); found {
				c.note("xtrabackup  %s%s", told, rest)
			}
		}
	}
	return len(b), nil
}

// exCloned makes such a slave.
func exCloned(t *testing.T, look func(c *exClone)) {
	t.Helper()
	from, to := t.TempDir(), t.TempDir()
	backupInBubble(t, func(r *backupRig) {
		c := &exClone{backupRig: r}
		master := r.pod("mysql-0", from, backupMaster, backupContainer("mysql", "mysql:5.7"))
		near := r.client(master)
		defer near.Close()
		r.query(near, "CREATE DATABASE shop")
		r.query(near, "CREATE TABLE shop.orders (id INT PRIMARY KEY)")
		c.began = time.Now()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 8 {
				_, err := near.Query(fmt.Sprintf("INSERT INTO shop.orders VALUES (%d)", c.orders+1))
				assert.NoError(t, err)
				c.orders++
				c.note("mysql-0     order %d is acknowledged", c.orders)
				time.Sleep(5 * time.Millisecond)
			}
		}()
		time.Sleep(9 * time.Millisecond)
		c.copy(r.pod("tools", from, "", backupContainer("tools", backupTools, "sleep", "1000")),
			master.Status.PodIP, to)
		<-done
		c.follow(to, master.Status.PodIP)
		look(c)
	})
}

// copy copies the master's data to another folder, over a slow line.
func (c *exClone) copy(tools *corev1.Pod, host, to string) {
	c.machines.SetNetwork(exSlow{c.machines.Pods()})
	defer c.machines.SetNetwork(c.machines.Pods())
	var stream bytes.Buffer
	code, err := c.machines.Exec(c.t.Context(), tools, "tools", []string{
		"xtrabackup", "--backup", "--slave-info", "--stream=xbstream", "--host=" + host, "--user=root",
	}, streams.IO{Stdout: &stream, Stderr: c})
	require.NoError(c.t, err)
	require.Zero(c.t, code)
	require.NoError(c.t, os.WriteFile(filepath.Join(to, "stream"), stream.Bytes(), 0o644))
}

// follow starts a server on the copy, and makes it a slave from the place on that
// the copy says.
func (c *exClone) follow(to, host string) {
	other := c.pod("unpack", to, "", backupContainer("tools", backupTools, "sleep", "1000"))
	c.ok(other, "tools", "cd /var/lib/mysql; xbstream -x < stream; rm stream; xtrabackup --prepare --target-dir=.")
	note, err := os.ReadFile(filepath.Join(to, "xtrabackup_binlog_info"))
	require.NoError(c.t, err)
	var file string
	var pos int
	_, err = fmt.Sscan(string(note), &file, &pos)
	require.NoError(c.t, err)
	p := c.pod("mysql-1", to, "[mysqld]\nserver-id=101\n", backupContainer("mysql", "mysql:5.7"))
	near := c.client(p)
	defer near.Close()
	time.Sleep(time.Until(c.began.Add(1100 * time.Millisecond)))
	c.note("mysql-1     has the orders %s, and begins at %d", c.all(near), pos)
	c.query(near, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='%s', MASTER_USER='root', "+
		"MASTER_LOG_FILE='%s', MASTER_LOG_POS=%d", host, file, pos))
	c.query(near, "START SLAVE")
	time.Sleep(time.Until(c.began.Add(1900 * time.Millisecond)))
	result, err := near.Query("SHOW SLAVE STATUS")
	require.NoError(c.t, err)
	c.slave, c.has = sqltest.Row(result), c.all(near)
	c.note("mysql-1     has the orders %s", c.has)
	c.note("mysql-1     Slave_SQL_Running: %v", c.slave["Slave_SQL_Running"])
	if said := c.slave["Last_SQL_Error"]; said != "" {
		c.note("mysql-1     Last_SQL_Error: %v", said)
	}
}

// all are the orders that a server has.
func (c *exClone) all(at *wire.Conn) string {
	result, err := at.Query("SELECT id FROM shop.orders ORDER BY id")
	require.NoError(c.t, err)
	var ids []string
	for _, row := range result.Rows {
		ids = append(ids, fmt.Sprint(row[0]))
	}
	return strings.Join(ids, " ")
}

// A slave is made while its master is written to.
//
//book:exercise 7i
func TestRunOfACloneUnderLoad(t *testing.T) {
	exCloned(t, func(c *exClone) {
		kubetest.Recorded(t, "clone-under-load.txt", c.log.Bytes())
	})
}

//book:exercise 7i
func TestACloneUnderLoadHasEachOrderOnce(t *testing.T) {
	exCloned(t, func(c *exClone) {
		assert.Equal(t, "1 2 3 4 5 6 7 8", c.has, "the orders that the slave has in the end")
		assert.Equal(t, "Yes", c.slave["Slave_SQL_Running"], "whether it goes on: %v", c.slave["Last_SQL_Error"])
	})
}
