package ready_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
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
	ready "reconcile/chapters/07-mysql-cluster/exercises/7e"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/images"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// A world is a node with a master and two slaves, which follow nobody yet.
type world struct {
	t        *testing.T
	machines *images.Machines
	runtime  kubelet.Runtime
	pods     map[string]*pod
}

// A pod is one with a server in it.
type pod struct {
	*corev1.Pod
	w    *world
	conf string
	said string // by the probe, when it was asked last
}

const server = "mysql:5.7"

var slaves = []string{"mysql-1", "mysql-2"}

// probing runs a test in a world.
func probing(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		machines := images.New()
		w := &world{
			t: t, machines: machines, runtime: machines.Runtime("node-1", "10.244.1"),
			pods: map[string]*pod{},
		}
		defer func() {
			machines.Close()
			synctest.Wait()
		}()
		machines.SetNames(func(*corev1.Pod) simulated.Resolver { return w })
		w.pod("mysql-0", "server-id=100\nlog-bin\n")
		w.pod("mysql-1", "server-id=101\nsuper-read-only\n")
		w.pod("mysql-2", "server-id=102\nsuper-read-only\n")
		for _, p := range w.pods {
			p.start(t.TempDir())
		}
		test(w)
	})
}

// replicating is probing, where the slaves follow their master.
func replicating(t *testing.T, test func(w *world)) {
	t.Helper()
	probing(t, func(w *world) {
		w.each(func(p *pod) {
			p.do("CHANGE MASTER TO MASTER_HOST='mysql-0.mysql', MASTER_USER='root', "+
				"MASTER_PASSWORD='', MASTER_CONNECT_RETRY=10", "START SLAVE")
		})
		time.Sleep(time.Second)
		test(w)
	})
}

// each does something to each slave.
func (w *world) each(do func(p *pod)) {
	for _, name := range slaves {
		do(w.pods[name])
	}
}

// LookupHost implements simulated.Resolver.
func (w *world) LookupHost(_ context.Context, host string) ([]string, error) {
	name, _, _ := strings.Cut(host, ".")
	if p := w.pods[name]; p != nil && host != name {
		return []string{p.Status.PodIP}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (w *world) pod(name, options string) *pod {
	p := &pod{w: w, conf: w.t.TempDir(), Pod: &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID("uid-of-" + name)},
		Spec: corev1.PodSpec{NodeName: "node-1", Hostname: name},
	}}
	require.NoError(w.t, os.WriteFile(filepath.Join(p.conf, "server.cnf"),
		[]byte("[mysqld]\n"+options), 0o644))
	sandbox, err := w.runtime.Sandbox(w.t.Context(), p.Pod)
	require.NoError(w.t, err)
	p.Status.PodIP = sandbox.IP
	w.pods[name] = p
	return p
}

// start starts the container mysql over a disk: with the server, or with
// something else.
func (p *pod) start(disk string, command ...string) {
	p.w.t.Helper()
	require.NoError(p.w.t, p.w.runtime.Start(p.w.t.Context(), p.Pod, &corev1.Container{
		Name: "mysql", Image: server, Command: command,
		Env: []corev1.EnvVar{{Name: "MYSQL_ALLOW_EMPTY_PASSWORD", Value: "1"}},
	}, []kubelet.Mount{
		{Source: disk, Path: "/var/lib/mysql"}, {Source: p.conf, Path: "/etc/mysql/conf.d"},
	}))
	time.Sleep(time.Second)
}

// kill ends the container, as kill -9 does.
func (p *pod) kill() {
	p.w.runtime.Stop(p.UID, "mysql", 0)
	time.Sleep(time.Second)
}

// do executes statements at the server, and returns the last answer.
func (p *pod) do(statements ...string) (result *sql.Result) {
	p.w.t.Helper()
	conn, err := p.w.machines.Dial(p.w.t.Context(), p.Pod, 3306)
	require.NoError(p.w.t, err)
	c, err := wire.Connect(p.w.t.Context(), conn, "root", "", "")
	require.NoError(p.w.t, err)
	defer c.Close()
	for _, statement := range statements {
		result, err = c.Query(statement)
		require.NoError(p.w.t, err, statement)
	}
	return result
}

// status is a column of SHOW SLAVE STATUS.
func (p *pod) status(column string) string {
	p.w.t.Helper()
	result := p.do("SHOW SLAVE STATUS")
	require.Len(p.w.t, result.Rows, 1)
	for i, name := range result.Columns {
		if name == column {
			return sql.Text(result.Rows[0][i])
		}
	}
	require.Fail(p.w.t, "no column "+column)
	return ""
}

// isReady runs the probe, as the kubelet does.
func (p *pod) isReady() bool {
	p.w.t.Helper()
	began := time.Now()
	var said bytes.Buffer
	code, err := p.w.machines.Exec(p.w.t.Context(), p.Pod, "mysql",
		[]string{"bash", "-c", ready.ReadyScript()}, streams.IO{Stdout: &said, Stderr: &said})
	require.NoError(p.w.t, err)
	require.LessOrEqual(p.w.t, time.Since(began), time.Second, "timeoutSeconds is 1")
	p.said = fmt.Sprintf("%s: the probe ended with %d, and said: %q", p.Name, code, said.String())
	return code == 0
}

