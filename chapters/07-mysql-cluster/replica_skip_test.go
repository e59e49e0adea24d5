package mysqlcluster_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/internal/sqltest"
)

// The story of error 1062: a replica has a row of its own, and so cannot do
// what its master did.
func TestASlaveThatHasARowOfItsOwnPassesOverTheMasters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, disk := newNodeWorld(t), folder.NewMemory()
		m := w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
		s := w.start("mysql-1", disk, "server-id=101")
		m.do(nodeTable...)
		s.do(nodeChange, "START SLAVE")
		synctest.Wait()
		s.do("INSERT INTO test.t VALUES (1, 'mine')")
		m.do("INSERT INTO test.t VALUES (1, 'theirs')", "INSERT INTO test.t VALUES (2, 'later')")
		synctest.Wait()
		names := []string{"Slave_SQL_Running", "Last_SQL_Errno", "Skip_Counter"}
		assert.Equal(t, "Slave_SQL_Running=No Last_SQL_Errno=1062 Skip_Counter=0 ", nodeFacts(s.status(), names...))
		before := s.status()["Exec_Master_Log_Pos"]

		s.do("STOP SLAVE", "SET GLOBAL sql_slave_skip_counter = 1")
		assert.Equal(t, int64(1), s.value("SELECT @@global.sql_slave_skip_counter"))
		assert.Equal(t, [][]sql.Value{{"sql_slave_skip_counter", "1"}}, s.do("SHOW VARIABLES LIKE 'sql_slave%'").Rows)
		s.do("START SLAVE")
		synctest.Wait()
		assert.Equal(t, int64(0), s.value("SELECT @@sql_slave_skip_counter"), "START SLAVE has taken it")
		assert.Equal(t, "Slave_SQL_Running=Yes Last_SQL_Errno=0 Skip_Counter=0 ", nodeFacts(s.status(), names...))
		assert.Equal(t, [][]sql.Value{{"mine"}, {"later"}}, s.do("SELECT s FROM test.t ORDER BY id").Rows,
			"one statement was passed over, and the rows are not the master's")
		at := sqltest.Row(m.do("SHOW BINARY LOGS"))["File_size"]
		assert.Equal(t, at, s.status()["Exec_Master_Log_Pos"])
		relay := "relay_log_file='./mysql-1-relay-bin.000001', relay_log_pos='4', master_log_name='mysql-0-bin.000001', "
		assert.Contains(t, s.log.String(), fmt.Sprintf("[Note] 'SQL_SLAVE_SKIP_COUNTER=1' executed at %smaster_log_pos='%d' and new position at %s", relay, before, relay))

		s.do("UPDATE test.t SET s = 'theirs' WHERE id = 1")
		assert.Equal(t, m.Script(), s.Script(), "a person has made it a copy again")
		s.kill()
		s = w.start("mysql-1", disk, "server-id=101")
		m.do("INSERT INTO test.t VALUES (3, 'last')")
		synctest.Wait()
		assert.Equal(t, m.Script(), s.Script(), "and it is one after a kill")
		m.kill()
		s.kill()
	})
}

// What is passed over is behind the slave, even if nothing follows that would be
// written to its log, and it is killed.
func TestWhatWasPassedOverIsNotAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, disk := newNodeWorld(t), folder.NewMemory()
		m := w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
		m.do(nodeTable...)
		s := w.start("mysql-1", disk, "server-id=101")
		s.do(nodeChange, "START SLAVE")
		synctest.Wait()
		s.do("STOP SLAVE", "SET GLOBAL sql_slave_skip_counter = 1", "START SLAVE")
		m.do("INSERT INTO test.t VALUES (1, 'not for this slave')")
		synctest.Wait()
		s.kill()
		s = w.start("mysql-1", disk, "server-id=101")
		synctest.Wait()
		assert.Equal(t, int64(0), s.value("SELECT COUNT(*) FROM test.t"))
		m.do("INSERT INTO test.t VALUES (2, 'for all')")
		synctest.Wait()
		assert.Equal(t, [][]sql.Value{{int64(2), "for all"}}, s.do("SELECT * FROM test.t").Rows)
		m.kill()
		s.kill()
	})
}

// A statement about rows is four events in MySQL's binlog and another one is
// two, with one more for each variable of the client's. A group is passed over
// as a whole.
func TestEventsArePassedOverInWholeGroups(t *testing.T) {
	for counter, left := range map[int]string{
		0: "abcd", 1: "bcd", 4: "bcd", 5: "cd", 7: "cd", 9: "cd", 10: "d", 11: "d", 12: "", 14: ""} {
		t.Run(fmt.Sprint(counter), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newNodeWorld(t)
				m := w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
				s := w.start("mysql-1", folder.NewMemory(), "server-id=101")
				m.do(nodeTable...)
				s.do(nodeChange, "START SLAVE")
				synctest.Wait()
				s.do("STOP SLAVE", fmt.Sprintf("SET GLOBAL sql_slave_skip_counter = %d", counter), "START SLAVE")
				m.do("INSERT INTO test.t VALUES (1, 'a')", "SET @x = 'b'", "INSERT INTO test.t VALUES (2, @x)",
					"CREATE DATABASE c", "CREATE DATABASE d")
				synctest.Wait()
				var got strings.Builder
				for _, row := range s.do("SELECT s FROM test.t ORDER BY id").Rows {
					got.WriteString(row[0].(string))
				}
				for _, row := range s.do("SHOW DATABASES LIKE '_'").Rows {
					got.WriteString(row[0].(string))
				}
				assert.Equal(t, left, got.String())
				assert.Equal(t, int64(max(0, counter-13)), s.status()["Skip_Counter"], "what is left waits for more")
				m.kill()
				s.kill()
			})
		})
	}
}

