package mend_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
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
	mend "reconcile/chapters/07-mysql-cluster/exercises/7j"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/images"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// A world is a node with a master and two slaves that follow it. The shop has the
// orders 1 to 3, and the first slave gets rows of its own.
type world struct {
	t        *testing.T
	machines *images.Machines
	runtime  kubelet.Runtime
	pods     map[string]*pod
	client   simulated.Program // the real mysql

	master, slave, other *pod

	coming atomic.Int64 // the last order that came in while the script asked; 0: none do
	lost   atomic.Bool  // a reader of the slave missed an order
}

// A pod is one with a server in it.
type pod struct {
	*corev1.Pod
	w *world
}

const server = "mysql:5.7"

func mending(t *testing.T, test func(w *world)) {
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
		image, _ := mysqlcluster.Images()["docker.io/library/mysql"]("5.7")
		w.client = image.Commands["mysql"]
		image.Commands["mysql"] = w.mysql
		machines.SetImage(server, image)
		machines.SetNames(func(*corev1.Pod) simulated.Resolver { return w })
		w.master = w.pod("mysql-0", "server-id=100\nlog-bin\n")
		w.slave = w.pod("mysql-1", "server-id=101\nsuper-read-only\n")
		w.other = w.pod("mysql-2", "server-id=102\nsuper-read-only\n")
		for _, p := range []*pod{w.slave, w.other} {
			p.do("CHANGE MASTER TO MASTER_HOST='mysql-0.mysql', MASTER_USER='root', "+
				"MASTER_PASSWORD='', MASTER_CONNECT_RETRY=10", "START SLAVE")
		}
		w.master.do("CREATE DATABASE shop",
			"CREATE TABLE shop.orders (id INT PRIMARY KEY, what VARCHAR(40), cups INT)",
			"CREATE TABLE shop.visits (page VARCHAR(40))",
			"INSERT INTO shop.orders VALUES (1, 'tea', 1), (2, 'milk', 2), (3, 'coffee', 3)")
		time.Sleep(time.Second)
		test(w)
	})
}

// LookupHost implements simulated.Resolver.
func (w *world) LookupHost(_ context.Context, host string) ([]string, error) {
	name, _, _ := strings.Cut(host, ".")
	if p := w.pods[name]; p != nil && host != name {
		return []string{p.Status.PodIP}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// pod starts a Pod whose server has these options.
func (w *world) pod(name, options string) *pod {
	p := &pod{w: w, Pod: &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID("uid-of-" + name)},
		Spec: corev1.PodSpec{NodeName: "node-1", Hostname: name},
	}}
	conf := w.t.TempDir()
	require.NoError(w.t, os.WriteFile(filepath.Join(conf, "server.cnf"), []byte("[mysqld]\n"+options), 0o644))
	sandbox, err := w.runtime.Sandbox(w.t.Context(), p.Pod)
	require.NoError(w.t, err)
	p.Status.PodIP = sandbox.IP
	w.pods[name] = p
	require.NoError(w.t, w.runtime.Start(w.t.Context(), p.Pod, &corev1.Container{
		Name: "mysql", Image: server,
		Env: []corev1.EnvVar{{Name: "MYSQL_ALLOW_EMPTY_PASSWORD", Value: "1"}},
	}, []kubelet.Mount{
		{Source: w.t.TempDir(), Path: "/var/lib/mysql"}, {Source: conf, Path: "/etc/mysql/conf.d"},
	}))
	time.Sleep(time.Second)
	return p
}

// mysql is the client, which takes its time: orders may come in meanwhile, and
// readers look for those that were right from the beginning.
func (w *world) mysql(ctx context.Context, p *simulated.Process) int {
	code := w.client(ctx, p)
	if w.coming.Load() > 0 {
		id := w.coming.Add(1)
		w.master.query(fmt.Sprintf("INSERT INTO shop.orders VALUES (%d, 'meanwhile', 1)", id))
	}
	time.Sleep(100 * time.Millisecond)
	found, err := w.slave.query("SELECT COUNT(*) FROM shop.orders WHERE id <= 2")
	if err == nil && found.Rows[0][0] != int64(2) {
		w.lost.Store(true)
	}
	return code
}

