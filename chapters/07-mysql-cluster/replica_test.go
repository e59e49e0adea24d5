package mysqlcluster_test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/sqltest"
)

const nodeChange = "CHANGE MASTER TO MASTER_HOST='mysql-0', MASTER_USER='root', MASTER_PASSWORD='', MASTER_CONNECT_RETRY=10"

var nodeTable = []string{"CREATE DATABASE test", "CREATE TABLE test.t (id INT AUTO_INCREMENT PRIMARY KEY, s VARCHAR(20))"}

// nodePair starts a master, with a table, and a slave that follows it.
func nodePair(t testing.TB) (w *nodeWorld, master, slave *node) {
	w = newNodeWorld(t)
	master = w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
	slave = w.start("mysql-1", folder.NewMemory(), "server-id=101", "super-read-only")
	master.do(nodeTable...)
	slave.do(nodeChange, "START SLAVE")
	return w, master, slave
}

func nodeFacts(row map[string]sql.Value, names ...string) string {
	var facts string
	for _, name := range names {
		facts += fmt.Sprintf("%s=%v ", name, row[name])
	}
	return facts
}

func TestASlaveDoesWhatItsMasterDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, s := nodePair(t)
		m.do("INSERT INTO test.t (s) VALUES ('a'), ('b')", "INSERT INTO test.t (s) VALUES (@@hostname), (NOW())")
		synctest.Wait()
		assert.Equal(t, m.Script(), s.Script())
		assert.Equal(t, "mysql-0", s.value("SELECT s FROM test.t WHERE id = 3"), "a statement that asks its server is told what the master was")
		end := sqltest.Row(m.do("SHOW MASTER STATUS"))
		assert.Equal(t, "Slave_IO_State=Waiting for master to send event Master_Host=mysql-0 Master_User=root Master_Port=3306 Connect_Retry=10 "+
			fmt.Sprintf("Master_Log_File=mysql-0-bin.000001 Read_Master_Log_Pos=%v Relay_Master_Log_File=mysql-0-bin.000001 Exec_Master_Log_Pos=%[1]v ", end["Position"])+
			"Slave_IO_Running=Yes Slave_SQL_Running=Yes Seconds_Behind_Master=0 Master_Server_Id=100 Last_IO_Errno=0 Last_SQL_Errno=0 ",
			nodeFacts(s.status(), "Slave_IO_State", "Master_Host", "Master_User", "Master_Port", "Connect_Retry", "Master_Log_File", "Read_Master_Log_Pos",
				"Relay_Master_Log_File", "Exec_Master_Log_Pos", "Slave_IO_Running", "Slave_SQL_Running", "Seconds_Behind_Master", "Master_Server_Id", "Last_IO_Errno", "Last_SQL_Errno"))
		assert.Len(t, s.status(), 57)
		time.Sleep(24 * time.Hour)
		dump := m.do("SHOW PROCESSLIST").Rows[0]
		assert.Equal(t, "Binlog Dump", dump[4])
		assert.Equal(t, int64(24*60*60), dump[5], "it is the same connection, a day without anything to say later")
		assert.Equal(t, [][]sql.Value{{int64(101), "", int64(3306), int64(100), ""}}, m.do("SHOW SLAVE HOSTS").Rows)
		m.do("DELETE FROM test.t WHERE id = 1", "FLUSH LOGS", "INSERT INTO test.t (s) VALUES ('next file')")
		synctest.Wait()
		assert.Equal(t, m.Script(), s.Script())
		assert.Equal(t, "mysql-0-bin.000002", s.status()["Relay_Master_Log_File"])
		assert.Empty(t, m.log.String()+s.log.String())
		assert.NoError(t, s.end())
		assert.NoError(t, m.end())
	})
}

func TestASlaveBeginsAtThePlaceThatItWasTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, first := nodePair(t)
		m.do("INSERT INTO test.t (s) VALUES ('before')")
		at := sqltest.Row(m.do("SHOW MASTER STATUS"))
		m.do("INSERT INTO test.t (s) VALUES ('after')")
		s := first.world.start("mysql-2", folder.NewMemory(), "server-id=102")
		s.do(nodeTable...)
		s.do(fmt.Sprintf("%s, MASTER_LOG_FILE='%v', MASTER_LOG_POS=%v", nodeChange, at["File"], at["Position"]), "START SLAVE")
		synctest.Wait()
		assert.Equal(t, "after", s.value("SELECT s FROM test.t"))
		for _, n := range []*node{m, first, s} {
			n.kill()
		}
	})
}

