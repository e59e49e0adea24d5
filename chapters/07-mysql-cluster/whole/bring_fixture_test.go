package whole_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	statefulset "reconcile/chapters/04-statefulset"
	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/chapters/07-mysql-cluster/xbstream"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/kubetest"
	"reconcile/internal/lab"
)

// brought is the cluster of the manifest, in a lab in a bubble.
type brought struct {
	*lab.Lab
	t        *testing.T
	Client   *kubetest.Faults // of the lab's controllers
	runtimes map[string]kubelet.Runtime
	sidecar  bringSidecar
	server   *mysqlcluster.Mysqld

	stop    func() // ends the lab's controllers
	records bringRecords
}

// bringSidecar is what happens in the tools' containers besides what they do.
// All may be nil.
type bringSidecar struct {
	// mysql is called before a client of theirs runs a script.
	mysql func(p *simulated.Process, script string)
	// send returns what a backup is written to.
	send func(p *simulated.Process, out io.Writer) io.Writer
	// disk comes between a tool and the folder that it writes to.
	disk func(p *simulated.Process, data folder.Folder) folder.Folder
	// step is called before and after each command that a script calls: a
	// container may be killed there.
	step func(ctx context.Context, p *simulated.Process, when kubetest.When)
}

// bringRecords is what has happened so far.
type bringRecords struct {
	sync.Mutex
	clones  map[string]int                // that were prepared, by disk
	cloned  map[string]int                // the same, by the Pod's name
	cloning map[string]*simulated.Process // who writes a clone to a disk
	again   []string                      // clones to where there was one, or half
	ready   map[string]time.Time          // until when a Pod was known to be, by name
	isNow   map[string]bool
	heard   func(w controlloop.Write) // is called with what is written of Pods; or nil
}

const (
	bringServer = "mysql:5.7"
	bringTools  = "gcr.io/google-samples/xtrabackup:1.0"
)

// bringUp creates what a manifest says, in a lab of three nodes that runs. What
// disturbs it may be set before.
func bringUp(
	t *testing.T, seed uint64, manifest string, before ...func(b *brought),
) *brought {
	t.Helper()
	b := &brought{
		t: t, runtimes: map[string]kubelet.Runtime{},
		server: &mysqlcluster.Mysqld{Version: "5.7.44"},
		records: bringRecords{clones: map[string]int{}, cloned: map[string]int{},
			cloning: map[string]*simulated.Process{},
			ready:   map[string]time.Time{}, isNow: map[string]bool{}},
	}
	for _, f := range before {
		f(b)
	}
	var err error
	b.Lab, err = lab.New(lab.Options{
		Nodes: 3, Seed: seed, Pace: 700 * time.Millisecond,
		Controllers:  []string{"-serviceaccount", "-root-ca-cert-publisher"},
		StoreOptions: []controlloop.Option{controlloop.OnWrite(b.wrote)},
		Client: func(s *controlloop.Store) controlloop.Client {
			b.Client = kubetest.NewFaults(s)
			return b.Client
		},
		Runtime: func(node string, r kubelet.Runtime) kubelet.Runtime {
			b.runtimes[node] = r
			return r
		},
	})
	require.NoError(t, err)
	b.Machines.SetImage(bringServer, b.server.Image())
	b.Machines.SetImage(bringTools, b.tools())
	b.run()
	for _, text := range []string{"configmap", "services"} {
		file, err := os.ReadFile("../manifests/mysql-" + text + ".yaml")
		require.NoError(t, err)
		b.create(string(file))
	}
	b.create(manifest)
	return b
}

func bringManifest(t *testing.T) string {
	t.Helper()
	file, err := os.ReadFile("../manifests/mysql-statefulset.yaml")
	require.NoError(t, err)
	return string(file)
}

// bringInBubble does so for one test.
func bringInBubble(t *testing.T, manifest string, f func(b *brought)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := bringUp(t, 1, manifest)
		defer b.close()
		f(b)
	})
}

func (b *brought) close() {
	b.stop()
	b.Close()
	synctest.Wait()
}

// run runs the lab's controllers until stop.
func (b *brought) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.Run(ctx)
	}()
	b.stop = func() {
		cancel()
		<-done
	}
}

func (b *brought) create(manifest string) {
	b.t.Helper()
	for _, obj := range kubetest.Objects(b.t, b.Store.Kinds(), manifest) {
		obj.SetNamespace(metav1.NamespaceDefault)
		_, err := b.Store.Create(b.t.Context(), obj)
		require.NoError(b.t, err)
	}
}

