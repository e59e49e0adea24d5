package client_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/client"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/sqltest"
)

// clientNames are the names that a client can look up.
type clientNames map[string]string

// LookupHost implements Resolver.
func (n clientNames) LookupHost(_ context.Context, host string) ([]string, error) {
	if ip := n[host]; ip != "" {
		return []string{ip}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// clientRig is a Pod with a server, mysql-0.mysql, and beside it a container in
// which commands can be run.
type clientRig struct {
	t       *testing.T
	node    *simulated.Runtime
	pod     *corev1.Pod
	process *simulated.Process
}

func newClientRig(t *testing.T, h wire.Handler) *clientRig {
	r := &clientRig{t: t}
	r.node = simulated.New("10.0.0", simulated.Images{
		"client": func(ctx context.Context, p *simulated.Process) int {
			r.process = p
			<-p.Killed()
			return 137
		},
		"mysql": func(ctx context.Context, p *simulated.Process) int {
			l, err := p.Listen(3306)
			require.NoError(t, err)
			context.AfterFunc(ctx, func() { l.Close() })
			for {
				conn, err := l.Accept()
				if err != nil {
					return 0
				}
				go wire.ServeConn(ctx, conn, sqltest.Session(3, ""), h)
			}
		},
	})
	r.node.Resolver = func(*corev1.Pod) simulated.Resolver {
		return clientNames{"mysql-0.mysql": "10.0.0.2", "mysql-1.mysql": "10.0.0.9"}
	}
	r.pod = &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "mysql-0", UID: types.UID("u")},
		Spec: corev1.PodSpec{Containers: []corev1.Container{
			{Name: "mysql", Image: "mysql"}, {Name: "client", Image: "client"}}},
	}
	_, err := r.node.Sandbox(t.Context(), r.pod)
	require.NoError(t, err)
	for i := range r.pod.Spec.Containers {
		require.NoError(t, r.node.Start(t.Context(), r.pod, &r.pod.Spec.Containers[i], nil))
	}
	synctest.Wait()
	return r
}

// run runs a command, and returns what it says and its exit code.
func (r *clientRig) run(
	program simulated.Program, stdin io.Reader, args ...string,
) (stdout, stderr string, code int) {
	p := r.process.Beside(args...)
	var out, errs bytes.Buffer
	p.Stdin, p.Stdout, p.Stderr = stdin, &out, &errs
	code = program(r.t.Context(), p)
	return out.String(), errs.String(), code
}

func (r *clientRig) mysql(stdin string, args ...string) (string, string, int) {
	return r.run(client.Mysql, strings.NewReader(stdin),
		append([]string{"mysql"}, args...)...)
}

// clientScene runs f in a bubble, with a server that has sqltest.Messages.
func clientScene(t *testing.T, f func(t *testing.T, r *clientRig)) {
	synctest.Test(t, func(t *testing.T) {
		r := newClientRig(t, sqltest.NewServer())
		_, errs, code := r.mysql(sqltest.Messages, "-h", "mysql-0.mysql")
		require.Empty(t, errs)
		require.Zero(t, code)
		f(t, r)
		r.stop()
	})
}

func (r *clientRig) stop() {
	r.node.Stop(r.pod.UID, "mysql", 0)
	r.node.Stop(r.pod.UID, "client", 0)
	synctest.Wait()
}

func TestMysqlPrintsForProgramsAndForPeople(t *testing.T) {
	clientScene(t, func(t *testing.T, r *clientRig) {
		query := "SELECT id, message AS m, n FROM messages WHERE id < 3"
		out, _, _ := r.mysql("", "-h127.0.0.1", "test", "-e", query)
		assert.Equal(t, "id\tm\tn\n1\thello\t1\n2\tWorld\tNULL\n", out)
		out, _, _ = r.mysql("", "-sNe", query, "--database=test", "-uroot")
		assert.Equal(t, "1\thello\t1\n2\tWorld\tNULL\n", out)
		out, _, _ = r.mysql("", "--table", "test", "-e", query)
		assert.Equal(t, `+----+-------+------+
| id | m     | n    |
+----+-------+------+
|  1 | hello |    1 |
|  2 | World | NULL |
+----+-------+------+
`, out)
		out, _, _ = r.mysql("use test\n"+query+"\\G", "-h", "localhost")
		assert.Equal(t, `*************************** 1. row ***************************
id: 1
 m: hello
 n: 1
*************************** 2. row ***************************
id: 2
 m: World
 n: NULL
`, out)
		out, _, _ = r.mysql(`SELECT 'a\tb\\c\nd'`, "-N")
		assert.Equal(t, `a\tb\\c\nd`+"\n", out)
		out, _, _ = r.mysql(`SELECT 'a\tb\\c\nd'`, "-N", "-r")
		assert.Equal(t, "a\tb\\c\nd\n", out)
		out, _, _ = r.mysql("CREATE DATABASE IF NOT EXISTS test;\nSELECT 1 a", "-vv")
		assert.Equal(t, "--------------\nCREATE DATABASE IF NOT EXISTS test\n--------------\n\n"+
			"Query OK, 1 row affected, 1 warning\n\n"+
			"--------------\nSELECT 1 a\n--------------\n\na\n1\n1 row in set\n\nBye\n", out)
	})
}