func TestTheSkipCounterIsForTheNextSQLThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, s := nodePair(t)
		synctest.Wait()
		s.do("SET GLOBAL sql_slave_skip_counter = 1")
		m.do("INSERT INTO test.t VALUES (1, 'a')")
		synctest.Wait()
		assert.Equal(t, int64(1), s.value("SELECT COUNT(*) FROM test.t"), "a thread that runs does not see it")
		s.do("START SLAVE", "STOP SLAVE IO_THREAD", "START SLAVE IO_THREAD", "STOP SLAVE IO_THREAD", "START SLAVE")
		assert.Equal(t, int64(1), s.value("SELECT @@sql_slave_skip_counter"), "nor one that went on")
		s.do("STOP SLAVE", "START SLAVE")
		assert.Equal(t, "Skip_Counter=1 ", nodeFacts(s.status(), "Skip_Counter"))
		s.do("STOP SLAVE", "START SLAVE")
		m.do("INSERT INTO test.t VALUES (2, 'b')")
		synctest.Wait()
		assert.Equal(t, int64(2), s.value("SELECT COUNT(*) FROM test.t"), "it holds for one start")
		s.do("SET GLOBAL sql_slave_skip_counter = 3", "SET GLOBAL sql_slave_skip_counter = DEFAULT")
		assert.Equal(t, int64(0), s.value("SELECT @@sql_slave_skip_counter"))
		s.do("STOP SLAVE", "SET GLOBAL sql_slave_skip_counter = 3", "START SLAVE", "STOP SLAVE", "RESET SLAVE")
		assert.Equal(t, "Skip_Counter=0 ", nodeFacts(s.status(), "Skip_Counter"))
		for set, says := range map[string]string{
			"SET sql_slave_skip_counter = 1":          "ERROR 1229 (HY000): Variable 'sql_slave_skip_counter' is a GLOBAL variable and should be set with SET GLOBAL",
			"SET GLOBAL sql_slave_skip_counter = '1'": "ERROR 1232 (42000): Incorrect argument type to variable 'sql_slave_skip_counter'",
		} {
			assert.Equal(t, says, s.refused(set))
		}
		m.kill()
		s.kill()
	})
}

// In MySQL it is a number of 32 bits without a sign.
func TestTheSkipCounterIsTheNearestThatIsAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNodeWorld(t).start("mysql-0", folder.NewMemory())
		for _, one := range []struct {
			set  string
			want int64
			warn bool
		}{
			{"0", 0, false}, {"-1", 0, true},
			{"4294967295", 4294967295, false}, {"4294967296", 4294967295, true},
		} {
			r := n.do("SET @a = 1, GLOBAL sql_slave_skip_counter = "+one.set+", @b = 2", "SHOW WARNINGS")
			var want [][]sql.Value
			if one.warn {
				want = [][]sql.Value{{"Warning", int64(1292), "Truncated incorrect sql_slave_skip_counter value: '" + one.set + "'"}}
			}
			assert.Equal(t, want, r.Rows, one.set)
			assert.Equal(t, one.want, n.value("SELECT @@sql_slave_skip_counter"), one.set)
		}
		n.kill()
	})
}

// A name that MySQL 5.7 knows is not called unknown.
func TestAVariableThatMySQLHasIsNotSupportedAndNotUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNodeWorld(t).start("mysql-0", folder.NewMemory())
		for statement, says := range map[string]string{
			"SET GLOBAL max_connections = 10":           "ERROR 1235 (42000): This version of MySQL doesn't yet support '@@max_connections'",
			"SELECT @@max_connections":                  "ERROR 1235 (42000): This version of MySQL doesn't yet support '@@max_connections'",
			"SELECT @@GLOBAL.innodb_buffer_pool_size":   "ERROR 1235 (42000): This version of MySQL doesn't yet support '@@innodb_buffer_pool_size'",
			"SET sql_log_bin = 0":                       "ERROR 1235 (42000): This version of MySQL doesn't yet support '@@sql_log_bin'",
			"SET GLOBAL gtid_mode = OFF_PERMISSIVE":     "ERROR 1235 (42000): This version of MySQL doesn't yet support 'SET GLOBAL gtid_mode'",
			"SET GLOBAL server_id = 7":                  "ERROR 1235 (42000): This version of MySQL doesn't yet support 'SET GLOBAL server_id'",
			"SET GLOBAL version_comment = 'x'":          "ERROR 1238 (HY000): Variable 'version_comment' is a read only variable",
			"SET GLOBAL max_conections = 10":            "ERROR 1193 (HY000): Unknown system variable 'max_conections'",
			"SELECT @@sql_replica_skip_counter":         "ERROR 1193 (HY000): Unknown system variable 'sql_replica_skip_counter'",
			"SET GLOBAL validate_password_policy = LOW": "ERROR 1193 (HY000): Unknown system variable 'validate_password_policy'",
		} {
			assert.Equal(t, says, n.refused(statement))
		}
		for _, row := range n.do("SHOW VARIABLES").Rows {
			assert.Equal(t, uint16(1235), sql.UnknownVariable(row[0].(string)).Code, "%s is none of MySQL's", row[0])
		}
		n.kill()
	})
}
