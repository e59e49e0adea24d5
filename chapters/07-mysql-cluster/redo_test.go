package mysqlcluster_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
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
	n := newNodeWorld(t).start("mysql-0", mysqlcluster.NewMemory(), options...)
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
func nodeCopy(t testing.TB, from mysqlcluster.Folder) *mysqlcluster.Memory {
	to := mysqlcluster.NewMemory()
	files, err := from.ReadDir(".")
	require.NoError(t, err)
	for _, file := range files {
		nodeWrite(t, to, file.Name(), nodeRead(t, from, file.Name()))
	}
	return to
}

func nodeRead(t testing.TB, folder mysqlcluster.Folder, name string) []byte {
	t.Helper()
	file, err := folder.Open(name, os.O_RDONLY)
	require.NoError(t, err)
	defer file.Close()
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	return content
}

func nodeWrite(t testing.TB, folder mysqlcluster.Folder, name string, content []byte) {
	file, err := folder.Open(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	require.NoError(t, err)
	_, err = file.Write(content)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func TestALogThatIsCutAnywhereGivesWhatWasWholeInIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), mysqlcluster.NewMemory()
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
			torn := mysqlcluster.NewMemory()
			nodeWrite(t, torn, mysqlcluster.RedoName, log[:cut])
			n := w.start("mysql-0", torn)
			require.Equal(t, states[whole], n.Script(), "cut at byte %d", cut)
			require.Equal(t, ends[whole], n.RedoSize(), "what is torn at byte %d is cut off", cut)
			n.do("CREATE DATABASE after")
			n.kill()
			n = w.start("mysql-0", torn)
			require.Contains(t, n.Script(), "after", "what is written behind the cut at byte %d", cut)
			n.kill()
		}
	})
}

func TestALogThatIsDamagedIsNotTakenForTorn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), mysqlcluster.NewMemory()
		n := w.start("mysql-0", data)
		nodeTell(n, nodeStory)
		n.kill()
		log := nodeRead(t, data, mysqlcluster.RedoName)
		for i := range log {
			damaged := mysqlcluster.NewMemory()
			changed := []byte(string(log))
			changed[i] ^= 0x40
			nodeWrite(t, damaged, mysqlcluster.RedoName, changed)
			_, err := w.tryStart("mysql-0", damaged)
			require.Error(t, err, "byte %d", i)
			require.Regexp(t, `^ib_logfile0 at byte \d+: checksum mismatch`, err.Error())
			require.Len(t, nodeRead(t, damaged, mysqlcluster.RedoName), len(log), "nothing is cut")
		}
	})
}

// nodeKillEverywhere runs a story over and over, each time killed one byte
// later, and has look see what is left on the disk.
func nodeKillEverywhere(t *testing.T, story []string, options []string, look func(kill, acknowledged int, data *mysqlcluster.Memory)) {
	w := newNodeWorld(t)
	for kill := 0; ; kill++ {
		data := mysqlcluster.NewMemory()
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
				nodeKillEverywhere(t, nodeStory, options, func(kill, acknowledged int, data *mysqlcluster.Memory) {
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
		w, data := newNodeWorld(t), mysqlcluster.NewMemory()
		n := w.start("mysql-0", data, "server-id=100", "log-bin")
		n.do("CREATE DATABASE test", "CREATE TABLE test.t (id INT PRIMARY KEY, n INT)", "INSERT INTO test.t VALUES (1, 0)")
		c := n.client()
		for i := range 5000 {
			_, err := c.Query(fmt.Sprintf("UPDATE test.t SET n = %d", i))
			require.NoError(t, err)
			require.Less(t, n.RedoSize(), int64(1<<17))
		}
		before, state := fmt.Sprint(n.Ends()), n.Script()
		n.kill()
		again := w.start("mysql-0", data, "server-id=100")
		assert.Equal(t, state, again.Script())
		assert.Equal(t, before, fmt.Sprint(again.Ends()), "a checkpoint keeps the number, and the places in the binlogs")
		again.kill()
	})
}

// nodeFull returns a data directory of which nearly all is history, and the
// tables in it are small: the next statements bring a checkpoint.
func nodeFull(t *testing.T) *mysqlcluster.Memory {
	data := mysqlcluster.NewMemory()
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
				var c *mysqlcluster.Client
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
		w, data := newNodeWorld(t), mysqlcluster.NewMemory()
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
		s := w.start("mysql-1", mysqlcluster.NewMemory(), "server-id=101")
		s.do(nodeChange, "START SLAVE")
		s.catchUp(n)
		require.Equal(r, n.Script(), s.Script(), "a slave that repeats all of it is the same")
		s.kill()
		n.kill()
	})
}
