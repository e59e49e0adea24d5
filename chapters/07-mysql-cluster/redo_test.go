package mysqlcluster_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// nodeStory is what a client does in the tests that kill the server meanwhile.
var nodeStory = []string{
	"CREATE DATABASE test",
	"CREATE TABLE test.t (id INT AUTO_INCREMENT PRIMARY KEY, s VARCHAR(200))",
	"INSERT INTO test.t (s) VALUES ('one')",
	"INSERT INTO test.t (s) VALUES ('two'), (@@hostname)",
	"UPDATE test.t SET s = 'changed' WHERE id = 1",
	"DELETE FROM test.t WHERE id = 2",
	"INSERT INTO test.t (s) VALUES (NOW())",
}

// nodeStates are the tables after each statement of a story, and before the
// first.
func nodeStates(t testing.TB, story []string, options ...string) []string {
	n := newNodeWorld(t).start("mysql-0", folder.NewMemory(), options...)
	states := []string{n.Script()}
	for _, sql := range story {
		n.do(sql)
		states = append(states, n.Script())
	}
	require.NoError(t, n.end())
	return states
}

// nodeTell tells a story until the server is gone, and returns how much of it
// was acknowledged.
func nodeTell(n *node, story []string) int {
	c, err := n.tryClient()
	if err != nil {
		return 0
	}
	defer c.Close()
	for i, sql := range story {
		if _, err := c.Query(sql); err != nil {
			return i
		}
	}
	return len(story)
}

// nodeCopy copies a folder's files.
func nodeCopy(t testing.TB, from folder.Folder) *folder.Memory {
	to := folder.NewMemory()
	files, err := from.ReadDir(".")
	require.NoError(t, err)
	for _, file := range files {
		nodeWrite(t, to, file.Name(), nodeRead(t, from, file.Name()))
	}
	return to
}

func nodeRead(t testing.TB, folder folder.Folder, name string) []byte {
	t.Helper()
	file, err := folder.Open(name, os.O_RDONLY)
	require.NoError(t, err)
	defer file.Close()
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	return content
}

func nodeWrite(t testing.TB, folder folder.Folder, name string, content []byte) {
	file, err := folder.Open(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	require.NoError(t, err)
	_, err = file.Write(content)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func TestALogThatIsCutAnywhereGivesWhatWasWholeInIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), folder.NewMemory()
		n := w.start("mysql-0", data)
		ends, states := []int64{0}, []string{n.Script()}
		for _, sql := range nodeStory {
			n.do(sql)
			ends, states = append(ends, n.RedoSize()), append(states, n.Script())
		}
		n.kill()
		log := nodeRead(t, data, mysqlcluster.RedoName)
		whole := 0
		for cut := range len(log) + 1 {
			if whole+1 < len(ends) && int64(cut) == ends[whole+1] {
				whole++
			}
			torn := folder.NewMemory()
			nodeWrite(t, torn, mysqlcluster.RedoName, log[:cut])
			n := w.start("mysql-0", torn)
			require.Equal(t, states[whole], n.Script(), "cut at byte %d", cut)
			require.Equal(t, ends[whole], n.RedoSize(), "what is torn at byte %d is cut off", cut)
			said := ""
			if int64(cut) > ends[whole] {
				said = "2000-01-01T00:00:00.000000Z 0 [Note] InnoDB: Database was not shutdown normally!\n2000-01-01T00:00:00.000000Z 0 [Note] InnoDB: Starting crash recovery.\n"
			}
			require.Equal(t, said, n.log.String())
			n.do("CREATE DATABASE after")
			n.kill()
			n = w.start("mysql-0", torn)
			require.Contains(t, n.Script(), "after", "what is written behind the cut at byte %d", cut)
			n.kill()
		}
	})
}

func TestADiskThatFailsWithinARecordHasNoTornLog(t *testing.T) {
	record := mysqlcluster.RecordOf("body")
	_, err := mysqlcluster.ReadRecord(io.MultiReader(bytes.NewReader(record[:len(record)-2]), iotest.ErrReader(errFaulty)))
	assert.Equal(t, errFaulty, err)
}

