package sidecar_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	sidecar "reconcile/chapters/07-mysql-cluster/exercises/7d"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/images"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// A world is a node with a master, and Pods of slaves one after the other.
type world struct {
	t        *testing.T
	machines *images.Machines
	runtime  kubelet.Runtime
	tools    simulated.Image
	master   *pod
	copy     string // a disk with a copy of the master, and where that begins
	pods     int

	mu   sync.Mutex // what is done, by whichever container, is done one by one
	harm harm
	did  []string // the commands of the sidecar that change something
}

// plan says what is to happen to the next sidecar, and forgets the last one's deeds.
func (w *world) plan(h harm) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.harm, w.did = h, nil
}

// deeds are what the sidecar has done until now. Nothing happens to it any more.
func (w *world) deeds() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.harm.at = -1
	return slices.Clone(w.did)
}

// harm is what happens to a sidecar, once: at the command of this number it is
// killed, or the command fails, because the server is just dying.
type harm struct {
	at   int // -1: at none
	when string
}

const (
	server = "mysql:5.7"
	tools  = "gcr.io/google-samples/xtrabackup:1.0"
	data   = "/var/lib/mysql"
)

// A pod is one with a disk.
type pod struct {
	*corev1.Pod
	w    *world
	disk string
	conf string
}

// replicating runs a test in a world whose master has the orders 1 and 2 at the
// time of the copy, and then 3.
func replicating(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		machines := images.New()
		w := &world{
			t: t, machines: machines, runtime: machines.Runtime("node-1", "10.244.1"),
			harm: harm{at: -1},
		}
		defer func() {
			machines.Close()
			synctest.Wait()
		}()
		w.tools, _ = mysqlcluster.Images()["gcr.io/google-samples/xtrabackup"]("1.0")
		machines.SetImage(tools, simulated.Image{Commands: map[string]simulated.Program{
			"xtrabackup": w.tools.Commands["xtrabackup"], "xbstream": w.tools.Commands["xbstream"],
			"mysql": w.mysql, "mysqladmin": w.tools.Commands["mysqladmin"], "rm": w.rm, "mv": w.mv,
		}})
		machines.SetNames(func(*corev1.Pod) simulated.Resolver { return w })
		w.master = w.pod("mysql-0", w.t.TempDir(), "server-id=100\nlog-bin\n")
		w.master.start("mysql", server)
		time.Sleep(time.Second)
		w.master.do("CREATE DATABASE shop", "CREATE TABLE shop.orders (id INT)",
			"INSERT INTO shop.orders VALUES (1)", "INSERT INTO shop.orders VALUES (2)")
		w.copy = w.copied()
		w.master.do("INSERT INTO shop.orders VALUES (3)")
		test(w)
	})
}

// LookupHost implements simulated.Resolver.
func (w *world) LookupHost(_ context.Context, host string) ([]string, error) {
	if name, _, _ := strings.Cut(host, "."); w.master != nil && name == "mysql-0" && host != name {
		return []string{w.master.Status.PodIP}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (w *world) pod(name, disk, options string) *pod {
	p := &pod{w: w, disk: disk, conf: w.t.TempDir(), Pod: &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID("uid-of-" + name)},
		Spec: corev1.PodSpec{NodeName: "node-1", Hostname: name},
	}}
	require.NoError(w.t, os.WriteFile(filepath.Join(p.conf, "server.cnf"), []byte("[mysqld]\n"+options), 0o644))
	sandbox, err := w.runtime.Sandbox(w.t.Context(), p.Pod)
	require.NoError(w.t, err)
	p.Status.PodIP = sandbox.IP
	return p
}

// start starts a container of the Pod.
func (p *pod) start(name, image string, command ...string) {
	p.w.t.Helper()
	require.NoError(p.w.t, p.w.runtime.Start(p.w.t.Context(), p.Pod, &corev1.Container{
		Name: name, Image: image, Command: command,
		Env: []corev1.EnvVar{{Name: "MYSQL_ALLOW_EMPTY_PASSWORD", Value: "1"}},
	}, []kubelet.Mount{
		{Source: p.disk, Path: data}, {Source: p.conf, Path: "/etc/mysql/conf.d"},
	}))
	synctest.Wait()
}

// startSidecar starts the script.
func (p *pod) startSidecar() {
	p.w.t.Helper()
	p.start("xtrabackup", tools, "bash", "-c", sidecar.SidecarScript())
}