// Whoever asks while the write is under way is answered when it is done.
func TestASlaveWritesAMessageAtOnceAndTellsNobodyBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newNodeWorld(t)
		m := w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
		m.do(nodeTable...)
		for range 20 {
			m.do("INSERT INTO test.t (s) VALUES ('a')")
		}
		disk := &nodeWatched{Folder: folder.NewMemory(), writing: func(string) {}}
		s := w.start("mysql-1", disk, "server-id=101")
		s.do(nodeChange)
		happened := make(chan string, 9)
		disk.writing = func(name string) {
			go func() {
				s.status()
				happened <- "answered"
			}()
			for range 10_000 {
				runtime.Gosched()
			}
			happened <- fmt.Sprintf("%s written, readable: %v", name, s.IsReadable())
		}
		s.do("START SLAVE")
		synctest.Wait()
		close(happened)
		var order []string
		for one := range happened {
			order = append(order, one)
		}
		assert.Equal(t, []string{"ib_logfile0 written, readable: false", "answered"}, order, "22 events, one write")
		assert.Equal(t, m.Script(), s.Script())
		m.kill()
		s.kill()
	})
}

// The slave is killed after each byte that it writes, and each time its next
// start finishes the story.
func TestASlaveThatIsKilledAtAnyByteHasEachRowOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newNodeWorld(t)
		m := w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
		m.do(nodeTable...)
		for i := range 5 {
			m.do(fmt.Sprintf("INSERT INTO test.t (s) VALUES ('%d')", i), "UPDATE test.t SET s = 'up' WHERE id = 1")
		}
		for kill := 0; ; kill++ {
			data := folder.NewMemory()
			torn := &nodeTorn{Folder: data, left: kill}
			if s, err := w.tryStart("mysql-1", torn, "server-id=101"); err == nil {
				if c, err := s.tryClient(); err == nil {
					_, err = c.Query(nodeChange)
					if err == nil {
						_, _ = c.Query("START SLAVE")
					}
					synctest.Wait()
				}
				s.kill()
			}
			s := w.start("mysql-1", data, "server-id=101")
			if s.status() == nil { // killed before it knew its master
				s.do(nodeChange, "START SLAVE")
			}
			synctest.Wait()
			require.Equal(t, m.Script(), s.Script(), "killed at byte %d", kill)
			require.Equal(t, "", s.status()["Last_Error"], "killed at byte %d", kill)
			s.kill()
			if torn.left > 0 {
				break
			}
		}
		m.kill()
	})
}

// The master is killed after each byte that it writes; the slave is connected
// all the time, and must never have what the master does not.
func TestAMasterThatIsKilledAtAnyByteHasWhatItsSlavesHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := []string{"server-id=100", "log-bin"}
		story := nodeStory[:len(nodeStory)-1] // not the one that knows when it is
		states := nodeStates(t, story, options...)
		for kill := 0; ; kill++ {
			w, data := newNodeWorld(t), folder.NewMemory()
			s := w.start("mysql-1", folder.NewMemory(), "server-id=101")
			s.do(nodeChange, "START SLAVE")
			torn := &nodeTorn{Folder: data, left: kill}
			acknowledged := 0
			if m, err := w.tryStart("mysql-0", torn, options...); err == nil {
				time.Sleep(10 * time.Second)
				acknowledged = nodeTell(m, story)
				synctest.Wait()
				m.kill()
			}
			m := w.start("mysql-0", data, options...)
			require.Contains(t, states[acknowledged:min(acknowledged+2, len(states))], m.Script(), "killed at byte %d", kill)
			m.do("CREATE DATABASE more")
			time.Sleep(10 * time.Second)
			synctest.Wait()
			require.Equal(t, m.Script(), s.Script(), "killed at byte %d, and again connected", kill)
			s.kill()
			m.kill()
			if torn.left > 0 {
				break
			}
		}
	})
}

// nodeUnfinished returns a data directory whose last statement is in the binlog,
// and of which the redo log has a part. In the binlog there is more that is torn.
func nodeUnfinished(t *testing.T, story []string, options ...string) *folder.Memory {
	data := folder.NewMemory()
	n := newNodeWorld(t).start("mysql-0", data, options...)
	n.do(story[:len(story)-1]...)
	end := n.RedoSize()
	n.do(story[len(story)-1])
	n.kill()
	nodeWrite(t, data, mysqlcluster.RedoName, nodeRead(t, data, mysqlcluster.RedoName)[:end+5])
	const last = "mysql-0-bin.000001"
	nodeWrite(t, data, last, append(nodeRead(t, data, last), "half"...))
	return data
}