func TestALogThatIsDamagedIsNotTakenForTorn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), folder.NewMemory()
		n := w.start("mysql-0", data)
		nodeTell(n, nodeStory)
		n.kill()
		log := nodeRead(t, data, mysqlcluster.RedoName)
		for i := range log {
			damaged := folder.NewMemory()
			changed := []byte(string(log))
			changed[i] ^= 0x40
			nodeWrite(t, damaged, mysqlcluster.RedoName, changed)
			_, err := w.tryStart("mysql-0", damaged)
			require.Error(t, err, "byte %d", i)
			require.Regexp(t, `^ib_logfile0 at byte \d+: checksum mismatch in (a record|the head of a record)$`, err.Error())
			require.Len(t, nodeRead(t, damaged, mysqlcluster.RedoName), len(log), "nothing is cut")
		}
	})
}

// A record can be whole and mean nothing: another version has written it.
func TestARecordThatMeansNothingIsNotExecuted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), folder.NewMemory()
		options := []string{"server-id=100", "log-bin"}
		n := w.start("mysql-0", data, options...)
		n.do("CREATE DATABASE test", "CREATE TABLE test.t (id INT PRIMARY KEY, s TEXT)")
		redo, binlog := n.RedoSize(), len(nodeRead(t, data, "mysql-0-bin.000001"))
		n.do("INSERT INTO test.t VALUES (@@server_id, @@hostname)")
		n.kill()
		for name, from := range map[string]int{mysqlcluster.RedoName: int(redo), "mysql-0-bin.000001": binlog} {
			log := nodeRead(t, data, name)
			read, err := mysqlcluster.ReadRecord(bytes.NewReader(log[from:]))
			require.NoError(t, err)
			body := string(read)
			wrong := []string{body + "\x00"}
			for cut := range body {
				wrong = append(wrong, body[:cut])
			}
			for _, body := range wrong {
				copied := nodeCopy(t, data)
				nodeWrite(t, copied, mysqlcluster.RedoName, nodeRead(t, data, mysqlcluster.RedoName)[:redo])
				changed := append(slices.Clip(log[:from]), mysqlcluster.RecordOf(body)...)
				nodeWrite(t, copied, name, changed)
				_, err := w.tryStart("mysql-0", copied, options...)
				require.EqualError(t, err, fmt.Sprintf("%s at byte %d: malformed record", name, from), "%q", body)
				require.Equal(t, changed, nodeRead(t, copied, name), "nothing is cut")
			}
		}
	})
}

// What was executed once and cannot be executed now is no reason to go on without
// it.
func TestAChangeThatCannotBeRepeatedEndsTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), folder.NewMemory()
		options := []string{"server-id=100", "log-bin"}
		n := w.start("mysql-0", data, options...)
		n.do("CREATE DATABASE test")
		n.kill()
		for name, from := range map[string]int{mysqlcluster.RedoName: 0, "mysql-0-bin.000001": 4} {
			copied, log := nodeCopy(t, data), nodeRead(t, data, name)
			nodeWrite(t, copied, name, append(slices.Clip(log), log[from:]...))
			_, err := w.tryStart("mysql-0", copied, options...)
			require.Error(t, err)
			require.Regexp(t, "^"+name+" at byte \\d+: repeat \"CREATE DATABASE test\": "+
				"ERROR 1007 \\(HY000\\): Can't create database 'test'; database exists$", err.Error())
		}
	})
}

func TestABinlogThatIsDamagedIsNotTakenForTorn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newNodeWorld(t)
		options := []string{"server-id=100", "log-bin"}
		data := nodeUnfinished(t, nodeStory, options...)
		const name = "mysql-0-bin.000001"
		log := nodeRead(t, data, name)
		log[len(log)-len("half")-1] ^= 0x40
		nodeWrite(t, data, name, log)
		_, err := w.tryStart("mysql-0", data, options...)
		require.Error(t, err)
		require.Regexp(t, `^mysql-0-bin.000001 at byte \d+: checksum mismatch in a record$`, err.Error())
		require.Equal(t, log, nodeRead(t, data, name), "nothing is cut")
	})
}

