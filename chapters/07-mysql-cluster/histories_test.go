package mysqlcluster_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/internal/kubetest"
)

var histOriginal = flag.Bool("original", false,
	"histories run the manifest as it is, not the mended one")

// What no story tells: rows that come all the time, while servers are killed at
// any byte of what they write, containers, Pods and machines at any time, while
// the controllers crash and connections break, clones take long, and the set is
// scaled and gets other images. When all of it has ceased, each slave has what
// the master has, and the master all that it has acknowledged.
//
// A person watches who does what the manifest leaves to one: where half a clone
// is taken for a whole one, or replication was set up by halves, she throws the
// disk away, and the Pod. How often is counted, and told with -v.
func TestRandomHistoriesLoseNothing(t *testing.T) {
	repairs := &histRepairs{}
	t.Cleanup(func() { repairs.tell(t) })
	kubetest.Histories(t, func(t *testing.T, seed uint64) {
		if seed <= histFew || histAsked() || kubetest.HistoryIsAsked() {
			liveAsMySQL(t, seed, repairs)
		}
	})
}

// histFew is how many histories are lived by somebody who has not said how many:
// each is a whole cluster with real shells.
const histFew = 8

func histAsked() bool {
	number := flag.Lookup("histories")
	return number.Value.String() != number.DefValue
}

// histRepairs is what a person had to do, and what there was to be lost.
type histRepairs struct {
	sync.Mutex
	histories, disks, rows, answers, clones int
}

func (r *histRepairs) tell(t *testing.T) {
	t.Logf("%d histories: %d rows acknowledged, %d clones, %d answers at mysql-read, "+
		"%d disks thrown away", r.histories, r.rows, r.clones, r.answers, r.disks)
}

// histLife is one history.
type histLife struct {
	*brought
	*rand.Rand
	repairs *histRepairs
	disks   map[types.UID]*tornDisk // of the servers, by Pod
	mu      sync.Mutex              // guards disks and Rand where containers use it

	acknowledged int // rows with smaller numbers, all of them
	asked        int // rows that the master may have
	replicas     int32
	crashedAt    time.Time
	answers      int
}

func liveAsMySQL(t *testing.T, seed uint64, repairs *histRepairs) {
	manifest := bringManifest(t)
	if !*histOriginal {
		manifest = mendProcess(t, mendReplication(t, manifest))
	}
	l := &histLife{
		Rand: rand.New(rand.NewPCG(seed, 7)), repairs: repairs, replicas: 3,
		disks: map[types.UID]*tornDisk{},
	}
	l.brought = bringUp(t, seed, manifest)
	defer func() { l.close() }()
	l.server.Disk = l.disk
	l.sidecar.send = l.slowly
	l.until(10*time.Minute, "the master is ready", func() bool { return l.areReady(1) })
	l.must(0, "CREATE DATABASE test")
	l.must(0, "CREATE TABLE test.t (n INT PRIMARY KEY)")

	done := make(chan struct{})
	stop := make(chan struct{})
	go func() {
		defer close(done)
		l.load(stop)
	}()
	for range 8 + l.int(12) {
		l.disturb()
		l.watch(time.Duration(l.int(30)) * time.Second)
	}
	close(stop)
	<-done
	l.calm()
	l.judge()
	repairs.Lock()
	defer repairs.Unlock()
	repairs.histories++
	repairs.rows += l.acknowledged
	repairs.answers += l.answers
	repairs.clones += len(l.records.clones)
}

// int is IntN for whoever asks: containers do, too.
func (l *histLife) int(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.IntN(n)
}

// load writes one row after the other at the master.
func (l *histLife) load(stop <-chan struct{}) {
	var c *mysqlcluster.Client
	for {
		select {
		case <-stop:
			if c != nil {
				c.Close()
			}
			return
		case <-time.After(200 * time.Millisecond):
		}
		if c == nil {
			if c = l.connect(0); c == nil {
				continue
			}
		}
		l.asked = max(l.asked, l.acknowledged+1)
		_, err := c.Query(fmt.Sprintf("INSERT INTO test.t VALUES (%d)", l.acknowledged))
		var refused *mysqlcluster.Error
		switch {
		case err == nil, errors.As(err, &refused) && refused.Code == 1062:
			l.acknowledged++ // or it was, and nobody has said so
		default:
			c.Close()
			c = nil
		}
	}
}