// Each operation on a master's disk fails once, the first, the second, and so on,
// in its start, in what clients ask for, and while it sends its binlog.
func TestADiskThatFailsOnceCostsAConnectionAndNoRow(t *testing.T) {
	options := []string{"server-id=100", "log-bin"}
	before := []string{"CREATE DATABASE test", "CREATE TABLE test.t (id INT PRIMARY KEY)", "INSERT INTO test.t VALUES (1)"}
	for name, story := range map[string][]string{
		"in FLUSH LOGS":   {"INSERT INTO test.t VALUES (2)", "FLUSH LOGS", "INSERT INTO test.t VALUES (3)"},
		"in RESET MASTER": {"INSERT INTO test.t VALUES (2)", "RESET MASTER", "CREATE DATABASE more"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				states := nodeStates(t, append(slices.Clip(before), story...), options...)[len(before):]
				for fault := 0; ; fault++ {
					w, data := newNodeWorld(t), nodeUnfinished(t, before, options...)
					s := w.start("mysql-1", folder.NewMemory(), "server-id=101")
					s.do(nodeChange, "START SLAVE")
					faulty := &nodeFaulty{Folder: data, left: fault}
					acknowledged := 0
					m, err := w.tryStart("mysql-0", faulty, options...)
					if err == nil {
						time.Sleep(10 * time.Second)
						acknowledged = nodeTell(m, story)
						synctest.Wait()
						m.kill()
					} else {
						require.ErrorIs(t, err, errFaulty, "operation %d", fault)
					}
					require.Zero(t, faulty.isOpen(), "operation %d: files that stay open", fault)
					m = w.start("mysql-0", data, options...)
					require.Contains(t, states[acknowledged:min(acknowledged+2, len(states))], m.Script(), "operation %d", fault)
					m.do("CREATE DATABASE afterwards")
					time.Sleep(20 * time.Second)
					if story[1] != "RESET MASTER" || acknowledged == 0 {
						require.Equal(t, m.Script(), s.Script(), "operation %d: %v", fault, s.status())
					}
					late := w.start("mysql-2", folder.NewMemory(), "server-id=102")
					late.do(nodeChange, "START SLAVE")
					synctest.Wait()
					require.Equal(t, "Slave_IO_Running=Yes Last_Errno=0 ", nodeFacts(late.status(), "Slave_IO_Running", "Last_Errno"), "operation %d: the binlog has no hole", fault)
					for _, n := range []*node{m, s, late} {
						n.kill()
					}
					if faulty.left >= 0 {
						break
					}
				}
			})
		})
	}
}

func TestAServerThatIsKilledInResetMasterBeginsAtOneOfTheTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := []string{"server-id=100", "log-bin"}
		story := []string{"CREATE DATABASE a", "FLUSH LOGS", "CREATE DATABASE b", "RESET MASTER", "CREATE DATABASE c"}
		states := nodeStates(t, story, options...)
		nodeKillEverywhere(t, story, options, func(kill, acknowledged int, data *folder.Memory) {
			w := newNodeWorld(t)
			n := w.start("mysql-0", data, options...)
			require.Contains(t, states[acknowledged:min(acknowledged+2, len(states))], n.Script(), "killed at byte %d", kill)
			s := w.start("mysql-1", folder.NewMemory(), "server-id=101")
			s.do("CHANGE MASTER TO MASTER_HOST='mysql-0', MASTER_USER='root'", "START SLAVE")
			synctest.Wait()
			require.Equal(t, "", s.status()["Last_Error"], "killed at byte %d: the binlog has no hole", kill)
			n.kill()
			s.kill()
		})
	})
}

func TestASlaveComesBackToAMasterThatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, m, s := nodePair(t)
		synctest.Wait()
		m.kill()
		synctest.Wait()
		assert.Equal(t, "Slave_IO_State=Waiting to reconnect after a failed master event read Slave_IO_Running=Connecting Slave_SQL_Running=Yes Seconds_Behind_Master=<nil> "+
			"Last_IO_Errno=2003 Last_IO_Error=error reconnecting to master 'root@mysql-0:3306' - retry-time: 10  retries: 1 ",
			nodeFacts(s.status(), "Slave_IO_State", "Slave_IO_Running", "Slave_SQL_Running", "Seconds_Behind_Master", "Last_IO_Errno", "Last_IO_Error"))
		time.Sleep(25 * time.Second)
		assert.Contains(t, s.status()["Last_IO_Error"], "retries: 3")
		m = w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
		time.Sleep(4 * time.Second)
		assert.Equal(t, "Connecting", s.status()["Slave_IO_Running"])
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, "No", s.status()["Slave_IO_Running"], "a master without its disk is another one")
		assert.Equal(t, int64(1236), s.status()["Last_IO_Errno"])
		m.kill()
		s.kill()
	})
}

