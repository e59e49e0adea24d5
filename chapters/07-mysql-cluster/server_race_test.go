package mysqlcluster_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/folder"
)

// Clients write, look, lock and start and stop the slave, all at once, and in
// the middle of it the master is killed.
func TestManyClientsAtOnceLoseNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), folder.NewMemory()
		m := w.start("mysql-0", data, "server-id=100", "log-bin")
		s := w.start("mysql-1", folder.NewMemory(), "server-id=101", "super-read-only")
		m.do(nodeTable...)
		s.do(nodeChange, "START SLAVE")
		synctest.Wait()
		var clients sync.WaitGroup
		var mu sync.Mutex
		acknowledged := map[string]bool{}
		for client := range 5 {
			clients.Go(func() {
				c := m.client()
				for i := range 50 {
					word := fmt.Sprintf("%d-%d", client, i)
					if _, err := c.Query("INSERT INTO test.t (s) VALUES ('" + word + "')"); err != nil {
						return
					}
					mu.Lock()
					acknowledged[word] = true
					mu.Unlock()
					time.Sleep(time.Duration(client+1) * time.Millisecond)
				}
			})
		}
		for i, sql := range []string{"STOP SLAVE", "START SLAVE", "SHOW PROCESSLIST", "SHOW SLAVE STATUS", "SELECT COUNT(*) FROM test.t", "STOP SLAVE SQL_THREAD"} {
			clients.Go(func() {
				c := s.client()
				defer c.Close()
				for range 20 {
					_, err := c.Query(sql)
					assert.NoError(t, err, sql)
					time.Sleep(time.Duration(i+1) * time.Millisecond)
				}
			})
		}
		clients.Go(func() {
			c := m.client()
			for range 5 {
				for _, sql := range []string{"FLUSH TABLES WITH READ LOCK", "SHOW MASTER STATUS", "UNLOCK TABLES", "FLUSH LOGS"} {
					_, _ = c.Query(sql)
					time.Sleep(3 * time.Millisecond)
				}
			}
		})
		time.Sleep(100 * time.Millisecond)
		m.kill()
		clients.Wait()
		require.NotEmpty(t, acknowledged)
		m = w.start("mysql-0", data, "server-id=100", "log-bin")
		s.do("START SLAVE")
		time.Sleep(time.Minute)
		assert.Equal(t, m.Script(), s.Script())
		for word := range acknowledged {
			require.Equal(t, int64(1), s.value("SELECT COUNT(*) FROM test.t WHERE s = '"+word+"'"), word)
		}
	})
}

// A disk that is full is no reason to lose anything: the server ends, and what
// it said is done is done.
func TestAServerThatCannotWriteEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), folder.NewMemory()
		torn := &nodeTorn{Folder: data, left: 300}
		n := w.start("mysql-0", torn)
		acknowledged := nodeTell(n, nodeStory)
		assert.Less(t, acknowledged, len(nodeStory))
		assert.ErrorIs(t, n.end(), folder.ErrKilled, "it has ended by itself, and says why")
		_, err := n.world.dial(context.Background(), "tcp", "mysql-0:3306")
		assert.Error(t, err)
	})
}

// Who waited for the statement that could not be written is not told that his is
// done.
func TestWhatComesAfterAWriteThatFailedIsNotDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := &exFolder{Folder: folder.NewMemory()}
		n := newNodeWorld(t).start("mysql-0", folder)
		release := n.Hold()
		said := make(chan error, 3)
		for i := range 3 {
			c := n.client()
			go func() {
				_, err := c.Query(fmt.Sprint("CREATE DATABASE d", i))
				said <- err
			}()
		}
		synctest.Wait()
		tries := 0
		folder.before = func(string) error { tries++; return errFaulty }
		release()
		for range 3 {
			assert.Error(t, <-said)
		}
		assert.Equal(t, 1, tries, "and nobody tries again")
		assert.ErrorIs(t, n.end(), errFaulty)
	})
}
