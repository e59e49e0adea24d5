package cloneonce_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
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
	cloneonce "reconcile/chapters/07-mysql-cluster/exercises/7c"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/images"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// A world is a node on which Pods clone, and the neighbours that they can ask.
type world struct {
	t        *testing.T
	machines *images.Machines
	runtime  kubelet.Runtime
	tools    simulated.Image
	backups  map[string][]byte // what a neighbour sends
	readers  int               // servers that were started to see what is on a disk

	mu    sync.Mutex // the ends of a pipe run at the same time
	asked []string   // who was, in order
	harm  harm
}

// harm is what happens to a clone, once. Numbers below zero are never.
type harm struct {
	lost    int    // after how many bytes the neighbour dies
	killed  int    // after how many bytes are unpacked the container is killed
	swept   int    // after how many files rm has removed
	killing string // "before" or "after" the copy is prepared
}

var none = harm{lost: -1, killed: -1, swept: -1}

const (
	server = "mysql:5.7"
	tools  = "gcr.io/google-samples/xtrabackup:1.0"
	data   = "/var/lib/mysql"
)

// cloning runs a test in a world in which mysql-0 and mysql-1 send what they have.
func cloning(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		machines := images.New()
		w := &world{
			t: t, machines: machines, runtime: machines.Runtime("node-1", "10.244.1"),
			backups: map[string][]byte{}, harm: none,
		}
		defer func() {
			machines.Close()
			synctest.Wait()
		}()
		w.tools, _ = mysqlcluster.Images()["gcr.io/google-samples/xtrabackup"]("1.0")
		machines.SetImage(tools, simulated.Image{Commands: map[string]simulated.Program{
			"xtrabackup": w.xtrabackup, "xbstream": w.xbstream, "ncat": w.ncat, "rm": w.rm,
		}})
		w.backups["mysql-0"] = w.backup("a", "CREATE DATABASE shop")
		w.backups["mysql-1"] = w.backup("b", "CREATE DATABASE shop", "CREATE DATABASE extra")
		test(w)
	})
}

// disk returns a disk with nothing on it but these files.
func (w *world) disk(files ...string) string {
	dir := w.t.TempDir()
	for _, file := range files {
		require.NoError(w.t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755))
		require.NoError(w.t, os.WriteFile(filepath.Join(dir, file), nil, 0o644))
	}
	return dir
}

// run starts a container in a Pod that has a disk.
func (w *world) run(pod, name, image, disk string, command ...string) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: pod, Namespace: "default", UID: types.UID("uid-of-" + pod)},
		Spec: corev1.PodSpec{NodeName: "node-1", Hostname: pod},
	}
	_, err := w.runtime.Sandbox(w.t.Context(), p)
	require.NoError(w.t, err)
	require.NoError(w.t, w.runtime.Start(w.t.Context(), p, &corev1.Container{
		Name: name, Image: image, Command: command,
		Env: []corev1.EnvVar{{Name: "MYSQL_ALLOW_EMPTY_PASSWORD", Value: "1"}},
	}, []kubelet.Mount{{Source: disk, Path: data}}))
	synctest.Wait()
	return p
}

// clone runs the script in a Pod's init container, until it has ended, and
// returns its exit code.
func (w *world) clone(pod, disk string) int {
	w.t.Helper()
	p := w.run(pod, "clone-mysql", tools, disk, "bash", "-c", cloneonce.CloneScript())
	for range 600 {
		state := w.runtime.Containers(p.UID)["clone-mysql"].State
		if state.Terminated != nil {
			return int(state.Terminated.ExitCode)
		}
		time.Sleep(time.Second)
	}
	require.Fail(w.t, "the script does not come to an end")
	return 0
}

// again is clone until the script is content, as the kubelet does it.
func (w *world) again(pod, disk string) {
	w.t.Helper()
	for range 5 {
		if w.clone(pod, disk) == 0 {
			return
		}
	}
	require.Fail(w.t, "the init container never succeeds: Init:CrashLoopBackOff",
		"the last lines of its log:\n%s", w.lastLines(pod))
}

// lastLines are what the script in a Pod has said last.
func (w *world) lastLines(pod string) string {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: types.UID("uid-of-" + pod)},
		Spec:       corev1.PodSpec{NodeName: "node-1"},
	}
	status := w.runtime.Containers(p.UID)["clone-mysql"]
	status.Name = "clone-mysql"
	p.Spec.Containers = []corev1.Container{{Name: status.Name}}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{status}
	log, err := w.machines.Logs(w.t.Context(), p,
		&corev1.PodLogOptions{Container: status.Name, TailLines: new(int64(5))})
	if err != nil {
		return err.Error()
	}
	defer log.Close()
	text, _ := io.ReadAll(log)
	return string(text)
}