func TestASlaveWhoseMasterIsNotThereYetTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newNodeWorld(t)
		s := w.start("mysql-1", folder.NewMemory(), "server-id=101")
		s.do("CHANGE MASTER TO MASTER_HOST='mysql-0', MASTER_USER='root'", "START SLAVE")
		synctest.Wait()
		assert.Equal(t, "Slave_IO_State=Connecting to master Slave_IO_Running=Connecting Last_IO_Errno=2005 Last_IO_Error=error connecting to master 'root@mysql-0:3306' - retry-time: 60  retries: 1 ",
			nodeFacts(s.status(), "Slave_IO_State", "Slave_IO_Running", "Last_IO_Errno", "Last_IO_Error"))
		assert.Equal(t, "2000-01-01T00:00:00.000000Z 0 [ERROR] Slave I/O for channel '': error connecting to master 'root@mysql-0:3306' - retry-time: 60  retries: 1, Error_code: 2005\n", s.log.String())
		m := w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
		m.do("CREATE DATABASE test")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, m.Script(), s.Script())
		assert.Equal(t, "Slave_IO_Running=Yes Last_IO_Errno=0 Last_IO_Error= ", nodeFacts(s.status(), "Slave_IO_Running", "Last_IO_Errno", "Last_IO_Error"))
		m.kill()
		s.kill()
	})
}

// A master whose cable is out says nothing, and its connections stay.
func TestASlaveThatHearsNothingForAMinuteConnectsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, m, s := nodePair(t)
		synctest.Wait()
		w.cut(true)
		time.Sleep(time.Second)
		m.do("INSERT INTO test.t (s) VALUES ('unheard')")
		time.Sleep(58 * time.Second)
		assert.Equal(t, "Yes", s.status()["Slave_IO_Running"])
		w.cut(false)
		assert.NotEqual(t, m.Script(), s.Script())
		time.Sleep(1001 * time.Millisecond)
		synctest.Wait()
		assert.Equal(t, m.Script(), s.Script())
		m.kill()
		s.kill()
	})
}

func TestASlaveIsToldWhatItCannotHave(t *testing.T) {
	cases := []struct {
		name, from, options string
		errno               int64
		said                string
	}{
		{"another file", "MASTER_LOG_FILE='mysql-0-bin.000009', MASTER_LOG_POS=4", "log-bin", 1236,
			"Got fatal error 1236 from master when reading data from binary log: 'Could not find first log file name in binary log index file'"},
		{"behind the end", "MASTER_LOG_FILE='mysql-0-bin.000001', MASTER_LOG_POS=4000", "log-bin", 1236,
			"Got fatal error 1236 from master when reading data from binary log: 'Client requested master to start replication from position > file size'"},
		{"before the beginning", "MASTER_LOG_FILE='mysql-0-bin.000001', MASTER_LOG_POS=3", "log-bin", 1236,
			"Got fatal error 1236 from master when reading data from binary log: 'Client requested master to start replication from position < 4'"},
		{"in the middle of an event", "MASTER_LOG_FILE='mysql-0-bin.000001', MASTER_LOG_POS=11", "log-bin", 1236,
			"Got fatal error 1236 from master when reading data from binary log: 'bogus data in log event; the first event 'mysql-0-bin.000001' at 11, the last event read from 'mysql-0-bin.000001' at 11, the last byte read from 'mysql-0-bin.000001' at 11.'"},
		{"no binlog", "MASTER_LOG_POS=4", "port=3306", 1236,
			"Got fatal error 1236 from master when reading data from binary log: 'Binary log is not open'"},
		{"the same number", "MASTER_LOG_POS=4", "server-id=101", 1593,
			"Fatal error: The slave I/O thread stops because master and slave have equal MySQL server ids; these ids must be different for replication to work (or the --replicate-same-server-id option must be used on slave but this does not always make sense; please check the manual before using it)."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newNodeWorld(t)
				m := w.start("mysql-0", folder.NewMemory(), "server-id=100", c.options)
				m.do(nodeTable...)
				s := w.start("mysql-1", folder.NewMemory(), "server-id=101")
				s.do(nodeChange+", "+c.from, "START SLAVE")
				time.Sleep(time.Hour)
				status := s.status()
				assert.Equal(t, "No", status["Slave_IO_Running"])
				assert.Equal(t, "Yes", status["Slave_SQL_Running"])
				assert.Equal(t, c.errno, status["Last_IO_Errno"])
				assert.Equal(t, c.said, status["Last_IO_Error"])
				assert.Equal(t, "000101 00:00:00", status["Last_IO_Error_Timestamp"])
				assert.Contains(t, s.log.String(), fmt.Sprintf("[ERROR] Slave I/O for channel '': %s, Error_code: %d\n", c.said, c.errno))
				m.kill()
				s.kill()
			})
		})
	}
}

func TestASlaveIsToldThatTheBinlogBeganAnew(t *testing.T) {
	for _, more := range []int{0, 10} {
		t.Run(fmt.Sprint(more, " events later"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, m, s := nodePair(t)
				synctest.Wait()
				c := m.client()
				_, err := c.Query("RESET MASTER")
				require.NoError(t, err)
				for range more {
					_, err := c.Query("INSERT INTO test.t (s) VALUES ('not for this slave')")
					require.NoError(t, err)
				}
				synctest.Wait()
				assert.Equal(t, "Slave_IO_Running=No Last_IO_Errno=1236 ", nodeFacts(s.status(), "Slave_IO_Running", "Last_IO_Errno"))
				m.kill()
				s.kill()
			})
		})
	}
}

func TestASlaveThatIsNoCopyStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newNodeWorld(t)
		m := w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
		s := w.start("mysql-1", folder.NewMemory(), "server-id=101")
		m.do(nodeTable...)
		s.do(nodeChange, "START SLAVE")
		synctest.Wait()
		s.do("INSERT INTO test.t VALUES (1, 'mine')")
		m.do("INSERT INTO test.t VALUES (1, 'theirs')", "INSERT INTO test.t VALUES (2, 'later')")
		synctest.Wait()
		const facts = "Slave_IO_Running=Yes Slave_SQL_Running=No Last_Errno=1062 Last_SQL_Errno=1062 " +
			"Last_SQL_Error=Error 'Duplicate entry '1' for key 'PRIMARY'' on query. Default database: ''. Query: 'INSERT INTO test.t VALUES (1, 'theirs')' "
		names := []string{"Slave_IO_Running", "Slave_SQL_Running", "Last_Errno", "Last_SQL_Errno", "Last_SQL_Error"}
		assert.Equal(t, "000101 00:00:00", s.status()["Last_SQL_Error_Timestamp"])
		assert.Equal(t, facts, nodeFacts(s.status(), names...))
		assert.Greater(t, s.status()["Read_Master_Log_Pos"], s.status()["Exec_Master_Log_Pos"], "it goes on reading")
		assert.Equal(t, int64(1), s.value("SELECT COUNT(*) FROM test.t"))
		s.do("START SLAVE")
		synctest.Wait()
		assert.Equal(t, facts, nodeFacts(s.status(), names...), "trying again does not help")
		assert.Contains(t, s.log.String(), "[ERROR] Slave SQL: Error 'Duplicate entry '1' for key 'PRIMARY'' on query. ")
		assert.Contains(t, s.log.String(), ", Error_code: 1062\n")
		s.do("DELETE FROM test.t WHERE id = 1", "START SLAVE SQL_THREAD")
		synctest.Wait()
		assert.Equal(t, m.Script(), s.Script())
		assert.Equal(t, "Last_Errno=0 Last_Error= Last_SQL_Error_Timestamp= ", nodeFacts(s.status(), "Last_Errno", "Last_Error", "Last_SQL_Error_Timestamp"), "it is over")
		m.kill()
		s.kill()
	})
}

func TestNobodyWritesWhereSuperReadOnlyIsButTheReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, s := nodePair(t)
		synctest.Wait()
		const refusal = "ERROR 1290 (HY000): The MySQL server is running with the --super-read-only option so it cannot execute this statement"
		assert.Equal(t, refusal, s.refused("INSERT INTO test.t (s) VALUES ('mine')"))
		assert.Equal(t, refusal, s.refused("DROP DATABASE test"))
		m.do("INSERT INTO test.t (s) VALUES ('theirs')")
		synctest.Wait()
		assert.Equal(t, "theirs", s.value("SELECT s FROM test.t"))
		assert.Equal(t, int64(1), s.value("SELECT @@read_only"))
		s.do("SET GLOBAL super_read_only = OFF", "INSERT INTO test.t (s) VALUES ('mine')")
		assert.Equal(t, int64(1), s.value("SELECT @@read_only"), "root passes this one")
		s.do("SET GLOBAL read_only = 0", "SET GLOBAL super_read_only = 1")
		assert.Equal(t, int64(1), s.value("SELECT @@global.read_only"), "the one brings the other")
		s.do("SET GLOBAL read_only = 0")
		assert.Equal(t, int64(0), s.value("SELECT @@super_read_only"), "and they leave together")
		m.kill()
		s.kill()
	})
}