func TestMysqlStopsAtTheFirstErrorAndSaysWhere(t *testing.T) {
	clientScene(t, func(t *testing.T, r *clientRig) {
		script := "-- nothing;\n\nSELECT 1;\n  SELECT\n 2; nonsense\nhere;\nSELECT 3;\n"
		out, errs, code := r.mysql(script, "-N")
		assert.Equal(t, "1\n2\n", out)
		assert.Equal(t, "ERROR 1064 (42000) at line 5: You have an error in your SQL "+
			"syntax; check the manual that corresponds to your MySQL server version "+
			"for the right syntax to use near 'nonsense\nhere' at line 1\n", errs)
		assert.Equal(t, 1, code)
		out, errs, code = r.mysql(script, "-N", "--force")
		assert.Equal(t, "1\n2\n3\n", out)
		assert.NotEmpty(t, errs)
		assert.Zero(t, code, "forced")
	})
}

func TestMysqlSaysWhyThereIsNoConnection(t *testing.T) {
	clientScene(t, func(t *testing.T, r *clientRig) {
		for host, want := range map[string]string{
			"mysql-9.mysql": "ERROR 2005 (HY000): Unknown MySQL server host 'mysql-9.mysql' (0)\n",
			"mysql-1.mysql": "ERROR 2003 (HY000): Can't connect to MySQL server on 'mysql-1.mysql' (113)\n",
		} {
			_, errs, code := r.mysql("", "-h", host, "-e", "SELECT 1")
			assert.Equal(t, want, errs)
			assert.Equal(t, 1, code)
		}
		_, errs, _ := r.mysql("", "-h", "127.0.0.1", "-P", "3307")
		assert.Equal(t, "ERROR 2003 (HY000): Can't connect to MySQL server on '127.0.0.1' (111)\n", errs)
		_, errs, _ = r.mysql("", "--port=3307")
		assert.Equal(t, "ERROR 2002 (HY000): Can't connect to local MySQL server "+
			"through socket '/var/run/mysqld/mysqld.sock' (2)\n", errs)
		_, errs, _ = r.mysql("", "-u", "ada", "-psecret")
		assert.Equal(t, "mysql: [Warning] Using a password on the command line interface can be insecure.\n"+
			"ERROR 1045 (28000): Access denied for user 'ada'@'127.0.0.1' (using password: YES)\n", errs)
		_, errs, code := r.mysql("", "--nope")
		assert.Equal(t, "mysql: [ERROR] unknown option '--nope'\n", errs)
		assert.Equal(t, 2, code)
	})
}

func TestMysqlExecutesAStatementAsSoonAsItIsTyped(t *testing.T) {
	clientScene(t, func(t *testing.T, r *clientRig) {
		in, typed := io.Pipe()
		done := make(chan string)
		go func() {
			out, _, _ := r.run(client.Mysql, in, "mysql", "-N")
			done <- out
		}()
		io.WriteString(typed, "CREATE DATABASE now")
		synctest.Wait()
		out, _, _ := r.mysql("SHOW DATABASES LIKE 'now'", "-N")
		assert.Empty(t, out)
		io.WriteString(typed, ";\nSELECT 'after'")
		synctest.Wait()
		out, _, _ = r.mysql("SHOW DATABASES LIKE 'now'", "-N")
		assert.Equal(t, "now\n", out)
		typed.Close()
		assert.Equal(t, "after\n", <-done)
	})
}

