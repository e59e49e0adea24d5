package mysqlcluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// entrypointSays are the lines of the entrypoint in a log, without their times.
func entrypointSays(p *nodePod) string {
	var says strings.Builder
	for line := range strings.Lines(p.log.String()) {
		if _, rest, found := strings.Cut(line, "+00:00 "); found {
			says.WriteString(strings.Replace(rest, " [Entrypoint]", "", 1))
		}
	}
	return says.String()
}

const (
	entrypointBegins = "[Note]: Initializing database files\n[Note]: Database files initialized\n"
	entrypointEnds   = "[Note]: MySQL init process done. Ready for start up.\n"
)

func TestTheDatabaseOfTheEnvironmentIsMadeOnAnEmptyDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := append([]string{"MYSQL_DATABASE=web-shop", "MYSQL_USER=bob", "MYSQL_PASSWORD=Geheim"}, nodeEnv...)
		p := newNodePod(t, env, map[string]string{"master.cnf": "[mysqld]\nlog-bin\nserver-id=100\n"})
		p.start(p.pod)
		assert.Equal(t, [][]sql.Value{{"web-shop"}}, p.query(p.pod, "SHOW DATABASES LIKE 'web%'").Rows)
		assert.Equal(t, entrypointBegins+"[Note]: Creating database web-shop\n"+
			"[Warn]: MYSQL_USER: this server can't create users, so bob will not be let in; log in as root\n"+entrypointEnds, entrypointSays(p))
		assert.Len(t, p.query(p.pod, "SHOW BINARY LOGS").Rows, 2, "the statement is in the first, for slaves")
		p.query(p.pod, "DROP DATABASE `web-shop`")
		p.runtime.Stop(p.pod.UID, "mysql", 30)
		synctest.Wait()
		p.start(p.pod)
		assert.Empty(t, p.query(p.pod, "SHOW DATABASES LIKE 'web%'").Rows, "a disk that has data is left alone")
		assert.Equal(t, 1, strings.Count(p.log.String(), "Creating database"))
		assert.NotContains(t, p.log.String(), "Geheim")
		p.runtime.Stop(p.pod.UID, "mysql", 30)
		synctest.Wait()
	})
}

func TestTheEntrypointSaysWhatIsNotDone(t *testing.T) {
	for env, says := range map[string]string{
		"MYSQL_USER=bob":    "[Warn]: MYSQL_USER specified, but missing MYSQL_PASSWORD; MYSQL_USER will not be created\n",
		"MYSQL_PASSWORD=pw": "[Warn]: MYSQL_PASSWORD specified, but missing MYSQL_USER; MYSQL_PASSWORD will be ignored\n",
		"MYSQL_RANDOM_ROOT_PASSWORD=1": "[Warn]: MYSQL_RANDOM_ROOT_PASSWORD: this server generates no password; " +
			"root has MYSQL_ROOT_PASSWORD, or none\n",
		"MYSQL_USER=operator MYSQL_PASSWORD=pw": "[Warn]: MYSQL_USER: this server's operator has root's password, " +
			"so MYSQL_PASSWORD will be ignored\n",
		"MYSQL_USER=operator MYSQL_PASSWORD=same MYSQL_ROOT_PASSWORD=same": "",
		"MYSQL_INITDB_SKIP_TZINFO=1":                                       "",
	} {
		t.Run(env, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newNodePod(t, append(strings.Fields(env), nodeEnv...), nil)
				p.start(p.pod)
				assert.Equal(t, entrypointBegins+says+entrypointEnds, entrypointSays(p))
				p.runtime.Stop(p.pod.UID, "mysql", 30)
				synctest.Wait()
			})
		})
	}
}

func TestADatabaseThatCannotBeMadeKeepsTheServerFromBeginning(t *testing.T) {
	for name, one := range map[string]struct{ env, option, says string }{
		"no client may write": {"MYSQL_DATABASE=shop", "super-read-only", "[Note]: Creating database shop\n" +
			"[ERROR]: ERROR 1290 (HY000): The MySQL server is running with the --super-read-only option so it cannot execute this statement\n"},
		"no name": {"MYSQL_DATABASE=a`b", "read-only", "[Note]: Creating database a`b\n" +
			"[ERROR]: ERROR 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your " +
			"MySQL server version for the right syntax to use near 'b`' at line 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newNodePod(t, append([]string{one.env}, nodeEnv...), map[string]string{"a.cnf": "[mysqld]\n" + one.option + "\n"})
				p.start(p.pod)
				assert.Equal(t, int32(1), p.state(p.pod).Terminated.ExitCode)
				assert.Equal(t, entrypointBegins+one.says, entrypointSays(p))
				assert.NoDirExists(t, filepath.Join(p.mounts[0].Source, "mysql", "mysql"), "the next one begins again")
			})
		})
	}
}

func TestRootIsNoRegularUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newNodePod(t, append([]string{"MYSQL_USER=root", "MYSQL_PASSWORD=pw"}, nodeEnv...), nil)
		p.start(p.pod)
		assert.Equal(t, int32(1), p.state(p.pod).Terminated.ExitCode)
		assert.Equal(t, `[ERROR]: MYSQL_USER="root", MYSQL_USER and MYSQL_PASSWORD are for configuring a regular user and cannot be used for the root user`+"\n",
			entrypointSays(p))
		assert.Contains(t, p.log.String(), `    Remove MYSQL_USER="root" and use one of the following to control the root user password:`+"\n    - MYSQL_ROOT_PASSWORD\n")
		files, err := os.ReadDir(filepath.Join(p.mounts[0].Source, "mysql"))
		require.NoError(t, err)
		assert.Empty(t, files, "and leaves nothing")
	})
}