func TestASlaveKnowsItsMasterUntilItIsToldToForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newNodeWorld(t)
		m := w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
		m.do(nodeTable...)
		data := folder.NewMemory()
		s := w.start("mysql-1", data, "server-id=101")
		assert.Nil(t, s.status())
		assert.Equal(t, "ERROR 1200 (HY000): The server is not configured as slave; fix in config file or with CHANGE MASTER TO", s.refused("START SLAVE"))
		s.do(nodeChange, "START SLAVE")
		synctest.Wait()
		assert.Equal(t, "ERROR 3021 (HY000): This operation cannot be performed with a running slave io thread; run STOP SLAVE IO_THREAD FOR CHANNEL '' first.", s.refused(nodeChange))
		assert.Equal(t, "ERROR 3081 (HY000): This operation cannot be performed with running replication threads; run STOP SLAVE FOR CHANNEL '' first", s.refused("RESET SLAVE"))
		s.do("STOP SLAVE", "STOP SLAVE")
		m.do("CREATE DATABASE unseen")
		synctest.Wait()
		before := s.status()
		assert.Equal(t, "Slave_IO_Running=No Slave_SQL_Running=No Slave_IO_State= ", nodeFacts(before, "Slave_IO_Running", "Slave_SQL_Running", "Slave_IO_State"))
		s.kill()
		s = w.start("mysql-1", data, "server-id=101", "skip-slave-start")
		assert.Equal(t, before["Exec_Master_Log_Pos"], s.status()["Exec_Master_Log_Pos"])
		assert.Equal(t, "No", s.status()["Slave_IO_Running"])
		assert.Equal(t, nodeFacts(before, "Master_Log_File", "Read_Master_Log_Pos"), nodeFacts(s.status(), "Master_Log_File", "Read_Master_Log_Pos"))
		s.do("START SLAVE IO_THREAD")
		synctest.Wait()
		assert.Equal(t, before["Exec_Master_Log_Pos"], s.status()["Exec_Master_Log_Pos"])
		assert.Greater(t, s.status()["Read_Master_Log_Pos"], before["Exec_Master_Log_Pos"], "one reads, and the other does nothing")
		s.kill()
		s = w.start("mysql-1", data, "server-id=101")
		synctest.Wait()
		assert.Equal(t, m.Script(), s.Script(), "it goes on by itself where it was")
		s.do("STOP SLAVE", "RESET SLAVE")
		assert.Equal(t, "Master_Host=mysql-0 Relay_Master_Log_File= Exec_Master_Log_Pos=4 ", nodeFacts(s.status(), "Master_Host", "Relay_Master_Log_File", "Exec_Master_Log_Pos"))
		s.do("RESET SLAVE ALL")
		assert.Nil(t, s.status())
		s.kill()
		s = w.start("mysql-1", data, "server-id=101")
		assert.Nil(t, s.status())
		s.kill()
		m.kill()
	})
}

// What stands in a column that this replica has nothing for is what a MySQL shows
// that does not use it.
func TestSlaveStatusShowsAllColumns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, s := nodePair(t)
		synctest.Wait()
		result := s.do("SHOW SLAVE STATUS")
		var all string
		for i, name := range result.Columns {
			if value := result.Rows[0][i]; value != "" {
				all += fmt.Sprintf("%s=%v\n", name, value)
			}
		}
		end := sqltest.Row(m.do("SHOW MASTER STATUS"))["Position"]
		assert.Equal(t, fmt.Sprintf(`Slave_IO_State=Waiting for master to send event
Master_Host=mysql-0
Master_User=root
Master_Port=3306
Connect_Retry=10
Master_Log_File=mysql-0-bin.000001
Read_Master_Log_Pos=%[1]v
Relay_Log_File=mysql-1-relay-bin.000001
Relay_Log_Pos=4
Relay_Master_Log_File=mysql-0-bin.000001
Slave_IO_Running=Yes
Slave_SQL_Running=Yes
Last_Errno=0
Skip_Counter=0
Exec_Master_Log_Pos=%[1]v
Relay_Log_Space=0
Until_Condition=None
Until_Log_Pos=0
Master_SSL_Allowed=No
Seconds_Behind_Master=0
Master_SSL_Verify_Server_Cert=No
Last_IO_Errno=0
Last_SQL_Errno=0
Master_Server_Id=100
Master_Info_File=/var/lib/mysql/master.info
SQL_Delay=0
SQL_Remaining_Delay=<nil>
Slave_SQL_Running_State=Slave has read all relay log; waiting for more updates
Master_Retry_Count=86400
Auto_Position=0
`, end), all)
		release := s.Hold()
		m.do("INSERT INTO test.t (s) VALUES ('later')")
		synctest.Wait()
		assert.Equal(t, "Reading event from the relay log", s.status()["Slave_SQL_Running_State"])
		release()
		m.kill()
		s.kill()
	})
}

func TestOnlyAServerWithANumberIsASlave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newNodeWorld(t)
		nobody := w.start("mysql-8", folder.NewMemory())
		one := w.start("mysql-9", folder.NewMemory(), "server-id=1")
		for _, sql := range []string{nodeChange, "START SLAVE", "STOP SLAVE", "RESET SLAVE"} {
			assert.Equal(t, "ERROR 1794 (HY000): Slave is not configured or failed to initialize properly. You must at least set --server-id to enable either a master or a slave. "+
				"Additional error messages can be found in the MySQL error log.", nobody.refused(sql), sql)
			one.do(sql)
		}
		nobody.kill()
		one.kill()
	})
}