// query executes statements at the server, and returns the last answer.
func (p *pod) query(statements ...string) (result *sql.Result, err error) {
	conn, err := p.w.machines.Dial(p.w.t.Context(), p.Pod, 3306)
	if err != nil {
		return nil, err
	}
	c, err := wire.Connect(p.w.t.Context(), conn, "root", "", "")
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for _, statement := range statements {
		if result, err = c.Query(statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	return result, nil
}

func (p *pod) do(statements ...string) *sql.Result {
	p.w.t.Helper()
	result, err := p.query(statements...)
	require.NoError(p.w.t, err)
	return result
}

// writes does on a slave what no client should be able to.
func (p *pod) writes(statements ...string) {
	p.w.t.Helper()
	p.do("SET GLOBAL super_read_only = 0")
	p.do(statements...)
	p.do("SET GLOBAL super_read_only = 1")
}

// shop is what the server has of the shop: its orders, and its visits.
func (p *pod) shop() (all []string) {
	p.w.t.Helper()
	for _, table := range []string{"orders ORDER BY id", "visits"} {
		for _, row := range p.do("SELECT * FROM shop." + table).Rows {
			all = append(all, strings.Trim(fmt.Sprint(row), "[]"))
		}
	}
	return all
}

// beyond returns the rows of one server that another does not have.
func beyond(rows, others []string) []string {
	return slices.DeleteFunc(rows, func(row string) bool {
		i := slices.Index(others, row)
		if i >= 0 {
			others = slices.Delete(others, i, i+1)
		}
		return i >= 0
	})
}

// status are columns of SHOW SLAVE STATUS.
func (p *pod) status(columns ...string) string {
	p.w.t.Helper()
	result := p.do("SHOW SLAVE STATUS")
	require.Len(p.w.t, result.Rows, 1, "%s has a master", p.Name)
	var found []string
	for _, column := range columns {
		for i, name := range result.Columns {
			if name == column {
				found = append(found, sql.Text(result.Rows[0][i]))
			}
		}
	}
	return strings.Join(found, " ")
}

// collides waits until a row of the slave's own is in the master's way.
func (w *world) collides() {
	w.t.Helper()
	time.Sleep(time.Second)
	require.Equal(w.t, "1062 No", w.slave.status("Last_SQL_Errno", "Slave_SQL_Running"))
}

// runs runs the script beside the slave's server, and returns what it printed and
// its exit code.
func (w *world) runs() (string, int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Minute)
	defer cancel()
	var printed, said bytes.Buffer
	code, err := w.machines.Exec(ctx, w.slave.Pod, "mysql",
		[]string{"bash", "-c", mend.MendScript()}, streams.IO{Stdout: &printed, Stderr: &said})
	require.NoError(w.t, err)
	require.NoError(w.t, ctx.Err(), "the script doesn't come to an end within ten minutes")
	w.t.Logf("the script ended with %d, and said %q", code, said.String())
	return printed.String(), code
}

// mends runs the script, after which all three servers have the same again.
func (w *world) mends() {
	w.t.Helper()
	before := w.master.shop()
	_, code := w.runs()
	assert.Zero(w.t, code, "the script's exit code")
	w.coming.Store(0)
	assert.Empty(w.t, beyond(before, w.master.shop()), "rows that were the master's, and are no more")
	w.master.do("INSERT INTO shop.visits VALUES ('the next one')")
	time.Sleep(time.Second)
	assert.Empty(w.t, beyond(w.master.shop(), w.slave.shop()), "rows of the master's that the slave lacks")
	assert.Empty(w.t, beyond(w.slave.shop(), w.master.shop()), "rows that only the slave has")
	assert.Equal(w.t, w.master.shop(), w.other.shop(), "what the other slave has")
	assert.Equal(w.t, "Yes Yes", w.slave.status("Slave_IO_Running", "Slave_SQL_Running"), "the slave's threads")
	assert.False(w.t, w.lost.Load(), "a reader of the slave missed an order that was right")
}