// connect connects to a server, for as long as the connection lasts.
func (l *histLife) connect(ordinal int) *mysqlcluster.Client {
	p := l.pod(ordinal)
	if p == nil || p.Spec.NodeName == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := l.Machines.Dial(ctx, p, 3306)
	if err != nil {
		return nil
	}
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	c, err := mysqlcluster.Connect(context.Background(), conn, "root", "", "")
	if err != nil {
		conn.Close()
		return nil
	}
	return c
}

// disturb has something happen.
func (l *histLife) disturb() {
	ordinal := l.int(int(l.replicas))
	p := l.pod(ordinal)
	node := fmt.Sprintf("node-%d", 1+l.int(3))
	switch k := l.int(12); {
	case k < 3 && p != nil:
		l.mu.Lock()
		if disk := l.disks[p.UID]; disk != nil {
			disk.tear(l.IntN(400))
		}
		l.mu.Unlock()
	case k < 5 && p != nil:
		l.kill(p, []string{"mysql", "xtrabackup", "clone-mysql", "init-mysql"}[l.int(4)])
	case k == 5 && p != nil:
		_ = l.Store.Delete(context.Background(), controlloop.PodKind, controlloop.KeyOf(p),
			metav1.DeleteOptions{GracePeriodSeconds: []*int64{nil, new(int64(0))}[l.int(2)]})
	case k == 6:
		if l.Lab.Stop(node) == nil {
			time.Sleep(time.Duration(l.int(90)) * time.Second)
			_ = l.Start(node)
		}
	case k == 7:
		if l.Cut(node) == nil {
			time.Sleep(time.Duration(l.int(90)) * time.Second)
			_ = l.Start(node)
		}
	case k == 8:
		l.crash()
	case k == 9:
		l.Client.BreakWatches(errors.New("connection reset by peer"))
	case k == 10:
		l.replicas = int32(1 + l.int(4))
		l.change(func(set *appsv1.StatefulSet) { set.Spec.Replicas = new(l.replicas) })
	default:
		// One that there is not stops the roll where it is, until the next.
		l.roll([]string{bringServer, "mysql:5.7.23", "mysql:5.7.24", "mysql:5.7.99"}[l.int(4)],
			int32(l.int(3)))
	}
}

func (l *histLife) roll(image string, partition int32) {
	if image != bringServer && image != "mysql:5.7.99" {
		l.Machines.SetImage(image, l.server.Image())
	}
	l.change(func(set *appsv1.StatefulSet) {
		set.Spec.Template.Spec.Containers[0].Image = image
		set.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{
			Partition: new(partition)}
	})
}

// crash ends all controllers at one of their writes. New ones know nothing.
func (l *histLife) crash() {
	l.Client.CrashAtWrite(l.Client.Writes()+1+l.int(5), kubetest.When(l.int(2)))
	time.Sleep(time.Duration(l.int(20)) * time.Second)
	l.crashedAt = time.Now()
	l.stop()
	l.Client.Repair()
	l.Restart()
	l.run()
}

// watch lets time pass, and reads meanwhile as everybody does.
func (l *histLife) watch(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second) {
		l.read()
	}
}

// histDelay is how long a proxy may send to a Pod that is not ready any more,
// and a little.
const histDelay = 700 * time.Millisecond