func TestTheTwoThreadsOfASlaveAreSwitchedOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, s := nodePair(t)
		synctest.Wait()
		const (
			io  = "ERROR 3021 (HY000): This operation cannot be performed with a running slave io thread; run STOP SLAVE IO_THREAD FOR CHANNEL '' first."
			any = "ERROR 3081 (HY000): This operation cannot be performed with running replication threads; run STOP SLAVE FOR CHANNEL '' first"
		)
		running := func() string {
			return nodeFacts(s.status(), "Slave_IO_Running", "Slave_SQL_Running", "Seconds_Behind_Master")
		}
		s.do("STOP SLAVE SQL_THREAD")
		synctest.Wait()
		assert.Equal(t, "Slave_IO_Running=Yes Slave_SQL_Running=No Seconds_Behind_Master=<nil> ", running())
		threads := s.do("SHOW PROCESSLIST").Rows
		assert.Equal(t, []sql.Value{int64(0), "system user", "", nil, "Connect", int64(0), "Waiting for master to send event", nil}, threads[0])
		assert.Equal(t, "root", threads[1][1], "one of the two is gone")
		assert.Equal(t, io, s.refused(nodeChange))
		assert.Equal(t, any, s.refused("RESET SLAVE"))
		s.do("START SLAVE SQL_THREAD", "STOP SLAVE IO_THREAD, SQL_THREAD", "START SLAVE SQL_THREAD, IO_THREAD", "STOP SLAVE IO_THREAD")
		synctest.Wait()
		assert.Equal(t, "Slave_IO_Running=No Slave_SQL_Running=Yes Seconds_Behind_Master=<nil> ", running())
		assert.Equal(t, any, s.refused(nodeChange))
		assert.Equal(t, any, s.refused("RESET SLAVE"))
		s.do("START SLAVE")
		synctest.Wait()
		assert.Equal(t, "Slave_IO_Running=Yes Slave_SQL_Running=Yes Seconds_Behind_Master=0 ", running())
		connection := m.do("SHOW PROCESSLIST").Rows[0][0]
		s.do("START SLAVE", "START SLAVE IO_THREAD", "START SLAVE SQL_THREAD")
		synctest.Wait()
		assert.Equal(t, connection, m.do("SHOW PROCESSLIST").Rows[0][0], "what runs goes on")
		m.kill()
		s.kill()
	})
}

func TestWhatChangeMasterDoesNotNameStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), folder.NewMemory()
		s := w.start("mysql-1", data, "server-id=101", "skip-slave-start")
		for _, step := range []struct{ change, want string }{
			{"MASTER_HOST='a'", "a  3306 60  4"},
			{"MASTER_USER='u', MASTER_CONNECT_RETRY=7, MASTER_LOG_FILE='f.000003', MASTER_LOG_POS=77", "a u 3306 7 f.000003 77"},
			{"MASTER_CONNECT_RETRY=8, MASTER_AUTO_POSITION=0", "a u 3306 8 f.000003 77"},
			{"MASTER_PORT=3307", "a u 3307 8  4"},
			{"MASTER_LOG_FILE='f.000005'", "a u 3307 8 f.000005 4"},
			{"MASTER_LOG_POS=55, MASTER_PORT=3308", "a u 3308 8  55"},
			{"MASTER_HOST='b', MASTER_LOG_FILE='f.000001'", "b u 3308 8 f.000001 4"},
		} {
			s.do("CHANGE MASTER TO " + step.change)
			said := func() string {
				status := s.status()
				return fmt.Sprint(status["Master_Host"], " ", status["Master_User"], " ", status["Master_Port"], " ",
					status["Connect_Retry"], " ", status["Relay_Master_Log_File"], " ", status["Exec_Master_Log_Pos"])
			}
			assert.Equal(t, step.want, said(), step.change)
			s.kill()
			s = w.start("mysql-1", data, "server-id=101", "skip-slave-start")
			assert.Equal(t, step.want, said(), "after a start")
		}
		assert.Equal(t, "ERROR 1777 (HY000): CHANGE MASTER TO MASTER_AUTO_POSITION = 1 cannot be executed because @@GLOBAL.GTID_MODE = OFF.",
			s.refused("CHANGE MASTER TO MASTER_HOST='c', MASTER_AUTO_POSITION=1"))
		assert.Equal(t, "b", s.status()["Master_Host"], "and nothing was changed")
		s.kill()
	})
}

func TestAMasterThatCannotBeWrittenDownIsNotChosen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := &exFolder{Folder: folder.NewMemory(), before: func(what string) error {
			if what == "write master.info.new" {
				return errFaulty
			}
			return nil
		}}
		s := newNodeWorld(t).start("mysql-1", folder, "server-id=101")
		s.refused(nodeChange)
		assert.ErrorIs(t, s.end(), errFaulty)
	})
}

// However many tell a slave to start and to stop at once, it has one connection
// or none.
func TestASlaveFollowsItsMasterOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, s := nodePair(t)
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				for range 40 {
					s.do([]string{"START SLAVE", "STOP SLAVE IO_THREAD", "START SLAVE SQL_THREAD", "STOP SLAVE SQL_THREAD"}[i%4])
				}
			})
		}
		for range 20 {
			m.do("INSERT INTO test.t (s) VALUES ('row')")
		}
		all.Wait()
		s.do("START SLAVE")
		synctest.Wait()
		dumps := slices.DeleteFunc(m.do("SHOW PROCESSLIST").Rows, func(row []sql.Value) bool { return row[4] != "Binlog Dump" })
		assert.Len(t, dumps, 1)
		assert.Equal(t, m.Script(), s.Script())
		m.kill()
		s.kill()
	})
}