// end is what has become of the sidecar: "" while it runs.
func (p *pod) end() string {
	if done := p.w.runtime.Containers(p.UID)["xtrabackup"].State.Terminated; done != nil {
		return fmt.Sprint("it has ended with ", done.ExitCode)
	}
	return ""
}

// kill ends a container, as kill -9 does.
func (p *pod) kill(container string) {
	p.w.runtime.Stop(p.UID, container, 0)
	time.Sleep(time.Second)
}

// serve starts the sidecar until it stays up, as the kubelet does.
func (p *pod) serve() {
	p.w.t.Helper()
	for range 5 {
		p.startSidecar()
		time.Sleep(15 * time.Second)
		if p.end() == "" {
			return
		}
	}
	require.Fail(p.w.t, "the sidecar never stays up: CrashLoopBackOff", p.end())
}

// do executes statements at the Pod's server, and returns the last answer.
func (p *pod) do(statements ...string) *sql.Result {
	p.w.t.Helper()
	conn, err := p.w.machines.Dial(p.w.t.Context(), p.Pod, 3306)
	require.NoError(p.w.t, err)
	c, err := wire.Connect(p.w.t.Context(), conn, "root", "", "")
	require.NoError(p.w.t, err)
	defer c.Close()
	var result *sql.Result
	for _, sql := range statements {
		result, err = c.Query(sql)
		require.NoError(p.w.t, err, sql)
	}
	return result
}

// orders are the rows that the Pod's server has.
func (p *pod) orders() string {
	p.w.t.Helper()
	var ids []string
	for _, row := range p.do("SELECT id FROM shop.orders ORDER BY id").Rows {
		ids = append(ids, fmt.Sprint(row[0]))
	}
	return strings.Join(ids, " ")
}

// copied is a disk with a copy of the master.
func (w *world) copied() string {
	w.master.start("xtrabackup", tools, "sleep", "1000000")
	var stream, said bytes.Buffer
	code, err := w.machines.Exec(w.t.Context(), w.master.Pod, "xtrabackup", []string{
		"xtrabackup", "--backup", "--slave-info", "--stream=xbstream", "--host=127.0.0.1", "--user=root",
	}, streams.IO{Stdout: &stream, Stderr: &said})
	require.NoError(w.t, err)
	require.Zero(w.t, code, said.String())
	p := w.pod("copy", w.t.TempDir(), "")
	require.NoError(w.t, os.WriteFile(filepath.Join(p.conf, "stream"), stream.Bytes(), 0o644))
	p.start("xtrabackup", tools, "bash", "-c",
		"xbstream -x -C /var/lib/mysql < /etc/mysql/conf.d/stream; xtrabackup --prepare --target-dir=/var/lib/mysql")
	time.Sleep(time.Second)
	require.Equal(w.t, "it has ended with 0", p.end())
	return p.disk
}

// slave is a new Pod over a copy of the master. Its server does not run yet.
func (w *world) slave() *pod {
	disk := filepath.Join(w.t.TempDir(), "disk")
	require.NoError(w.t, os.CopyFS(disk, os.DirFS(w.copy)))
	w.pods++
	return w.pod(fmt.Sprint("mysql-", w.pods), disk, fmt.Sprintf("server-id=%d\n", 100+w.pods))
}

// remove removes the Pod.
func (p *pod) remove() {
	p.w.runtime.Remove(p.w.t.Context(), p.UID)
	time.Sleep(time.Second)
}

// next notes what is about to be done, and returns what is to happen then.
func (w *world) next(what string) harm {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.did = append(w.did, what)
	h := w.harm
	w.harm.at--
	return h
}

// step is called by each command that changes something. What is killed by it
// ends with 137, as what is killed later does.
func (w *world) step(p *simulated.Process, what string, run, amid func() int) int {
	if p.Container.Name != "xtrabackup" {
		return run()
	}
	h := w.next(what)
	if h.at != 0 {
		return run()
	}
	switch h.when {
	case "before":
	case "amid":
		amid()
	case "after":
		run()
	case "failing":
		fmt.Fprintln(p.Stderr, "ERROR 2013 (HY000): Lost connection to MySQL server during query")
		return 1
	}
	w.runtime.Stop(p.Pod.UID, p.Container.Name, 0)
	return 137
}

