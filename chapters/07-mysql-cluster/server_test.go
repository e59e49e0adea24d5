package mysqlcluster_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// A nodePod is a Pod with one container of MySQL, on a simulated node.
type nodePod struct {
	t       *testing.T
	runtime *simulated.Runtime
	pod     *corev1.Pod
	mounts  []kubelet.Mount
	log     *nodeLog
}

// newNodePod has a data directory, and option files by their name.
func newNodePod(t *testing.T, env []string, files map[string]string) *nodePod {
	p := &nodePod{t: t, log: &nodeLog{}}
	p.runtime = simulated.New("10.244.1", simulated.Images{"mysql:5.7": func(ctx context.Context, process *simulated.Process) int {
		process.Stdout, process.Stderr = p.log, p.log
		process.Env = env
		return (&mysqlcluster.Mysqld{Version: "5.7.44"}).Run(ctx, process)
	}})
	data, conf := t.TempDir(), t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(conf, name), []byte(content), 0o666))
	}
	require.NoError(t, os.Mkdir(filepath.Join(data, "mysql"), 0o777))
	p.mounts = []kubelet.Mount{
		{Source: data, Within: []string{"mysql"}, Path: "/var/lib/mysql"},
		{Source: conf, Path: "/etc/mysql/conf.d"},
	}
	p.pod = p.another("mysql-0")
	return p
}

func (p *nodePod) another(name string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
	_, err := p.runtime.Sandbox(context.Background(), pod)
	require.NoError(p.t, err)
	return pod
}

func (p *nodePod) start(pod *corev1.Pod, command ...string) {
	container := &corev1.Container{Name: "mysql", Image: "mysql:5.7", Command: command}
	require.NoError(p.t, p.runtime.Start(context.Background(), pod, container, p.mounts))
	synctest.Wait()
}

func (p *nodePod) state(pod *corev1.Pod) corev1.ContainerState {
	return p.runtime.Containers(pod.UID)["mysql"].State
}

func (p *nodePod) query(pod *corev1.Pod, sql string) *sql.Result {
	p.t.Helper()
	conn, err := p.runtime.Dial(context.Background(), pod.UID, 3306)
	require.NoError(p.t, err)
	c, err := wire.Connect(context.Background(), conn, "root", "", "")
	require.NoError(p.t, err)
	defer c.Close()
	result, err := c.Query(sql)
	require.NoError(p.t, err)
	return result
}

var nodeEnv = []string{"MYSQL_ALLOW_EMPTY_PASSWORD=1"}

func TestAServerIsStartedAskedKilledAndStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newNodePod(t, nodeEnv, map[string]string{"master.cnf": "[mysqld]\nlog-bin\n", "server-id.cnf": "[mysqld]\nserver-id=100\n"})
		p.start(p.pod)
		asked := p.query(p.pod, "SELECT @@server_id, @@hostname, @@version, @@log_bin, @@read_only, @@port, @@datadir")
		assert.Equal(t, [][]sql.Value{{int64(100), "mysql-0", "5.7.44-log", int64(1), int64(0), int64(3306), "/var/lib/mysql/"}}, asked.Rows)
		p.query(p.pod, "CREATE DATABASE test")
		p.runtime.Stop(p.pod.UID, "mysql", 0)
		synctest.Wait()
		time.Sleep(time.Second)
		require.NotNil(t, p.state(p.pod).Terminated)
		p.start(p.pod)
		assert.Equal(t, [][]sql.Value{{"test"}}, p.query(p.pod, "SHOW DATABASES LIKE 'test'").Rows)
		assert.Equal(t, [][]sql.Value{{"mysql-0-bin.000002", int64(4), "", "", ""}}, p.query(p.pod, "SHOW MASTER STATUS").Rows)
		assert.Equal(t, [][]sql.Value{{"log_bin", "ON"}, {"log_bin_basename", "/var/lib/mysql/mysql-0-bin"}}, p.query(p.pod, "SHOW VARIABLES LIKE 'log\\_bin%'").Rows)
		p.runtime.Stop(p.pod.UID, "mysql", 30)
		synctest.Wait()
		assert.Equal(t, int32(0), p.state(p.pod).Terminated.ExitCode)
		const version = "Version: '5.7.44-log'  socket: '/var/run/mysqld/mysqld.sock'  port: 3306  MySQL Community Server (GPL)\n"
		assert.Equal(t, "2000-01-01 00:00:00+00:00 [Note] [Entrypoint]: Initializing database files\n"+
			"2000-01-01 00:00:00+00:00 [Note] [Entrypoint]: Database files initialized\n"+
			"2000-01-01 00:00:00+00:00 [Note] [Entrypoint]: MySQL init process done. Ready for start up.\n"+
			"2000-01-01T00:00:00.000000Z 0 [Note] mysqld: ready for connections.\n"+version+
			"2000-01-01T00:00:00.000000Z 0 [Note] mysqld: Shutdown complete\n"+
			"2000-01-01T00:00:01.000000Z 0 [Note] mysqld: ready for connections.\n"+version+
			"2000-01-01T00:00:01.000000Z 0 [Note] mysqld: Shutdown complete\n", p.log.String())
	})
}

func TestAServerWithoutAPasswordOptionDoesNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newNodePod(t, []string{"MYSQL_ROOT_PASSWORD="}, nil)
		p.start(p.pod)
		assert.Equal(t, int32(1), p.state(p.pod).Terminated.ExitCode)
		assert.Equal(t, "2000-01-01 00:00:00+00:00 [ERROR] [Entrypoint]: Database is uninitialized and password option is not specified\n"+
			"    You need to specify one of the following as an environment variable:\n    - MYSQL_ROOT_PASSWORD\n    - MYSQL_ALLOW_EMPTY_PASSWORD\n    - MYSQL_RANDOM_ROOT_PASSWORD\n", p.log.String())
		files, err := os.ReadDir(filepath.Join(p.mounts[0].Source, "mysql"))
		require.NoError(t, err)
		assert.Empty(t, files, "and leaves nothing")
	})
}

func TestAServerWithAnUnknownOptionDoesNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newNodePod(t, nodeEnv, map[string]string{"slave.cnf": "[mysqld]\nsuper-read-onyl=1\n"})
		p.start(p.pod)
		assert.Equal(t, int32(1), p.state(p.pod).Terminated.ExitCode)
		assert.Equal(t, "2000-01-01T00:00:00.000000Z 0 [ERROR] unknown variable 'super-read-onyl=1'\n2000-01-01T00:00:00.000000Z 0 [ERROR] Aborting\n", p.log.String())
	})
}

func TestOnlyOptionFilesAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newNodePod(t, nodeEnv, map[string]string{
			"a.cnf": "[mysqld]\nserver-id=100\n", "b.cnf": "[mysqld]\nserver-id=101\n", "README": "not an option"})
		require.NoError(t, os.Mkdir(filepath.Join(p.mounts[1].Source, "old.cnf"), 0o777))
		p.start(p.pod, "mysqld", "--port=3306", "--read-only")
		assert.Equal(t, [][]sql.Value{{int64(101), int64(1)}}, p.query(p.pod, "SELECT @@server_id, @@read_only").Rows,
			"in the order of their names, and then the command line")
		p.runtime.Stop(p.pod.UID, "mysql", 0)
		synctest.Wait()
	})
}

func TestAServerThatCannotReadItsOptionsDoesNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newNodePod(t, nodeEnv, map[string]string{"a.cnf": "[mysqld]\n"})
		p.mounts[1].Source = filepath.Join(p.mounts[1].Source, "a.cnf")
		p.start(p.pod)
		assert.Equal(t, int32(1), p.state(p.pod).Terminated.ExitCode)
		assert.Contains(t, p.log.String(), "a.cnf: not a directory\n2000-01-01T00:00:00.000000Z 0 [ERROR] Aborting\n")
	})
}

func TestAServerWhoseLogIsDamagedDoesNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newNodePod(t, nodeEnv, nil)
		p.start(p.pod)
		p.runtime.Stop(p.pod.UID, "mysql", 30)
		synctest.Wait()
		log := filepath.Join(p.mounts[0].Source, "mysql", mysqlcluster.RedoName)
		require.NoError(t, os.WriteFile(log, []byte("this is no log of a server"), 0o666))
		p.start(p.pod)
		assert.Equal(t, int32(1), p.state(p.pod).Terminated.ExitCode)
		assert.Contains(t, p.log.String(), "[ERROR] ib_logfile0 at byte 0: checksum mismatch in the head of a record\n"+
			"2000-01-01T00:00:00.000000Z 0 [ERROR] Aborting\n")
	})
}

func TestASecondServerAtTheSamePortGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newNodePod(t, nodeEnv, nil)
		p.start(p.pod)
		second := &corev1.Container{Name: "second", Image: "mysql:5.7"}
		require.NoError(t, p.runtime.Start(context.Background(), p.pod, second, nil))
		synctest.Wait()
		assert.Equal(t, int32(1), p.runtime.Containers(p.pod.UID)["second"].State.Terminated.ExitCode)
		assert.Contains(t, p.log.String(), "[ERROR] Can't start server: Bind on TCP/IP port: Address already in use\n"+
			"2000-01-01T00:00:00.000000Z 0 [ERROR] Do you already have another mysqld server running on port: 3306 ?\n"+
			"2000-01-01T00:00:00.000000Z 0 [ERROR] Aborting\n")
		p.runtime.Stop(p.pod.UID, "mysql", 0)
		synctest.Wait()
	})
}