// A nodeLiar is a master that sends what no master sends.
type nodeLiar struct {
	*sqltest.Server
	says string
}

// Dump implements mysqlcluster.Dumper.
func (l nodeLiar) Dump(_ context.Context, _ *wire.Session, _ wire.Position, send func([]byte) error) error {
	return send([]byte(l.says))
}

func TestNothingThatAMasterSendsEndsASlave(t *testing.T) {
	for name, says := range map[string]string{
		"nothing":                     "",
		"no position":                 "E",
		"a position, and no event":    "E\x08",
		"half of an event":            "E\x08\x02\x05te",
		"an event of many answers":    "E\x08\x02\x00\x00\xff\xff\xff\xff\x0f",
		"half of a file's name":       "F\x14mysql",
		"a file, and more behind it":  "F\x01a\x08more",
		"what a later one might send": "X",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newNodeWorld(t)
				s := w.start("mysql-1", folder.NewMemory(), "server-id=101")
				l := &nodeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
				w.at["mysql-0"] = l
				go func() {
					for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
						_ = wire.ServeConn(t.Context(), conn, sqltest.Session(1, ""), nodeLiar{sqltest.NewServer(), says})
						time.Sleep(time.Second)
					}
				}()
				s.do(nodeChange, "START SLAVE")
				time.Sleep(time.Minute)
				assert.Equal(t, "Slave_SQL_Running=Yes Exec_Master_Log_Pos=4 Relay_Master_Log_File= ", nodeFacts(s.status(), "Slave_SQL_Running", "Exec_Master_Log_Pos", "Relay_Master_Log_File"))
				s.kill()
				l.Close()
				time.Sleep(time.Second)
			})
		})
	}
}

// What a slave's log says of a master counts until another master, or another
// place, is chosen; and whatever is written here meanwhile says nothing of it.
func TestAPlaceOfBeforeTheMasterWasChosenDoesNotCount(t *testing.T) {
	for _, local := range []string{"SELECT 1", "CREATE DATABASE mine"} {
		t.Run(local, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newNodeWorld(t)
				m := w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
				data := folder.NewMemory()
				s := w.start("mysql-1", data, "server-id=101")
				m.do(nodeTable...)
				at := sqltest.Row(m.do("SHOW MASTER STATUS"))
				s.do(nodeChange, "START SLAVE")
				m.do("INSERT INTO test.t (s) VALUES ('a')", "INSERT INTO test.t (s) VALUES ('b')")
				synctest.Wait()
				require.Equal(t, m.Script(), s.Script())
				s.do("STOP SLAVE", fmt.Sprintf("CHANGE MASTER TO MASTER_LOG_FILE='%v', MASTER_LOG_POS=%v", at["File"], at["Position"]), local)
				s.kill()
				s = w.start("mysql-1", data, "server-id=101", "skip-slave-start")
				assert.Equal(t, at["Position"], s.status()["Exec_Master_Log_Pos"])
				s.do("TRUNCATE TABLE test.t", "START SLAVE")
				synctest.Wait()
				assert.Equal(t, "", s.status()["Last_Error"])
				assert.Equal(t, int64(2), s.value("SELECT COUNT(*) FROM test.t"), "both are executed once more")
				s.kill()
				m.kill()
			})
		})
	}
}

func TestALockHoldsWritersUntilItsConnectionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, s := nodePair(t)
		synctest.Wait()
		holder := s.client()
		_, err := holder.Query("FLUSH TABLES WITH READ LOCK")
		require.NoError(t, err)
		m.do("INSERT INTO test.t (s) VALUES ('held back')")
		time.Sleep(7 * time.Second)
		assert.Equal(t, "Slave_SQL_Running_State=Waiting for global read lock Seconds_Behind_Master=7 ", nodeFacts(s.status(), "Slave_SQL_Running_State", "Seconds_Behind_Master"))
		assert.Equal(t, int64(0), s.value("SELECT COUNT(*) FROM test.t"))
		s.do("SET GLOBAL super_read_only = 0")
		_, err = holder.Query("INSERT INTO test.t (s) VALUES ('mine')")
		assert.EqualError(t, err, "ERROR 1223 (HY000): Can't execute the query because you have a conflicting read lock")
		holder.Close()
		synctest.Wait()
		assert.Equal(t, int64(1), s.value("SELECT COUNT(*) FROM test.t"))
		s.do("FLUSH TABLES WITH READ LOCK", "UNLOCK TABLES", "INSERT INTO test.t (s) VALUES ('mine')")
		m.kill()
		s.kill()
	})
}