// databases are those that somebody has made, as a server finds them on a disk.
func (w *world) databases(disk string) string {
	w.t.Helper()
	w.readers++
	p := w.run(fmt.Sprint("reader-", w.readers), "mysql", server, disk)
	time.Sleep(time.Second)
	defer func() {
		w.runtime.Remove(context.Background(), p.UID)
		time.Sleep(time.Second)
	}()
	all := w.ask(p, "SHOW DATABASES")
	if all == nil {
		return "it does not start"
	}
	own := slices.DeleteFunc(all, func(name string) bool {
		return slices.Contains([]string{"information_schema", "mysql", "performance_schema", "sys"}, name)
	})
	return strings.Join(own, ", ")
}

func (w *world) ask(p *corev1.Pod, sql string) (found []string) {
	conn, err := w.machines.Dial(w.t.Context(), p, 3306)
	if err != nil {
		return nil
	}
	c, err := wire.Connect(w.t.Context(), conn, "root", "", "")
	require.NoError(w.t, err)
	defer c.Close()
	result, err := c.Query(sql)
	require.NoError(w.t, err)
	for _, row := range result.Rows {
		found = append(found, fmt.Sprint(row[0]))
	}
	return found
}

// backup is what a server with these statements sends.
func (w *world) backup(name string, statements ...string) []byte {
	disk := w.disk()
	p := w.run(name, "mysql", server, disk)
	w.run(name, "xtrabackup", tools, disk, "sleep", "1000000")
	time.Sleep(time.Second)
	for _, sql := range statements {
		w.ask(p, sql)
	}
	var stream, said bytes.Buffer
	code, err := w.machines.Exec(w.t.Context(), p, "xtrabackup", []string{
		"xtrabackup", "--backup", "--slave-info", "--stream=xbstream", "--host=127.0.0.1", "--user=root",
	}, streams.IO{Stdout: &stream, Stderr: &said})
	require.NoError(w.t, err)
	require.Zero(w.t, code, said.String())
	require.NoError(w.t, w.runtime.Remove(w.t.Context(), p.UID))
	time.Sleep(time.Second)
	return stream.Bytes()
}

// ncat asks a neighbour, as the manifest does it.
func (w *world) ncat(ctx context.Context, p *simulated.Process) int {
	for _, arg := range p.Args[1:] {
		host, domain, _ := strings.Cut(arg, ".")
		backup, known := w.backups[host]
		if !known || !strings.HasPrefix(domain, "mysql") {
			continue
		}
		w.mu.Lock()
		w.asked = append(w.asked, host)
		if w.harm.lost >= 0 {
			backup = backup[:w.harm.lost]
			w.harm = none
		}
		w.mu.Unlock()
		p.Stdout.Write(backup)
		return 0
	}
	fmt.Fprintln(p.Stderr, "Ncat: Could not resolve hostname: Name or service not known. QUITTING.")
	return 2
}

// hurt has something happen, or nothing.
func (w *world) hurt(h harm) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.harm = h
}

// suffers is what is to happen.
func (w *world) suffers() harm {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.harm
}

// kill ends the container that a process is in, as kill -9 does.
func (w *world) kill(p *simulated.Process) int {
	w.hurt(none)
	w.runtime.Stop(p.Pod.UID, p.Container.Name, 0)
	return 137
}

func (w *world) xbstream(ctx context.Context, p *simulated.Process) int {
	if n := w.suffers().killed; n >= 0 {
		p.Stdin = io.MultiReader(io.LimitReader(p.Stdin, int64(n)), killer{w, p})
	}
	return w.tools.Commands["xbstream"](ctx, p)
}

// killer is where a stream ends at which somebody is killed.
type killer struct {
	w *world
	p *simulated.Process
}

func (k killer) Read([]byte) (int, error) {
	k.w.kill(k.p)
	return 0, io.ErrUnexpectedEOF
}

func (w *world) xtrabackup(ctx context.Context, p *simulated.Process) int {
	when := w.suffers().killing
	if when == "before" {
		return w.kill(p)
	}
	code := w.tools.Commands["xtrabackup"](ctx, p)
	if when == "after" {
		return w.kill(p)
	}
	return code
}

// rm removes what it is told to, one after the other.
func (w *world) rm(ctx context.Context, p *simulated.Process) int {
	for _, arg := range p.Args[1:] {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		h := w.suffers()
		if h.swept == 0 {
			return w.kill(p)
		}
		if h.swept > 0 {
			h.swept--
			w.hurt(h)
		}
		if !path.IsAbs(arg) {
			arg = path.Join(p.Dir, arg)
		}
		if inside, ok := strings.CutPrefix(path.Clean(arg), data+"/"); ok {
			os.RemoveAll(filepath.Join(p.Mounts[0].Source, inside))
		}
	}
	return 0
}

const (
	ofMaster = "shop"
	ofSlave  = "extra, shop"
)