// tools is the image of the sidecar, in which something may happen.
func (b *brought) tools() simulated.Image {
	image, _ := mysqlcluster.Images()["gcr.io/google-samples/xtrabackup"]("1.0")
	mysql, xtrabackup := image.Commands["mysql"], image.Commands["xtrabackup"]
	image.Commands["mysql"] = func(ctx context.Context, p *simulated.Process) int {
		if !slices.Contains(p.Args, "-e") && b.sidecar.mysql != nil {
			script, _ := io.ReadAll(p.Stdin)
			b.sidecar.mysql(p, string(script))
			p.Stdin = bytes.NewReader(script)
		}
		return mysql(ctx, p)
	}
	image.Commands["xtrabackup"] = func(ctx context.Context, p *simulated.Process) int {
		switch {
		case !slices.Contains(p.Args, "--backup"):
			return b.prepare(p)
		case b.sidecar.send != nil:
			p.Stdout = b.sidecar.send(p, p.Stdout)
		}
		return xtrabackup(ctx, p)
	}
	image.Commands["xbstream"] = b.extract
	if b.sidecar.step != nil {
		image.Commands["mv"], image.Commands["rm"] = bringMove, bringRemove
		for name, program := range image.Commands {
			image.Commands[name] = b.stepping(program)
		}
	}
	return image
}

// stepping is a command before and after which something may happen.
func (b *brought) stepping(program simulated.Program) simulated.Program {
	return func(ctx context.Context, p *simulated.Process) int {
		b.sidecar.step(ctx, p, kubetest.Before)
		code := program(ctx, p)
		b.sidecar.step(ctx, p, kubetest.After)
		return code
	}
}

// bringMove and bringRemove are mv and rm, as the sidecar's script calls them.
func bringMove(_ context.Context, p *simulated.Process) int {
	folder, err := folder.Open(p, ".")
	if err == nil {
		err = folder.Rename(p.Args[1], p.Args[2])
	}
	return bringCode(p, err)
}

func bringRemove(_ context.Context, p *simulated.Process) int {
	folder, err := folder.Open(p, ".")
	if err == nil {
		err = folder.Remove(p.Args[len(p.Args)-1])
	}
	if p.Args[1] == "-f" && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return bringCode(p, err)
}

func bringCode(p *simulated.Process, err error) int {
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	return 0
}

// extract is xbstream as the manifest calls it, to a folder in which something
// may happen.
func (b *brought) extract(_ context.Context, p *simulated.Process) int {
	if !slices.Equal(p.Args[1:], []string{"-x", "-C", "/var/lib/mysql"}) {
		return bringCode(p, fmt.Errorf("xbstream: not as the manifest has it: %q", p.Args))
	}
	defer b.records.begin(p)()
	folder, err := b.toolFolder(p)
	if err == nil {
		err = xbstream.Unpack(p.Stdin, folder)
	}
	return bringCode(p, err)
}

// prepare is xtrabackup --prepare, to such a folder.
func (b *brought) prepare(p *simulated.Process) int {
	folder, err := b.toolFolder(p)
	if err == nil {
		err = mysqlcluster.Prepare(p, folder)
	}
	if err == nil {
		b.records.Lock()
		defer b.records.Unlock()
		b.records.clones[bringDisk(p)]++
		b.records.cloned[p.Pod.Name]++
	}
	return bringCode(p, err)
}

func (b *brought) toolFolder(p *simulated.Process) (folder.Folder, error) {
	folder, err := folder.Open(p, "/var/lib/mysql")
	if err == nil && b.sidecar.disk != nil {
		folder = b.sidecar.disk(p, folder)
	}
	return folder, err
}

// bringDisk is the disk that a process has its data on.
func bringDisk(p *simulated.Process) string {
	for _, m := range p.Mounts {
		if m.Path == "/var/lib/mysql" {
			return m.Source
		}
	}
	return ""
}

// begin notes that a process begins to write a clone, and returns what notes
// that it has ended. A disk gets one: not another one over it, or beside it.
func (r *bringRecords) begin(p *simulated.Process) (end func()) {
	r.Lock()
	defer r.Unlock()
	disk := bringDisk(p)
	if r.clones[disk] > 0 {
		r.again = append(r.again, p.Pod.Name+" has a clone, and gets another one")
	}
	if other := r.cloning[disk]; other != nil {
		select {
		case <-other.Killed():
		default:
			r.again = append(r.again, p.Pod.Name+" gets two clones at once")
		}
	}
	r.cloning[disk] = p
	return func() {
		r.Lock()
		defer r.Unlock()
		if r.cloning[disk] == p {
			delete(r.cloning, disk)
		}
	}
}

// wrote is told of every write.
func (b *brought) wrote(w controlloop.Write) {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok {
		return
	}
	b.records.Lock()
	defer b.records.Unlock()
	if b.records.isNow[pod.Name] {
		b.records.ready[pod.Name] = time.Now()
	}
	b.records.isNow[pod.Name] = w.Type != watch.Deleted && kubetest.Ready(pod)
	if b.records.heard != nil {
		b.records.heard(w)
	}
}