// What Memory allows, a disk may not: here the files are on one.
func TestTornLogsOnADiskAreCut(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer root.Close()
	synctest.Test(t, func(t *testing.T) {
		w, disk := newNodeWorld(t), folder.Disk(root, false)
		options := []string{"server-id=100", "log-bin"}
		torn := nodeUnfinished(t, nodeStory, options...)
		for _, name := range []string{mysqlcluster.RedoName, "mysql-0-bin.index", "mysql-0-bin.000001"} {
			nodeWrite(t, disk, name, nodeRead(t, torn, name))
		}
		n := w.start("mysql-0", disk, options...)
		assert.Contains(t, n.log.String(), "[Note] Recovering after a crash using mysql-0-bin.000001\n")
		n.do("INSERT INTO test.t (s) VALUES ('after')", "FLUSH LOGS", "FLUSH LOGS", "FLUSH LOGS", "RESET MASTER", "FLUSH LOGS", "INSERT INTO test.t (s) VALUES ('after that')")
		before := n.Script()
		require.NoError(t, n.end())
		n = w.start("mysql-0", disk, options...)
		assert.Equal(t, before, n.Script())
		assert.Contains(t, before, "after that")
		n.kill()
		var names []string
		files, err := disk.ReadDir(".")
		require.NoError(t, err)
		for _, file := range files {
			names = append(names, file.Name())
		}
		assert.Equal(t, []string{mysqlcluster.RedoName, "mysql-0-bin.000001", "mysql-0-bin.000002", "mysql-0-bin.000003", "mysql-0-bin.index"}, names)
	})
}

// nodeKillEverywhere runs a story over and over, each time killed one byte
// later, and has look see what is left on the disk.
func nodeKillEverywhere(t *testing.T, story []string, options []string, look func(kill, acknowledged int, data *folder.Memory)) {
	w := newNodeWorld(t)
	for kill := 0; ; kill++ {
		data := folder.NewMemory()
		torn := &nodeTorn{Folder: data, left: kill}
		n, err := w.tryStart("mysql-0", torn, options...)
		acknowledged := 0
		if err == nil {
			acknowledged = nodeTell(n, story)
			n.kill()
		}
		look(kill, acknowledged, data)
		if torn.left > 0 {
			require.Equal(t, len(story), acknowledged)
			return
		}
	}
}

func TestAServerThatIsKilledAtAnyByteHasWhatItAcknowledged(t *testing.T) {
	for _, options := range [][]string{{"server-id=100"}, {"server-id=100", "log-bin"}} {
		t.Run(strings.Join(options, " "), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				states := nodeStates(t, nodeStory, options...)
				nodeKillEverywhere(t, nodeStory, options, func(kill, acknowledged int, data *folder.Memory) {
					n := newNodeWorld(t).start("mysql-0", data, options...)
					defer n.kill()
					after := states[acknowledged:min(acknowledged+2, len(states))]
					require.Contains(t, after, n.Script(),
						"killed at byte %d, after %d statements: they are all there, and perhaps the next", kill, acknowledged)
				})
			})
		})
	}
}

func TestALogDoesNotGrowForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), folder.NewMemory()
		n := w.start("mysql-0", data, "server-id=100", "log-bin")
		n.do("CREATE DATABASE test", "CREATE TABLE test.t (id INT PRIMARY KEY, n INT)", "INSERT INTO test.t VALUES (1, 0)")
		c := n.client()
		for i := range 5000 {
			_, err := c.Query(fmt.Sprintf("UPDATE test.t SET n = %d", i))
			require.NoError(t, err)
			require.Less(t, n.RedoSize(), int64(1<<17))
			if i%300 == 299 {
				require.Len(t, nodeRead(t, data, mysqlcluster.RedoName), int(n.RedoSize()), "it knows how long it is")
				n.kill()
				n = w.start("mysql-0", data, "server-id=100", "log-bin")
				c = n.client()
			}
		}
		before, state := fmt.Sprint(n.Ends()), n.Script()
		n.kill()
		again := w.start("mysql-0", data, "server-id=100")
		assert.Equal(t, state, again.Script())
		assert.Equal(t, before, fmt.Sprint(again.Ends()), "a checkpoint keeps the number, and the places in the binlogs")
		again.kill()
	})
}

func TestAStartIsNoReasonForACheckpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), folder.NewMemory()
		n := w.start("mysql-0", data)
		n.do("CREATE DATABASE test", "CREATE TABLE test.t (id INT PRIMARY KEY, s TEXT)")
		const rows = 40
		for i := range rows {
			n.do(fmt.Sprintf("INSERT INTO test.t VALUES (%d, '%s')", i, strings.Repeat("x", 4096)))
		}
		require.Greater(t, n.RedoSize(), int64(rows*4096), "more than a log may have without a checkpoint")
		n.kill()
		folder := &exFolder{Folder: data}
		n = w.start("mysql-0", folder)
		for i := range rows {
			n.do(fmt.Sprintf("DELETE FROM test.t WHERE id = %d", i))
		}
		assert.NotContains(t, folder.did, "rename ib_logfile0.new")
		n.kill()
	})
}

// The old log is good: nobody notices, and it is not tried at each statement.
func TestACheckpointThatCannotBeWrittenIsForLater(t *testing.T) {
	for _, fails := range []string{"open ib_logfile0.new", "write ib_logfile0.new"} {
		t.Run(fails, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				does := func(what string) error {
					if what == fails {
						tries++
						return errFaulty
					}
					return nil
				}
				folder := &exFolder{Folder: nodeOpening{nodeFull(t), does}, before: does}
				n := newNodeWorld(t).start("mysql-0", folder)
				for i := range 20 {
					n.do(fmt.Sprintf("INSERT INTO test.t VALUES (%d, 'new')", i+2))
				}
				assert.Equal(t, 1, tries)
				assert.NoError(t, n.end())
			})
		})
	}
}

// A nodeOpening is a folder that can say no to whoever opens a file.
type nodeOpening struct {
	folder.Folder
	before func(what string) error
}

func (f nodeOpening) Open(name string, flag int) (folder.File, error) {
	if err := f.before("open " + name); err != nil {
		return nil, err
	}
	return f.Folder.Open(name, flag)
}

// nodeFull returns a data directory of which nearly all is history, and the
// tables in it are small: the next statements bring a checkpoint.
func nodeFull(t *testing.T) *folder.Memory {
	data := folder.NewMemory()
	n := newNodeWorld(t).start("mysql-0", data)
	n.do("CREATE DATABASE test", "CREATE TABLE test.t (id INT PRIMARY KEY, s TEXT)", "INSERT INTO test.t VALUES (1, '')")
	for n.RedoSize() < 1<<16-5000 {
		n.do("UPDATE test.t SET s = '" + strings.Repeat("x", 4096) + "'")
	}
	n.do("UPDATE test.t SET s = '"+strings.Repeat("x", 1<<16-200-int(n.RedoSize()))+"'", "UPDATE test.t SET s = 'y'")
	n.kill()
	return data
}

func TestAServerThatIsKilledInACheckpointHasWhatItAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full, w, halfDone := nodeFull(t), newNodeWorld(t), 0
		for kill := 0; ; kill++ {
			data := nodeCopy(t, full)
			torn := &nodeTorn{Folder: data, left: kill}
			n, err := w.tryStart("mysql-0", torn)
			acknowledged := 0
			for i := 1; i < 10 && err == nil; i++ {
				var c *wire.Conn
				if c, err = n.tryClient(); err == nil {
					_, err = c.Query(fmt.Sprintf("INSERT INTO test.t VALUES (%d, 'new')", i+1))
				}
				if err == nil {
					acknowledged = i
				}
			}
			if n != nil {
				n.kill()
			}
			if files, _ := data.ReadDir("."); len(files) > 1 {
				halfDone++
			}
			again := w.start("mysql-0", data)
			rows := again.value("SELECT COUNT(*) FROM test.t").(int64) - 1
			require.Contains(t, []int{acknowledged, acknowledged + 1}, int(rows), "killed at byte %d", kill)
			size := again.RedoSize()
			again.kill()
			if torn.left > 0 {
				require.Less(t, size, int64(1000), "there was a checkpoint")
				break
			}
		}
		assert.Greater(t, halfDone, 300, "it was killed within the checkpoint")
	})
}