func TestASecondServerOverTheSameFilesWaitsAndGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newNodePod(t, nodeEnv, nil)
		second := p.another("mysql-1")
		p.start(p.pod)
		p.start(second)
		assert.Contains(t, p.log.String(), "[ERROR] InnoDB: Unable to lock ./ibdata1, error: 11\n")
		time.Sleep(99 * time.Second)
		assert.NotNil(t, p.state(second).Running)
		time.Sleep(2 * time.Second)
		assert.Equal(t, int32(1), p.state(second).Terminated.ExitCode)
		p.query(p.pod, "CREATE DATABASE test")
		p.start(second)
		p.runtime.Stop(p.pod.UID, "mysql", 0)
		time.Sleep(2 * time.Second)
		assert.Len(t, p.query(second, "SHOW DATABASES LIKE 'test'").Rows, 1, "who waits long enough has what the first one left")
		p.runtime.Stop(second.UID, "mysql", 30)
		synctest.Wait()
	})
}

func TestAServerWithoutAVolumeForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newNodePod(t, nodeEnv, nil)
		p.mounts = nil
		p.start(p.pod)
		p.query(p.pod, "CREATE DATABASE test")
		p.runtime.Stop(p.pod.UID, "mysql", 30)
		synctest.Wait()
		p.start(p.pod)
		assert.Empty(t, p.query(p.pod, "SHOW DATABASES LIKE 'test'").Rows)
		p.runtime.Stop(p.pod.UID, "mysql", 30)
		synctest.Wait()
	})
}

// A process that was killed does not write, even where its goroutine goes on.
func TestWhoWasKilledWritesNothingMore(t *testing.T) {
	killed := make(chan struct{})
	data := folder.NewMemory()
	dir := folder.UntilKilled(data, killed)
	file, err := dir.Open("a", os.O_CREATE|os.O_RDWR)
	require.NoError(t, err)
	_, err = file.Write([]byte("before"))
	require.NoError(t, err)
	close(killed)
	_, err = file.Write([]byte("after"))
	assert.ErrorIs(t, err, folder.ErrKilled)
	assert.ErrorIs(t, file.Truncate(0), folder.ErrKilled)
	assert.ErrorIs(t, dir.Rename("a", "b"), folder.ErrKilled)
	assert.ErrorIs(t, dir.Remove("a"), folder.ErrKilled)
	_, err = dir.Open("b", os.O_CREATE|os.O_RDWR)
	assert.ErrorIs(t, err, folder.ErrKilled)
	assert.Equal(t, "before", string(nodeRead(t, data, "a")))
}

func TestProcessesAndBinlogsAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m, s := nodePair(t)
		synctest.Wait()
		time.Sleep(5 * time.Second)
		assert.Equal(t, [][]sql.Value{
			{int64(2), "root", "localhost", nil, "Binlog Dump", int64(5), "Master has sent all binlog to slave; waiting for more updates", nil},
			{int64(3), "root", "localhost", nil, "Query", int64(0), "starting", "SHOW PROCESSLIST"},
		}, m.do("SHOW PROCESSLIST").Rows)
		assert.Equal(t, [][]sql.Value{
			{int64(0), "system user", "", nil, "Connect", int64(5), "Waiting for master to send event", nil},
			{int64(0), "system user", "", nil, "Connect", int64(5), "Slave has read all relay log; waiting for more updates", nil},
		}, s.do("SHOW PROCESSLIST").Rows[:2])
		assert.Equal(t, "ERROR 1381 (HY000): You are not using binary logging", s.refused("SHOW BINARY LOGS"))
		assert.Equal(t, "ERROR 1186 (HY000): Binlog closed, cannot RESET MASTER", s.refused("RESET MASTER"))
		assert.Empty(t, s.do("SHOW MASTER STATUS").Rows)
		m.do("FLUSH BINARY LOGS")
		assert.Equal(t, [][]sql.Value{{"mysql-0-bin.000001", m.do("SHOW BINARY LOGS").Rows[0][1]}, {"mysql-0-bin.000002", int64(4)}}, m.do("SHOW BINARY LOGS").Rows)
		m.do("RESET MASTER")
		assert.Equal(t, [][]sql.Value{{"mysql-0-bin.000001", int64(4)}}, m.do("SHOW BINARY LOGS").Rows)
		assert.Equal(t, "ERROR 1094 (HY000): Unknown thread id: 77", m.refused("KILL 77"))
		assert.Equal(t, "ERROR 1094 (HY000): Unknown thread id: 79", m.refused("KILL CONNECTION 79"))
		assert.Equal(t, "ERROR 1193 (HY000): Unknown system variable 'nonsense'", m.refused("SET GLOBAL nonsense = 1"))
		assert.Equal(t, "ERROR 1238 (HY000): Variable 'log_bin' is a read only variable", m.refused("SET GLOBAL log_bin = 0"))
		assert.Equal(t, "ERROR 1229 (HY000): Variable 'read_only' is a GLOBAL variable and should be set with SET GLOBAL", m.refused("SET read_only = 1"))
		assert.Equal(t, "ERROR 1231 (42000): Variable 'read_only' can't be set to the value of 'maybe'", m.refused("SET GLOBAL read_only = 'maybe'"))
		m.kill()
		s.kill()
	})
}