// why is a message about the last verdict.
func (p *pod) why() string { return p.said }

//book:exercise 7e
func TestWhereAllIsWellEverybodyIsAsked(t *testing.T) {
	replicating(t, func(w *world) {
		// An empty probe is content with everything; one that is not empty may
		// not be content with nothing.
		require.NotEmpty(t, ready.ReadyScript())
		for _, p := range w.pods {
			assert.True(t, p.isReady(), p.why())
		}
	})
}

// The first bug: the note is burnt, and the server was never told.
//
//book:exercise 7e
func TestASlaveThatFollowsNobodyIsNotAsked(t *testing.T) {
	probing(t, func(w *world) {
		w.each(func(p *pod) { assert.False(t, p.isReady(), p.why()) })
		// What is read-only for all but administrators is no master yet.
		w.each(func(p *pod) {
			p.do("SET GLOBAL super_read_only = 0")
			assert.False(t, p.isReady(), p.why())
		})
	})
}

// A person wants it quiet, for as long as he needs.
//
//book:exercise 7e
func TestASlaveThatWasStoppedIsNotAskedUntilItIsStarted(t *testing.T) {
	replicating(t, func(w *world) {
		p := w.pods["mysql-2"]
		p.do("STOP SLAVE")
		assert.False(t, p.isReady(), p.why())
		p.do("START SLAVE")
		time.Sleep(time.Second)
		assert.True(t, p.isReady(), p.why())
	})
}

// Each of the two threads can be stopped alone. One that executes all that it has
// heard, and hears nothing more, falls behind for ever.
//
//book:exercise 7e
func TestASlaveOfWhichOneThreadWasStoppedIsNotAsked(t *testing.T) {
	for _, thread := range []string{"IO_THREAD", "SQL_THREAD"} {
		replicating(t, func(w *world) {
			p := w.pods["mysql-2"]
			p.do("STOP SLAVE " + thread)
			time.Sleep(time.Second) // the other goes on
			assert.False(t, p.isReady(), "%s: %s", thread, p.why())
			p.do("START SLAVE " + thread)
			time.Sleep(time.Second)
			assert.True(t, p.isReady(), "%s: %s", thread, p.why())
		})
	}
}

//book:exercise 7e
func TestAServerThatDoesNotAnswerIsNotAsked(t *testing.T) {
	replicating(t, func(w *world) {
		for _, p := range w.pods {
			p.kill()
			p.start(t.TempDir(), "sleep", "1000000")
			assert.False(t, p.isReady(), p.why())
		}
	})
}

//book:exercise 7e
func TestReadersStayWhileTheMasterIsAway(t *testing.T) {
	replicating(t, func(w *world) {
		require.NotEmpty(t, ready.ReadyScript())
		w.pods["mysql-0"].kill()
		time.Sleep(30 * time.Second)
		w.each(func(p *pod) {
			require.Equal(t, "Connecting", p.status("Slave_IO_Running"))
			assert.True(t, p.isReady(), p.why())
		})
		p := w.pods["mysql-2"]
		p.do("STOP SLAVE SQL_THREAD")
		assert.False(t, p.isReady(), "that the master is away is no excuse for a stop by hand: %s", p.why())
	})
}

// The master has come back with an empty disk: no slave can go on.
//
//book:exercise 7e
func TestReadersStayWhenTheMasterHasLostItsDisk(t *testing.T) {
	replicating(t, func(w *world) {
		require.NotEmpty(t, ready.ReadyScript())
		master := w.pods["mysql-0"]
		master.do("CREATE DATABASE shop")
		time.Sleep(time.Second)
		master.kill()
		master.start(t.TempDir())
		time.Sleep(30 * time.Second)
		w.each(func(p *pod) {
			require.Equal(t, "No", p.status("Slave_IO_Running"))
			assert.True(t, p.isReady(), p.why())
		})
	})
}

// What one slave cannot execute no slave can: they are alike.
//
//book:exercise 7e
func TestOneStatementDoesNotSendAllReadersToTheMaster(t *testing.T) {
	replicating(t, func(w *world) {
		require.NotEmpty(t, ready.ReadyScript())
		w.each(func(p *pod) {
			p.do("SET GLOBAL super_read_only = 0", "CREATE DATABASE reports",
				"SET GLOBAL super_read_only = 1")
		})
		w.pods["mysql-0"].do("CREATE DATABASE reports")
		time.Sleep(time.Second)
		w.each(func(p *pod) {
			require.Equal(t, "No", p.status("Slave_SQL_Running"))
			assert.True(t, p.isReady(), p.why())
		})
	})
}

// It does what the operator of the last page does.
//
//book:exercise 7e
func TestASlaveThatWasMadeAMasterIsAsked(t *testing.T) {
	replicating(t, func(w *world) {
		require.NotEmpty(t, ready.ReadyScript())
		w.pods["mysql-0"].kill()
		p := w.pods["mysql-1"]
		p.do("STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = 0")
		assert.True(t, p.isReady(), p.why())
	})
}