// clientScreen is where a person looks.
type clientScreen struct{ bytes.Buffer }

func (*clientScreen) Size() (height, width uint16) { return 24, 80 }

// clientKeyboard is what a person types on.
type clientKeyboard struct{ io.Reader }

func (k clientKeyboard) Until(context.Context) io.Reader { return k }

func TestMysqlAsksBeforeATerminal(t *testing.T) {
	clientScene(t, func(t *testing.T, r *clientRig) {
		p := r.process.Beside("mysql", "test")
		screen := &clientScreen{}
		p.Stdin = clientKeyboard{strings.NewReader("SELECT id\nFROM messages\nLIMIT 1;\nnonsense;\n" +
			"SELECT nope \\c\nDELETE FROM messages;\nSHOW TABLES LIKE 'x';\nexit\n")}
		p.Stdout, p.Stderr = screen, screen
		assert.Zero(t, client.Mysql(t.Context(), p))
		_, after, _ := strings.Cut(screen.String(), "statement.\n\n")
		assert.Equal(t, "mysql>     ->     -> +----+\n| id |\n+----+\n|  1 |\n+----+\n1 row in set (0.00 sec)\n\n"+
			"mysql> ERROR 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your "+
			"MySQL server version for the right syntax to use near 'nonsense' at line 1\n"+
			"mysql> mysql> Query OK, 3 rows affected (0.00 sec)\n\nmysql> Empty set (0.00 sec)\n\nmysql> Bye\n", after)

		p = r.process.Beside("mysql", "-N")
		screen.Reset()
		p.Stdin, p.Stdout = strings.NewReader("SELECT 1"), screen
		assert.Zero(t, client.Mysql(t.Context(), p))
		assert.Equal(t, "1\n", screen.String(), "a pipe is nobody who could be asked")
	})
}

func TestMysqlSaysHowItIsConnected(t *testing.T) {
	clientScene(t, func(t *testing.T, r *clientRig) {
		about := "--------------\nmysql  Ver 14.14 Distrib 5.7.44, for Linux (x86_64) using  EditLine wrapper\n\n" +
			"Connection id:\t\t3\nCurrent database:\ttest\nCurrent user:\t\troot@127.0.0.1\nSSL:\t\t\tNot in use\n" +
			"Current pager:\t\tstdout\nUsing outfile:\t\t''\nUsing delimiter:\t;\nServer version:\t\t5.7.44-log simulated\n" +
			"Protocol version:\t10\nConnection:\t\tmysql-0.mysql via TCP/IP\nServer characterset:\tlatin1\n" +
			"Db     characterset:\tlatin1\nClient characterset:\tlatin1\nConn.  characterset:\tlatin1\n" +
			"TCP port:\t\t3306\nUptime:\t\t\t0 sec\n\nThreads: 1  Questions: 0\n--------------\n\n"
		for _, command := range []string{"status", "STATUS;", `\s`} {
			out, errs, code := r.mysql(command+"\nSELECT 1 a;\n", "-h", "mysql-0.mysql", "test")
			assert.Equal(t, about+"a\n1\n", out, command)
			assert.Empty(t, errs)
			assert.Zero(t, code)
		}
		out, _, _ := r.mysql("", "-e", "status")
		assert.Contains(t, out, "Current database:\t\n")
		assert.Contains(t, out, "Connection:\t\tLocalhost via UNIX socket\n")
		assert.Contains(t, out, "UNIX socket:\t\t/var/run/mysqld/mysqld.sock\n")
		out, errs, _ := r.mysql("help\n\\h\nstatus quo;\n")
		assert.Equal(t, 2, strings.Count(out, "List of all MySQL commands:"))
		assert.Contains(t, errs, "near 'status quo' at line 1")
		assert.Contains(t, errs, "ERROR 1064 (42000) at line 3: ")
		out, _, code := r.mysql("SELECT 1;\n\\q\nSELECT 2;\n", "-N")
		assert.Equal(t, "1\n", out)
		assert.Zero(t, code)
	})
}

func TestStatusSaysForHowLong(t *testing.T) {
	for d, want := range map[time.Duration]string{
		59 * time.Second:              "59 sec",
		time.Minute:                   "1 min 0 sec",
		25*time.Hour + 61*time.Second: "1 day 1 hour 1 min 1 sec",
		50 * time.Hour:                "2 days 2 hours 0 sec",
	} {
		assert.Equal(t, want, client.InTime(d))
	}
}

func TestMysqlEndsWhenItIsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newClientRig(t, sqltest.HandlerFunc(func(ctx context.Context) (*sql.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}))
		defer r.stop()
		time.AfterFunc(time.Minute, func() { r.node.Stop(r.pod.UID, "client", 0) })
		began := time.Now()
		_, errs, code := r.mysql("", "-e", "SELECT 1")
		assert.Equal(t, time.Minute, time.Since(began))
		assert.Equal(t, "ERROR 2013 (HY000) at line 1: Lost connection to MySQL server during query\n", errs)
		assert.Equal(t, 1, code)
	})
}

func TestMysqladminPingsAServerThatIsAlive(t *testing.T) {
	clientScene(t, func(t *testing.T, r *clientRig) {
		for args, want := range map[string]string{
			"ping":                    "mysqld is alive\n",
			"-h mysql-0.mysql ping":   "mysqld is alive\n",
			"-u ada ping":             "mysqld is alive\n",
			"-h 127.0.0.1 status":     "Uptime: 0  Threads: 1  Questions: 0\n",
			"-P 1 ping":               "\amysqladmin: connect to server at 'localhost' failed\nerror: 'Can't connect to local MySQL server through socket '/var/run/mysqld/mysqld.sock' (2)'\nCheck that mysqld is running and that the socket: '/var/run/mysqld/mysqld.sock' exists!\n",
			"-h 127.0.0.1 -P 99 ping": "\amysqladmin: connect to server at '127.0.0.1' failed\nerror: 'Can't connect to MySQL server on '127.0.0.1' (111)'\nCheck that mysqld is running on 127.0.0.1 and that the port is 99.\nYou can check this by doing 'telnet 127.0.0.1 99'\n",
			"-u ada status":           "\amysqladmin: connect to server at 'localhost' failed\nerror: 'Access denied for user 'ada'@'127.0.0.1' (using password: NO)'\n",
		} {
			out, errs, code := r.run(client.Mysqladmin, strings.NewReader(""),
				append([]string{"mysqladmin"}, strings.Fields(args)...)...)
			assert.Equal(t, want, out+errs, args)
			assert.Equal(t, errs != "", code == 1, args)
		}
	})
}

// The same scripts, by MariaDB's own client and by ours, print the same.
func TestMysqlPrintsWhatARealOnePrints(t *testing.T) {
	server := sqltest.NewServer()
	port := sqltest.Listen(t, server, "")
	sqltest.Run(t, server, sqltest.Messages)
	for _, args := range []string{"", "-t", "-N", "-E", "-r", "-t -N", "-s", "-v", "-vv", "-f", "-B"} {
		for _, script := range []string{
			"SELECT * FROM messages",
			"SELECT * FROM messages WHERE id > 9; SELECT COUNT(*) c FROM messages",
			"SELECT message AS m FROM messages\\G SELECT 2\\g\nSELECT NULL, 1, 'a\\\\\\tb\\n', '日本'",
			"use test\nSELECT 1;; -- c\n SELECT 2 # d\n;SELECT /* e; */ 'x;y'",
			"DELETE FROM messages WHERE id > 77;\nUPDATE messages SET n = 1 WHERE id = 1;\nSET @x = 1;SELECT @x",
			"SELECT 1;\n\n\nSELECT\nnope",
			"SHOW TABLES; DESCRIBE messages; SHOW WARNINGS; CREATE DATABASE IF NOT EXISTS test; SHOW WARNINGS",
		} {
			out, theirs, code := sqltest.Machine(t, port, script, append([]string{"mysql", "test"}, strings.Fields(args)...)...)
			// MySQL's own does not repeat the statement before the error.
			if _, after, found := strings.Cut(theirs, "\n--------------\n\n"); found {
				theirs = after
			}
			t.Run(args+" "+script, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newClientRig(t, server)
					ours, errs, ourCode := r.mysql(script, append([]string{"test"}, strings.Fields(args)...)...)
					assert.Equal(t, out, ours)
					assert.Equal(t, theirs, errs)
					assert.Equal(t, code, ourCode)
					r.stop()
				})
			})
		}
	}
}