// mysql is the client. What only asks is not counted.
func (w *world) mysql(ctx context.Context, p *simulated.Process) int {
	args, script := []string{p.Args[0]}, ""
	for rest := p.Args[1:]; len(rest) > 0; rest = rest[1:] {
		switch arg := rest[0]; {
		case (arg == "-e" || arg == "--execute") && len(rest) > 1:
			script, rest = rest[1], rest[1:]
		case strings.HasPrefix(arg, "--execute="), strings.HasPrefix(arg, "-e"):
			script = strings.TrimPrefix(strings.TrimPrefix(arg, "--execute="), "-e")
		default:
			args = append(args, arg)
		}
	}
	if script == "" && p.Stdin != nil {
		text, _ := io.ReadAll(p.Stdin)
		script = string(text)
	}
	execute := func(script string) int {
		p.Args, p.Stdin = args, strings.NewReader(script)
		return w.tools.Commands["mysql"](ctx, p)
	}
	changes := []string{"CHANGE", "START", "STOP", "RESET", "SET"}
	what := ""
	for statement := range strings.SplitSeq(script, ";") {
		words := strings.Fields(strings.ToUpper(statement))
		if len(words) > 1 && slices.Contains(changes, words[0]) {
			what += " " + words[0] + " " + words[1]
		}
	}
	if what == "" {
		return execute(script)
	}
	return w.step(p, what[1:], func() int { return execute(script) }, func() int {
		first, _, _ := strings.Cut(script, ";")
		return execute(first + ";")
	})
}

func (w *world) rm(_ context.Context, p *simulated.Process) int {
	files := w.files(p)
	return w.step(p, "rm", func() int {
		for _, file := range files {
			os.RemoveAll(file)
		}
		return 0
	}, func() int {
		for _, file := range files[:len(files)/2] {
			os.RemoveAll(file)
		}
		return 0
	})
}

func (w *world) mv(_ context.Context, p *simulated.Process) int {
	files := w.files(p)
	none := func() int { return 0 }
	return w.step(p, "mv", func() int {
		if len(files) != 2 || os.Rename(files[0], files[1]) != nil {
			fmt.Fprintln(p.Stderr, "mv: cannot move: No such file or directory")
			return 1
		}
		return 0
	}, none)
}

// files are those of the disk that a command names.
func (w *world) files(p *simulated.Process) (all []string) {
	for _, arg := range p.Args[1:] {
		if !path.IsAbs(arg) {
			arg = path.Join(p.Dir, arg)
		}
		if inside, ok := strings.CutPrefix(path.Clean(arg), data+"/"); ok && !strings.HasPrefix(inside, "-") {
			all = append(all, filepath.Join(p.Mounts[0].Source, inside))
		}
	}
	return all
}

//book:exercise 7d
func TestASlaveGoesOnWhereItsCopyEnds(t *testing.T) {
	replicating(t, func(w *world) {
		p := w.slave()
		p.start("mysql", server)
		p.serve()
		assert.Equal(t, "1 2 3", p.orders())
		w.master.do("INSERT INTO shop.orders VALUES (4)")
		time.Sleep(time.Second)
		assert.Equal(t, "1 2 3 4", p.orders())
	})
}

// A copy of a slave says where its master stood; what else it says does not
// matter.
//
//book:exercise 7d
func TestACopyOfASlaveGoesOnAtItsMaster(t *testing.T) {
	replicating(t, func(w *world) {
		p := w.slave()
		p.copiesASlave()
		p.start("mysql", server)
		p.serve()
		assert.Equal(t, "1 2 3", p.orders())
	})
}

// copiesASlave makes the Pod's disk the copy of a slave that stood where the copy
// of the master does.
func (p *pod) copiesASlave() {
	p.w.t.Helper()
	note := filepath.Join(p.disk, "xtrabackup_binlog_info")
	content, err := os.ReadFile(note)
	require.NoError(p.w.t, err)
	var file string
	var pos int
	_, err = fmt.Sscan(string(content), &file, &pos)
	require.NoError(p.w.t, err)
	require.NoError(p.w.t, os.WriteFile(note, []byte("mysql-1-bin.000007\t154\n"), 0o644))
	require.NoError(p.w.t, os.WriteFile(filepath.Join(p.disk, "xtrabackup_slave_info"), fmt.Appendf(nil,
		"CHANGE MASTER TO MASTER_LOG_FILE='%s', MASTER_LOG_POS=%d\n", file, pos), 0o644))
}