// read reads at mysql-read. Whoever answers is ready, or was a moment ago; but
// nobody can tell while controllers are down or connections are.
func (l *histLife) read() {
	obj, err := l.Store.Get(context.Background(),
		corev1.SchemeGroupVersion.WithKind("Service"), controlloop.Key{Namespace: "default", Name: "mysql-read"})
	require.NoError(l.t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	began := time.Now()
	conn, err := l.Machines.DialContext(ctx, "tcp", obj.(*corev1.Service).Spec.ClusterIP+":3306")
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	c, err := mysqlcluster.Connect(ctx, conn, "root", "", "")
	if err != nil {
		conn.Close()
		return
	}
	defer c.Close()
	result, err := c.Query("SELECT @@hostname")
	if err != nil || time.Since(l.crashedAt) < time.Minute {
		return
	}
	l.answers++
	name := fmt.Sprint(result.Rows[0][0])
	l.records.Lock()
	defer l.records.Unlock()
	require.True(l.t, l.records.isNow[name] || began.Sub(l.records.ready[name]) <= histDelay,
		"%s has answered, and has not been ready since %s", name, l.records.ready[name])
}

// calm ends what disturbs, and waits until all is well, with a person's help.
func (l *histLife) calm() {
	l.mu.Lock()
	for _, disk := range l.disks {
		disk.tear(-1)
	}
	l.server.Disk, l.sidecar.send = nil, nil
	l.mu.Unlock()
	for n := range 3 {
		_ = l.Start(fmt.Sprintf("node-%d", n+1))
	}
	l.roll(bringServer, 0)
	well := func() bool { return l.areReady(int(l.replicas)) && l.newest() }
	for range 8 {
		if l.within(15*time.Minute, well) && l.replicate() {
			return
		}
		if !l.repair() {
			break
		}
	}
	require.FailNow(l.t, "it does not come to rest", l.look())
}

// newest reports whether all Pods have the last image.
func (l *histLife) newest() bool {
	for ordinal := range int(l.replicas) {
		if p := l.pod(ordinal); p == nil || p.Spec.Containers[0].Image != bringServer {
			return false
		}
	}
	return true
}

// replicate reports whether each slave is one.
func (l *histLife) replicate() bool {
	return l.within(5*time.Minute, func() bool {
		for ordinal := 1; ordinal < int(l.replicas); ordinal++ {
			result, err := l.ask(ordinal, "SHOW SLAVE STATUS")
			if err != nil || len(result.Rows) == 0 {
				return false
			}
			row := nodeRow(result)
			if row["Slave_IO_Running"] != "Yes" || row["Slave_SQL_Running"] != "Yes" {
				return false
			}
		}
		return true
	})
}

// repair does what a person would: the first Pod that does not come up is old
// and cannot (a StatefulSet waits for it, whatever its image), or its disk holds
// half of something. It reports whether there was one.
func (l *histLife) repair() bool {
	for ordinal := range int(l.replicas) {
		p := l.pod(ordinal)
		if p == nil {
			return false
		}
		if p.Spec.Containers[0].Image != bringServer {
			l.remove(p)
			return true
		}
		if ordinal == 0 {
			if !l.isReady(0) {
				return false
			}
			continue // the master's disk is nobody's to throw away
		}
		result, err := l.ask(ordinal, "SHOW SLAVE STATUS")
		if l.isReady(ordinal) && err == nil && len(result.Rows) == 1 &&
			nodeRow(result)["Slave_SQL_Running"] == "Yes" {
			continue
		}
		if kubetest.HistoryIsAsked() {
			l.t.Log("thrown away:", l.look())
		}
		l.repairs.Lock()
		l.repairs.disks++
		l.repairs.Unlock()
		_ = l.Store.Delete(context.Background(),
			corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
			controlloop.Key{Namespace: "default", Name: "data-" + p.Name}, metav1.DeleteOptions{})
		l.remove(p)
		return true
	}
	return false
}

func (l *histLife) remove(p *corev1.Pod) {
	_ = l.Store.Delete(context.Background(), controlloop.PodKind, controlloop.KeyOf(p),
		metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
	time.Sleep(time.Minute)
}

// judge looks at what has become of everything.
func (l *histLife) judge() {
	var master []int
	l.until(time.Minute, "the master answers", func() bool {
		master = l.numbers(0)
		return master != nil
	})
	require.GreaterOrEqual(l.t, len(master), l.acknowledged, "acknowledged, and not there\n%s", l.look())
	require.LessOrEqual(l.t, len(master), l.asked)
	for n, found := range master {
		require.Equal(l.t, n, found, "the master's rows")
	}
	ids := map[string]int{}
	for ordinal := range int(l.replicas) {
		if !l.within(5*time.Minute, func() bool { return slices.Equal(master, l.numbers(ordinal)) }) {
			require.FailNow(l.t, "a slave has not what the master has", "mysql-%d: %d of %d rows\n%s",
				ordinal, len(l.numbers(ordinal)), len(master), l.look())
		}
		id := fmt.Sprint(l.must(ordinal, "SELECT @@server_id").Rows[0][0])
		require.Equal(l.t, strconv.Itoa(100+ordinal), id)
		ids[id]++
	}
	require.Len(l.t, ids, int(l.replicas))
	l.records.Lock()
	defer l.records.Unlock()
	for disk, clones := range l.records.clones {
		require.Equal(l.t, 1, clones, "clones of %s", disk)
	}
}

// numbers are the rows of a server.
func (l *histLife) numbers(ordinal int) []int {
	result, err := l.ask(ordinal, "SELECT n FROM test.t ORDER BY n")
	if err != nil {
		if kubetest.HistoryIsAsked() {
			l.t.Logf("mysql-%d: %v", ordinal, err)
		}
		return nil
	}
	rows := make([]int, len(result.Rows))
	for i, row := range result.Rows {
		rows[i], _ = strconv.Atoi(fmt.Sprint(row[0]))
	}
	return rows
}

// slowly is a backup that takes its time.
func (l *histLife) slowly(_ *controlloop.Process, out io.Writer) io.Writer {
	return &slowWriter{out, time.Duration(l.int(3)*l.int(2000)) * time.Millisecond}
}

type slowWriter struct {
	io.Writer
	pause time.Duration
}

func (w *slowWriter) Write(p []byte) (int, error) {
	time.Sleep(w.pause)
	return w.Writer.Write(p)
}

// disk has a server's files be torn when it is its turn.
func (l *histLife) disk(p *controlloop.Process, data mysqlcluster.Folder) mysqlcluster.Folder {
	l.mu.Lock()
	defer l.mu.Unlock()
	disk := &tornDisk{Folder: data, left: -1, kill: func() { l.kill(p.Pod, "mysql") }}
	l.disks[p.Pod.UID] = disk
	return disk
}

// tornDisk is a data directory whose server is killed after so many bytes more.
type tornDisk struct {
	mysqlcluster.Folder
	kill func()

	mu   sync.Mutex
	left int // bytes; -1: as many as there are
	dead bool
}

func (d *tornDisk) tear(after int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = after
}

// take is how many of n bytes are written before the kill comes.
func (d *tornDisk) take(n int) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.dead:
		return 0, os.ErrClosed
	case d.left < 0:
		return n, nil
	case d.left >= n:
		d.left -= n
		return n, nil
	}
	d.dead = true
	d.kill()
	return d.left, os.ErrClosed
}