// Each operation on the disk fails once, while a checkpoint is made.
func TestADiskThatFailsOnceInACheckpointLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full, w := nodeFull(t), newNodeWorld(t)
		var story []string
		for i := range 9 {
			story = append(story, fmt.Sprintf("INSERT INTO test.t VALUES (%d, 'new')", i+2))
		}
		for fault := 0; ; fault++ {
			data := nodeCopy(t, full)
			faulty := &nodeFaulty{Folder: data, left: fault}
			acknowledged := 0
			n, err := w.tryStart("mysql-0", faulty)
			if err == nil {
				acknowledged = nodeTell(n, story)
				n.kill()
			} else {
				require.ErrorIs(t, err, errFaulty, "operation %d", fault)
			}
			require.Zero(t, faulty.isOpen(), "operation %d: files that stay open", fault)
			again := w.start("mysql-0", data)
			rows := again.value("SELECT COUNT(*) FROM test.t").(int64) - 1
			require.Contains(t, []int{acknowledged, acknowledged + 1}, int(rows), "operation %d", fault)
			size := again.RedoSize()
			again.kill()
			if faulty.left >= 0 {
				require.Less(t, size, int64(1000), "there was a checkpoint")
				break
			}
		}
	})
}

// nodeStatement draws a statement that may well be refused.
func nodeStatement(t *rapid.T) string {
	id := rapid.IntRange(0, 9).Draw(t, "id")
	word := rapid.SampledFrom([]string{"'a'", "'it''s'", "'ö\\n;'", "NULL", "NOW()", "@@server_id", "''"}).Draw(t, "word")
	return rapid.SampledFrom([]string{
		fmt.Sprintf("INSERT INTO test.t VALUES (%d, %s)", id, word),
		fmt.Sprintf("INSERT INTO test.t (s) VALUES (%s), (%s)", word, word),
		fmt.Sprintf("UPDATE test.t SET s = %s WHERE id < %d", word, id),
		fmt.Sprintf("UPDATE test.t SET id = id + 1 WHERE id = %d", id),
		fmt.Sprintf("DELETE FROM test.t WHERE id = %d", id),
		"TRUNCATE TABLE test.t",
		"CREATE TABLE test.u (a INT, b VARCHAR(3))",
		fmt.Sprintf("INSERT INTO test.u VALUES (%d, %s)", id, word),
		"DROP TABLE test.u",
	}).Draw(t, "statement")
}

func TestAServerThatStartsAgainIsTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w, data := newNodeWorld(t), folder.NewMemory()
		n := w.start("mysql-0", data, "server-id=100", "log-bin")
		n.do("CREATE DATABASE test", "CREATE TABLE test.t (id INT AUTO_INCREMENT PRIMARY KEY, s VARCHAR(30))")
		c := n.client()
		for range rapid.IntRange(0, 40).Draw(r, "statements") {
			_, _ = c.Query(nodeStatement(r))
			if rapid.IntRange(0, 9).Draw(r, "kill") == 0 {
				before := n.Script()
				n.kill()
				n = w.start("mysql-0", data, "server-id=100", "log-bin")
				require.Equal(r, before, n.Script())
				c = n.client()
			}
		}
		s := w.start("mysql-1", folder.NewMemory(), "server-id=101")
		s.do(nodeChange, "START SLAVE")
		s.catchUp(n)
		require.Equal(r, n.Script(), s.Script(), "a slave that repeats all of it is the same")
		s.kill()
		n.kill()
	})
}