// The server is another container, and may be pulling its image yet.
//
//book:exercise 7d
func TestTheServerMayComeLate(t *testing.T) {
	replicating(t, func(w *world) {
		p := w.slave()
		p.startSidecar()
		time.Sleep(3 * time.Minute)
		require.Empty(t, p.end(), "the sidecar, while there is no server yet")
		p.start("mysql", server)
		time.Sleep(5 * time.Second)
		assert.Equal(t, "1 2 3", p.orders(), "five seconds after the server has come")
	})
}

// A week later the sidecar is started again, while a person has the slave
// stopped; and once more, when it has been made a master.
//
//book:exercise 7d
func TestAServerIsMadeASlaveOnce(t *testing.T) {
	for _, of := range []string{"a master", "a slave"} {
		replicating(t, func(w *world) {
			p := w.slave()
			if of == "a slave" {
				p.copiesASlave()
			}
			p.start("mysql", server)
			p.serve()
			require.Equal(t, "1 2 3", p.orders())
			p.do("STOP SLAVE")
			w.master.do("INSERT INTO shop.orders VALUES (4)")
			w.plan(harm{at: -1})
			for _, what := range []string{"STOP SLAVE", "RESET SLAVE ALL"} {
				p.do(what)
				p.kill("xtrabackup")
				p.serve()
				assert.Equal(t, "1 2 3", p.orders(), "orders of a copy of %s, after %s and a restart", of, what)
			}
			assert.NotContains(t, strings.Join(w.deeds(), ", "), "SLAVE", "what it has told the server, a copy of %s", of)
		})
	}
}

//book:exercise 7d
func TestAServerThatFailsOnceIsAskedAgain(t *testing.T) {
	replicating(t, func(w *world) {
		for at := range 3 {
			p := w.slave()
			p.start("mysql", server)
			w.plan(harm{at, "failing"})
			p.startSidecar()
			time.Sleep(15 * time.Second)
			did := w.deeds()
			require.NotEmpty(t, did, "what it has told the server")
			if p.end() != "" {
				p.serve()
			}
			assert.Equal(t, "1 2 3", p.orders(), "when this has failed: %s", did[min(at, len(did)-1)])
			p.remove()
		}
	})
}

// Where a sidecar is killed, the next one goes on, and each order is there once.
//
//book:exercise 7d
func TestASidecarCanBeKilledAnywhere(t *testing.T) {
	replicating(t, func(w *world) {
		for at := range 8 {
			for _, when := range []string{"before", "amid", "after"} {
				p := w.slave()
				p.start("mysql", server)
				w.plan(harm{at, when})
				p.startSidecar()
				time.Sleep(15 * time.Second)
				did := w.deeds()
				require.NotEmpty(t, did, "what it has done")
				if p.end() != "" {
					p.serve()
				}
				said := fmt.Sprintf("killed %s its %s", when, did[min(at, len(did)-1)])
				assert.Equal(t, "1 2 3", p.orders(), said)
				assert.Equal(t, "Yes Yes", p.running(), said)
				p.remove()
			}
		}
	})
}

// running are a slave's two threads.
func (p *pod) running() string {
	result := p.do("SHOW SLAVE STATUS")
	var said []string
	for i, column := range result.Columns {
		if len(result.Rows) > 0 && strings.HasSuffix(column, "_Running") {
			said = append(said, fmt.Sprint(result.Rows[0][i]))
		}
	}
	return strings.Join(said, " ")
}

// The master's sidecar has nothing to set up, and all serve whoever is next.
//
//book:exercise 7d
func TestTheNextOneIsServed(t *testing.T) {
	replicating(t, func(w *world) {
		p := w.slave()
		p.start("mysql", server)
		p.serve()
		w.master.kill("xtrabackup")
		w.master.serve()
		for _, from := range []*pod{w.master, p} {
			for range 2 {
				assert.Equal(t, "XBSTCK01", from.stream(), "what %s sends, first", from.Name)
			}
		}
		assert.Empty(t, w.master.running(), "the master is nobody's slave")
	})
}

// stream is the beginning of a backup that the Pod sends.
func (p *pod) stream() string {
	conn, err := p.w.machines.Dial(p.w.t.Context(), p.Pod, 3307)
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	content, _ := io.ReadAll(conn)
	time.Sleep(time.Second)
	return string(content[:min(8, len(content))])
}