// step is an operation that is done, or is not.
func (d *tornDisk) step(f func() error) error {
	if _, err := d.take(1); err != nil {
		return err
	}
	return f()
}

func (d *tornDisk) Rename(from, to string) error {
	return d.step(func() error { return d.Folder.Rename(from, to) })
}

func (d *tornDisk) Remove(name string) error {
	return d.step(func() error { return d.Folder.Remove(name) })
}

func (d *tornDisk) Mkdir(name string) error {
	return d.step(func() error { return d.Folder.Mkdir(name) })
}

func (d *tornDisk) ReadDir(name string) ([]fs.DirEntry, error) { return d.Folder.ReadDir(name) }

func (d *tornDisk) Open(name string, flag int) (mysqlcluster.File, error) {
	if flag&(os.O_CREATE|os.O_TRUNC) != 0 {
		if _, err := d.take(1); err != nil {
			return nil, err
		}
	}
	file, err := d.Folder.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return &tornFile{file, d}, nil
}

type tornFile struct {
	mysqlcluster.File
	disk *tornDisk
}

func (f *tornFile) Write(p []byte) (int, error) {
	n, err := f.disk.take(len(p))
	if err == nil {
		return f.File.Write(p)
	}
	if n > 0 {
		f.File.Write(p[:n])
	}
	return n, err
}

func (f *tornFile) Truncate(size int64) error {
	return f.disk.step(func() error { return f.File.Truncate(size) })
}