//book:exercise 7c
func TestASlaveHasWhatTheOneBeforeItHad(t *testing.T) {
	cloning(t, func(w *world) {
		first, second := w.disk(), w.disk()
		w.again("mysql-1", first)
		w.again("mysql-2", second)
		w.backups["mysql-9"] = w.backups["mysql-1"]
		w.again("mysql-10", w.disk())
		assert.Equal(t, []string{"mysql-0", "mysql-1", "mysql-9"}, w.asked, "each asks the one before it, once")
		assert.Equal(t, ofMaster, w.databases(first))
		assert.Equal(t, ofSlave, w.databases(second))
	})
}

// The master has nobody to ask, whether its disk is new or not.
//
//book:exercise 7c
func TestTheFirstOfAllAsksNobody(t *testing.T) {
	cloning(t, func(w *world) {
		disk := w.disk()
		assert.Zero(t, w.clone("mysql-0", disk), "exit code")
		assert.Empty(t, w.asked, "mysql-0 has asked")
		assert.Empty(t, w.databases(disk), "databases on a new disk")
		assert.Zero(t, w.clone("mysql-0", disk), "exit code")
		w.again("mysql-1", w.disk())
		assert.Equal(t, []string{"mysql-0"}, w.asked, "mysql-1 has asked")
	})
}

//book:exercise 7c
func TestADiskIsClonedOnce(t *testing.T) {
	cloning(t, func(w *world) {
		disk := w.disk()
		w.again("mysql-2", disk)
		require.Equal(t, ofSlave, w.databases(disk))
		w.backups["mysql-1"] = w.backups["mysql-0"]
		w.again("mysql-2", disk)
		assert.Equal(t, ofSlave, w.databases(disk), "its own rows are on it")
		assert.Len(t, w.asked, 1, "how often it was cloned")
	})
}

// Disks that the manifest's own script has cloned have no mark of anybody's.
//
//book:exercise 7c
func TestADiskFromBeforeIsLeftAlone(t *testing.T) {
	cloning(t, func(w *world) {
		disk := w.disk("mysql/user.frm", "ib_logfile0", "ibdata1")
		assert.Zero(t, w.clone("mysql-2", disk), "exit code")
		assert.Empty(t, w.asked, "who was asked for another copy")
		assert.FileExists(t, filepath.Join(disk, "ib_logfile0"))
		w.again("mysql-2", w.disk("lost+found/none"))
		assert.Equal(t, []string{"mysql-1"}, w.asked, "and an empty disk is cloned")
	})
}

// interrupted clones once with some harm, and then until it has gone well.
func interrupted(w *world, what string, h harm) {
	w.t.Helper()
	disk := w.disk()
	w.hurt(h)
	assert.NotZero(w.t, w.clone("mysql-2", disk), "%s: the exit code", what)
	require.Equal(w.t, none, w.suffers(), "%s: it was to be interrupted", what)
	w.again("mysql-2", disk)
	assert.Equal(w.t, ofSlave, w.databases(disk), "%s: what a server finds", what)
}

//book:exercise 7c
func TestHalfACloneIsNotTakenForAWholeOne(t *testing.T) {
	cloning(t, func(w *world) {
		size := len(w.backups["mysql-1"])
		for tenth := range 10 {
			h := none
			h.killed = size * tenth / 10
			interrupted(w, fmt.Sprintf("killed after %d0 %% of it", tenth), h)
		}
	})
}

//book:exercise 7c
func TestAConnectionThatIsLostIsTriedAgain(t *testing.T) {
	cloning(t, func(w *world) {
		size := len(w.backups["mysql-1"])
		for third := range 3 {
			h := none
			h.lost = size * third / 3
			interrupted(w, fmt.Sprintf("the other is gone after %d/3 of it", third), h)
		}
	})
}

//book:exercise 7c
func TestACopyThatIsNotPreparedIsNoClone(t *testing.T) {
	cloning(t, func(w *world) {
		for _, when := range []string{"before", "after"} {
			h := none
			h.killing = when
			interrupted(w, "killed "+when+" it is prepared", h)
		}
	})
}

// What is left of a clone is cleared away, and that can be interrupted, too.
//
//book:exercise 7c
func TestADiskThatIsHalfClearedIsNoClone(t *testing.T) {
	cloning(t, func(w *world) {
		for swept := range 4 {
			disk := w.disk()
			h := none
			h.killing = "before"
			w.hurt(h)
			require.NotZero(t, w.clone("mysql-2", disk), "it is killed")
			h = none
			h.swept = swept
			w.hurt(h)
			w.clone("mysql-2", disk)
			w.hurt(none)
			w.again("mysql-2", disk)
			assert.Equal(t, ofSlave, w.databases(disk), "killed after %d things are cleared away", swept)
		}
	})
}