func TestAConnectionIsWhereItWasSentUntilThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNodeWorld(t).start("mysql-0", folder.NewMemory())
		n.do(nodeTable...)
		c := n.client()
		at := func() sql.Value {
			result, err := c.Query("SELECT DATABASE()")
			require.NoError(t, err)
			return result.Rows[0][0]
		}
		says := func(sql string) string {
			_, err := c.Query(sql)
			return fmt.Sprint(err)
		}
		assert.Nil(t, at())
		assert.Equal(t, "<nil>", says("USE test"))
		assert.Equal(t, "test", at())
		assert.Equal(t, "ERROR 1049 (42000): Unknown database 'nope'", says("USE nope"))
		assert.Equal(t, "test", at())
		assert.Equal(t, "<nil>", says("CREATE DATABASE other"))
		assert.Equal(t, "<nil>", says("DROP DATABASE other"))
		assert.Equal(t, "test", at(), "another one is gone")
		assert.Equal(t, "<nil>", says("DROP DATABASE test"))
		assert.Nil(t, at())
		assert.Equal(t, "ERROR 1046 (3D000): No database selected", says("SELECT * FROM t"))
		c.Close()
		n.kill()
	})
}

func TestAServerSaysWhoIsThereAndForHowLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNodeWorld(t).start("mysql-0", folder.NewMemory())
		n.do("CREATE DATABASE test")
		idle := n.client()
		_, err := idle.Query("USE test")
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		assert.Equal(t, []sql.Value{int64(2), "root", "localhost", "test", "Sleep", int64(5), "", nil}, n.do("SHOW PROCESSLIST").Rows[0])
		synctest.Wait()
		said, err := idle.Statistics()
		require.NoError(t, err)
		assert.Equal(t, "Uptime: 5  Threads: 1  Questions: 0  Slow queries: 0  Opens: 0  Flush tables: 1  Open tables: 0  Queries per second avg: 0.000", said)
		idle.Close()
		n.kill()
	})
}

func TestAVariableIsSetInAllTheWaysThatThereAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNodeWorld(t).start("mysql-0", folder.NewMemory())
		n.do("SET CHARACTER SET utf8", "SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SET autocommit = ON", "SET SESSION autocommit = 1",
			"SET LOCAL autocommit = 1", "SET @@session.autocommit = 1, @@local.autocommit := 1, @@autocommit = 1")
		for _, set := range []string{"GLOBAL read_only = ON", "@@global.read_only = 1", "GLOBAL read_only := TRUE"} {
			n.do("SET " + set)
			assert.Equal(t, int64(1), n.value("SELECT @@GLOBAL.read_only"), set)
			n.do("SET GLOBAL read_only = DEFAULT")
			assert.Equal(t, int64(0), n.value("SELECT @@read_only"))
		}
		n.kill()
	})
}

func TestABinlogWhoseSizeIsUnknownIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		faulty := &nodeFaulty{Folder: folder.NewMemory(), left: 1000}
		n := newNodeWorld(t).start("mysql-0", faulty, "server-id=100", "log-bin")
		n.do("FLUSH LOGS", "SHOW BINARY LOGS")
		faulty.left = 0
		n.refused("SHOW BINARY LOGS")
		n.kill()
	})
}

func TestALockIsTakenTwiceAndGivenBackOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNodeWorld(t).start("mysql-0", folder.NewMemory())
		holder := n.client()
		for _, sql := range []string{"UNLOCK TABLES", "FLUSH TABLES WITH READ LOCK", "FLUSH TABLES WITH READ LOCK", "UNLOCK TABLES"} {
			_, err := holder.Query(sql)
			require.NoError(t, err, sql)
		}
		n.do("CREATE DATABASE test", "UNLOCK TABLES", "CREATE DATABASE another")
		holder.Close()
		n.kill()
	})
}
