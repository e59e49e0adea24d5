package mysqlcluster_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// An exCopied is a master that is to be copied. Where busy is set, a client
// writes whenever it can: before each question that is asked of the server, and
// around each look at its log.
type exCopied struct {
	t      *testing.T
	master *node
	data   *folder.Memory
	asker  *wire.Conn
	writer *wire.Conn
	busy   bool
	held   atomic.Bool // the writer waits for an answer
	reads  int         // of the log
	open   int         // files
	fails  string      // what does: a statement, exOpen or exStat
}

const (
	exOpen = "to open the log"
	exStat = "to ask how long it is"
)

func newExCopied(t *testing.T) *exCopied {
	c := &exCopied{t: t, data: folder.NewMemory()}
	c.master = newNodeWorld(t).start("mysql-0", c.data, "server-id=100", "log-bin")
	c.master.do(nodeTable...)
	c.writer = c.master.client()
	conn, err := c.master.world.dial(t.Context(), "tcp", "mysql-0:3306")
	require.NoError(t, err)
	c.asker, err = wire.Connect(context.Background(), &exConn{conn, c}, "root", "", "")
	require.NoError(t, err)
	return c
}

// write has the writer insert a row, and returns when it has, or is held.
func (c *exCopied) write() {
	if c.held.Swap(true) {
		return
	}
	go func() {
		_, _ = c.writer.Query("INSERT INTO test.t (s) VALUES ('meanwhile')")
		c.held.Store(false)
	}()
	synctest.Wait()
}

func (c *exCopied) meanwhile() {
	if c.busy {
		c.write()
	}
}

type exConn struct {
	net.Conn
	of *exCopied
}

func (c *exConn) Write(b []byte) (int, error) {
	c.of.meanwhile()
	if at := bytes.Index(b, []byte(c.of.fails)); at >= 0 && c.of.fails != "" {
		b = bytes.Clone(b)
		b[at] = '?' // the server does not understand it
	}
	return c.Conn.Write(b)
}

// An exData is the folder as the tool sees it.
type exData struct {
	folder.Folder
	of *exCopied
}

func (d *exData) Open(name string, flag int) (folder.File, error) {
	d.of.meanwhile()
	if d.of.fails == exOpen {
		return nil, fs.ErrPermission
	}
	file, err := d.Folder.Open(name, flag)
	d.of.meanwhile()
	d.of.open++
	return &exDataFile{file, d.of}, err
}

type exDataFile struct {
	folder.File
	of *exCopied
}

func (f *exDataFile) Stat() (fs.FileInfo, error) {
	defer f.of.meanwhile()
	if f.of.fails == exStat {
		return nil, fs.ErrInvalid
	}
	return f.File.Stat()
}

func (f *exDataFile) Close() error {
	f.of.open--
	return f.File.Close()
}

func (f *exDataFile) Read(b []byte) (int, error) {
	f.of.reads++
	return f.File.Read(b)
}

func (f *exDataFile) ReadAt(b []byte, at int64) (int, error) {
	f.of.reads++
	return f.File.ReadAt(b, at)
}

// look has the tool look, and requires that it has found something.
func (c *exCopied) look() *mysqlcluster.ExSnapshot {
	c.t.Helper()
	found, err := mysqlcluster.LookUnderLock(c.asker, &exData{c.data, c}, true)
	require.NoError(c.t, err)
	require.NotNil(c.t, found, "nothing was found")
	c.busy = false
	synctest.Wait()
	return found
}

func (c *exCopied) read(found *mysqlcluster.ExSnapshot) []byte {
	log, err := io.ReadAll(found.Log)
	require.NoError(c.t, err)
	require.NoError(c.t, found.Log.Close())
	return log
}

//book:exercise 7h
func TestACopyAndItsAddressAreOfOneMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newExCopied(t)
		c.busy = true
		found := c.look()
		copied := folder.NewMemory()
		nodeWrite(t, copied, mysqlcluster.RedoName, c.read(found)[:found.Size])
		clone := c.master.world.start("mysql-1", copied, "server-id=101")
		_, at, _ := clone.Ends()
		assert.Equal(t, at, fmt.Sprint(found.Binlog), "up to where the copy has executed, and what is said of it")
		assert.Greater(t, clone.value("SELECT COUNT(*) FROM test.t"), int64(0), "what was written before is in it")
		clone.kill()
		c.master.kill()
	})
}

//book:exercise 7h
func TestACopyEndsWhereTheLogEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newExCopied(t)
		c.master.do("INSERT INTO test.t (s) VALUES ('before')")
		size := c.master.RedoSize()
		found := c.look()
		c.master.do("INSERT INTO test.t (s) VALUES ('behind it')")
		assert.Equal(t, size, found.Size)
		assert.Len(t, c.read(found), int(size), "what was written since is not in the copy")
		c.master.kill()
	})
}

//book:exercise 7h
func TestWritersGoOnWhileTheLogIsCopied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newExCopied(t)
		found := c.look()
		c.write()
		assert.False(t, c.held.Load(), "the lock is gone, though the tool is still connected")
		assert.NotEmpty(t, c.read(found))
		c.master.kill()
	})
}

//book:exercise 7h
func TestTheLogIsNotReadUnderTheLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newExCopied(t)
		found := c.look()
		assert.Zero(t, c.reads, "what takes long is done when writers may write")
		assert.Len(t, c.read(found), int(found.Size))
		c.master.kill()
	})
}

//book:exercise 7h
func TestACopyOfASlaveNamesWhatItHasExecutedOfItsMaster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, m, _ := nodePair(t)
		data := folder.NewMemory()
		s := w.start("mysql-2", data, "server-id=102")
		s.do(nodeChange, "START SLAVE")
		synctest.Wait()
		s.do("STOP SLAVE SQL_THREAD")
		m.do("INSERT INTO test.t (s) VALUES ('only read')", "FLUSH LOGS",
			"INSERT INTO test.t (s) VALUES ('next file')")
		synctest.Wait()
		c := s.client()
		found, err := mysqlcluster.LookUnderLock(c, data, true)
		require.NoError(t, err)
		require.NotNil(t, found, "nothing was found")
		_, _, executed := s.Ends()
		assert.Equal(t, executed, fmt.Sprint(found.Source), "where its master's log goes on behind the copy")
		assert.Empty(t, found.Binlog.File, "it keeps no binlog of its own")
		assert.NoError(t, found.Log.Close())
		found, err = mysqlcluster.LookUnderLock(c, data, false)
		require.NoError(t, err)
		assert.Empty(t, found.Source.File, "without --slave-info")
		assert.NoError(t, found.Log.Close())
		for _, n := range []*node{m, s} {
			n.kill()
		}
	})
}

//book:exercise 7h
func TestALookThatFailsIsToldAndLeavesNoFileOpen(t *testing.T) {
	for _, what := range []string{"FLUSH TABLES", "SHOW MASTER STATUS",
		"SHOW SLAVE STATUS", exOpen, exStat, "UNLOCK TABLES"} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newExCopied(t)
				c.fails = what
				_, err := mysqlcluster.LookUnderLock(c.asker, &exData{c.data, c}, true)
				assert.Error(t, err, "%s failed", what)
				assert.Zero(t, c.open, "files that are open yet")
				c.master.kill()
			})
		})
	}
}