// pod returns a Pod, or nil.
func (b *brought) pod(ordinal int) *corev1.Pod {
	obj, err := b.Store.Get(context.Background(), controlloop.PodKind,
		controlloop.Key{Namespace: "default", Name: fmt.Sprintf("mysql-%d", ordinal)})
	if err != nil {
		return nil
	}
	return obj.(*corev1.Pod)
}

func (b *brought) isReady(ordinal int) bool {
	p := b.pod(ordinal)
	return p != nil && p.DeletionTimestamp == nil && kubetest.Ready(p)
}

// areReady reports whether the Pods up to n are.
func (b *brought) areReady(n int) bool {
	for ordinal := range n {
		if !b.isReady(ordinal) {
			return false
		}
	}
	return true
}

// until lets time pass until something has happened.
func (b *brought) until(limit time.Duration, what string, f func() bool) {
	b.t.Helper()
	if !b.within(limit, f) {
		require.FailNow(b.t, "it has not happened: "+what, b.look())
	}
}

func (b *brought) within(limit time.Duration, f func() bool) bool {
	for end := time.Now().Add(limit); !f(); time.Sleep(time.Second) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// look is how the Pods are, and what their containers have said last.
func (b *brought) look() string {
	var out strings.Builder
	for ordinal := range 5 {
		p := b.pod(ordinal)
		if p == nil {
			continue
		}
		fmt.Fprintf(&out, "%s on %s: %s\n", p.Name, p.Spec.NodeName, p.Status.Phase)
		for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
			fmt.Fprintf(&out, "  %s ready=%v restarts=%d %v\n", s.Name, s.Ready, s.RestartCount, s.State)
			lines := strings.Split(strings.TrimSpace(b.log(p, s.Name)), "\n")
			for _, line := range lines[max(0, len(lines)-6):] {
				fmt.Fprintf(&out, "    %s\n", line)
			}
		}
	}
	return out.String()
}

// log is what a container has said.
func (b *brought) log(p *corev1.Pod, container string) string {
	log, err := b.Machines.Logs(
		context.Background(), p, &corev1.PodLogOptions{Container: container})
	if err != nil {
		return ""
	}
	defer log.Close()
	text, _ := io.ReadAll(log)
	return string(text)
}

// kill ends a container of a Pod, as the kernel does that has no memory left.
func (b *brought) kill(p *corev1.Pod, container string) {
	if r := b.runtimes[p.Spec.NodeName]; r != nil {
		r.Stop(p.UID, container, 0)
	}
}

// connect connects to a server, for a minute at most, or returns nil.
func (b *brought) connect(ordinal int) *wire.Conn {
	p := b.pod(ordinal)
	if p == nil || p.Spec.NodeName == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := b.Machines.Dial(ctx, p, 3306)
	if err != nil {
		return nil
	}
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	c, err := wire.Connect(context.Background(), conn, "root", "", "")
	if err != nil {
		conn.Close()
		return nil
	}
	return c
}

// ask asks the server of a Pod one thing.
func (b *brought) ask(ordinal int, sql string) (*sql.Result, error) {
	p := b.pod(ordinal)
	if p == nil || p.Spec.NodeName == "" {
		return nil, io.EOF
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := b.Machines.Dial(ctx, p, 3306)
	if err != nil {
		return nil, err
	}
	c, err := wire.Connect(ctx, conn, "root", "", "")
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Query(sql)
}

// must asks what must have an answer.
func (b *brought) must(ordinal int, sql string) *sql.Result {
	b.t.Helper()
	result, err := b.ask(ordinal, sql)
	require.NoError(b.t, err, "%s at %d", sql, ordinal)
	return result
}

// sh has the shell of a container do something.
func (b *brought) sh(ordinal int, container, script string) (string, int) {
	var out bytes.Buffer
	code, err := b.Machines.Exec(context.Background(), b.pod(ordinal), container,
		[]string{"bash", "-c", script}, streams.IO{Stdout: &out, Stderr: &out})
	if err != nil {
		return err.Error(), 1
	}
	return out.String(), code
}

// change changes the set.
func (b *brought) change(f func(set *appsv1.StatefulSet)) {
	b.t.Helper()
	key := controlloop.Key{Namespace: "default", Name: "mysql"}
	for {
		obj, err := b.Store.Get(context.Background(), statefulset.StatefulSetKind, key)
		require.NoError(b.t, err)
		set := controlloop.Copy(obj.(*appsv1.StatefulSet))
		f(set)
		if _, err = b.Store.Update(context.Background(), set); err == nil {
			return
		}
	}
}
