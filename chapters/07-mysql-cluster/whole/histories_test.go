package whole_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/kubetest"
)

var histOriginal = flag.Bool("original", false,
	"histories run the manifest as it is, not the mended one")

// What no story tells: rows that come all the time, while servers and whoever
// clones are killed at any byte of what they write, containers, Pods and machines
// at any time, while the controllers crash and events are lost, clones take long,
// and the set is scaled and gets other images. All the while, and when all of it
// has ceased, a slave has what the master has, as far as it says that it has
// come; the master has all that it has acknowledged; no two servers have one
// number; no disk gets two clones; and who reads is answered by who is ready.
//
// A person watches who does what the manifest leaves to one: where half a clone
// is taken for a whole one, or replication was set up by halves, she throws the
// disk away, and the Pod. How often is counted, and told with -v. What is broken
// in another way is nothing that a person may mend here.
//
// What happens, and when, is the seed's. What comes of it is not, quite: of those
// who do something in the same moment of a bubble's time, nobody knows who is
// first.
func TestRandomHistoriesLoseNothing(t *testing.T) {
	sum := &histSum{thrown: map[string]int{}}
	t.Cleanup(func() { sum.tell(t) })
	kubetest.Histories(t, func(t *testing.T, seed uint64) {
		if seed <= histFew || histAsked() || kubetest.HistoryIsAsked() {
			liveAsMySQL(t, seed, sum)
		}
	})
}

// histFew is how many histories are lived by somebody who has not said how many:
// each is a whole cluster with real shells.
const histFew = 8

func histAsked() (asked bool) {
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "histories" })
	return asked
}

// histSum is what there was to be lost, and what a person had to do.
type histSum struct {
	sync.Mutex
	histories, rows, answers, compared, clones int
	thrown                                     map[string]int // disks, by why
}

func (s *histSum) tell(t *testing.T) {
	t.Logf("%d histories: %d rows acknowledged, %d clones, %d answers at mysql-read, "+
		"%d looks at a slave that had caught up; disks thrown away: %v",
		s.histories, s.rows, s.clones, s.answers, s.compared, s.thrown)
	if s.histories >= histFew { // else what is looked for may not have come up
		require.NotZero(t, s.rows)
		require.NotZero(t, s.answers)
		require.NotZero(t, s.compared)
		require.NotZero(t, s.clones)
	}
}

// add adds what a history has come to.
func (s *histSum) add(l *histLife) {
	s.Lock()
	defer s.Unlock()
	s.histories++
	s.rows += len(l.kept)
	s.answers += l.answers
	s.compared += l.compared
	for _, n := range l.records.cloned {
		s.clones += n
	}
	for why, n := range l.thrownFor {
		s.thrown[why] += n
	}
}

// histLife is one history.
type histLife struct {
	*brought
	seed     uint64
	replicas int32
	outages  sync.WaitGroup // of machines that are cut off, or off

	compared  int
	thrownOf  map[string]int // disks, by the Pod's name
	thrownFor map[string]int // and by why

	mu       sync.Mutex // guards what follows: containers and readers use it
	isCalm   bool
	disks    map[types.UID]*tornDisk // of the servers, by Pod
	draws    map[string]uint64       // how often something was drawn for a Pod
	kept     []int                   // with which try each row was acknowledged; 0: one of them
	tries    int                     // so far
	blind    time.Time               // until when a proxy may know nothing new
	breaks   int                     // the event at which a connection breaks
	answers  int
	violated []string
}

func liveAsMySQL(t *testing.T, seed uint64, sum *histSum) {
	manifest := bringManifest(t)
	if !*histOriginal {
		manifest = mendProcess(t, mendReplication(t, manifest))
	}
	l := &histLife{
		seed: seed, replicas: 3,
		thrownOf: map[string]int{}, thrownFor: map[string]int{},
		disks: map[types.UID]*tornDisk{}, draws: map[string]uint64{},
	}
	bringUp(t, seed, manifest, func(b *brought) {
		l.brought, b.server.Disk = b, l.serverDisk
		b.sidecar = bringSidecar{send: l.slowly, disk: l.toolDisk, step: l.atCommand}
	})
	defer func() {
		l.close()
		time.Sleep(5 * time.Minute) // the slowest backup has ended by then
	}()
	l.until(10*time.Minute, "the master is ready", func() bool { return l.areReady(1) })
	l.must(0, "CREATE DATABASE test")
	l.must(0, "CREATE TABLE test.t (n INT PRIMARY KEY, try INT)")

	stop := l.busy()
	defer stop()
	for step := range 8 + l.step(0).IntN(12) {
		r := l.step(1 + step)
		l.disturb(r)
		time.Sleep(time.Duration(r.IntN(30)) * time.Second)
		l.compare()
		if r.IntN(3) == 0 { // the person looks, too
			l.throwHalves()
		}
	}
	stop()
	l.calm()
	l.judge()
	sum.add(l)
}

// busy has the master be written to, and the others read, until stop. Then all
// machines are back, too.
func (l *histLife) busy() (stop func()) {
	enough := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() { l.load(enough) })
	others.Go(func() { l.read(enough) })
	return sync.OnceFunc(func() {
		l.outages.Wait()
		close(enough)
		others.Wait()
	})
}

// step is what a step draws from. Each has numbers of its own, whatever has come
// of those before.
func (l *histLife) step(n int) *rand.Rand {
	return rand.New(rand.NewPCG(l.seed, uint64(n)))
}

// draw is what a container of a Pod draws from, each time other numbers.
func (l *histLife) draw(pod string) *rand.Rand {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.draws[pod]++
	hash := fnv.New64a()
	io.WriteString(hash, pod)
	return rand.New(rand.NewPCG(l.seed, hash.Sum64()+l.draws[pod]))
}

// load writes one row after the other at the master. Each try is another row, so
// that one which was given up is told from the one that came for it.
func (l *histLife) load(stop <-chan struct{}) {
	var c *wire.Conn
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
		row := l.next()
		_, err := c.Query(fmt.Sprintf("INSERT INTO test.t VALUES (%d, %d)", row.n, row.try))
		var refused *sql.Error
		switch {
		case err == nil:
			l.keep(row.try)
		case errors.As(err, &refused) && refused.Code == 1062:
			l.keep(0) // one that nobody was told of is there
		default:
			c.Close()
			c = nil
		}
	}
}

// next is the row that comes now.
func (l *histLife) next() histRow {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tries++
	return histRow{len(l.kept), l.tries}
}

// keep notes that the master has acknowledged it.
func (l *histLife) keep(try int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, try)
}

// disturb has something happen.
func (l *histLife) disturb(r *rand.Rand) {
	ordinal, bytes := r.IntN(int(l.replicas)), r.IntN(400)
	node := fmt.Sprintf("node-%d", 1+r.IntN(3))
	container := []string{"mysql", "xtrabackup", "clone-mysql", "init-mysql"}[r.IntN(4)]
	pod := fmt.Sprintf("mysql-%d", ordinal)
	p := l.pod(ordinal)
	lasts := time.Duration(r.IntN(90)) * time.Second
	switch what := r.IntN(12); {
	case what < 3:
		l.say("%s is killed at byte %d", pod, bytes)
		if p != nil {
			l.tear(p, bytes)
		}
	case what < 5:
		l.say("%s of %s is killed", container, pod)
		if p != nil {
			l.kill(p, container)
		}
	case what == 5:
		grace := []*int64{nil, new(int64(0))}[r.IntN(2)]
		l.say("%s is deleted, by force: %v", pod, grace != nil)
		if p != nil {
			_ = l.Store.Delete(l.t.Context(), controlloop.PodKind, controlloop.KeyOf(p),
				metav1.DeleteOptions{GracePeriodSeconds: grace})
		}
	case what == 6:
		l.outage(node, lasts, "switched off", l.Lab.Stop)
	case what == 7:
		l.outage(node, lasts, "cut off", l.Cut)
	case what == 8:
		l.crash(r)
	case what == 9:
		l.lose(r)
	case what == 10:
		l.replicas = int32(1 + r.IntN(5))
		l.say("scaled to %d", l.replicas)
		l.change(func(set *appsv1.StatefulSet) { set.Spec.Replicas = new(l.replicas) })
	default:
		// One that there is not stops the roll where it is, until the next.
		l.roll([]string{bringServer, "mysql:5.7.23", "mysql:5.7.24", "mysql:5.7.99"}[r.IntN(4)],
			int32(r.IntN(3)))
	}
}

// say tells who lives a single history what happens.
func (l *histLife) say(format string, args ...any) {
	if kubetest.HistoryIsAsked() {
		l.t.Log(time.Now().Format("04:05.000"), fmt.Sprintf(format, args...))
	}
}

// tear has a server be killed at a byte of what it writes.
func (l *histLife) tear(p *corev1.Pod, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if disk := l.disks[p.UID]; disk != nil {
		disk.tear(bytes)
	}
}

// atCommand has a container be killed before or after one of its script's
// commands, now and then, and waits for it. The container may have ended by
// itself meanwhile, and then the command ends with its parent.
func (l *histLife) atCommand(
	ctx context.Context, p *simulated.Process, when kubetest.When,
) {
	strikes := l.draw(p.Pod.Name).IntN(24) == 0
	l.mu.Lock()
	strikes = strikes && !l.isCalm
	l.mu.Unlock()
	if !strikes {
		return
	}
	l.say("%s of %s is killed %s %q", p.Container.Name, p.Pod.Name, when, p.Args)
	l.kill(p.Pod, p.Container.Name)
	select {
	case <-p.Killed():
	case <-ctx.Done():
	}
}

// outage has a machine be away for a while, in which other things happen.
func (l *histLife) outage(node string, lasts time.Duration, how string, strike func(string) error) {
	l.say("%s is %s for %s", node, how, lasts)
	if strike(node) != nil {
		return // it is away already
	}
	l.outages.Go(func() {
		time.Sleep(lasts)
		_ = l.Start(node)
	})
}

// crash ends all controllers at one of their writes. New ones know nothing.
func (l *histLife) crash(r *rand.Rand) {
	write, when := 1+r.IntN(5), kubetest.When(r.IntN(2))
	lasts := time.Duration(r.IntN(20)) * time.Second
	l.say("the controllers crash %s write %d, for %s", when, write, lasts)
	l.blinded(lasts + time.Minute)
	l.Client.CrashAtWrite(l.Client.Writes()+write, when)
	time.Sleep(lasts)
	l.stop()
	l.Client.Repair()
	l.Restart()
	l.run()
}

// lose has events be lost: all connections break, or the one that an event is
// about to come on or has come on. What was there may be too old to be sent again.
func (l *histLife) lose(r *rand.Rand) {
	err := []error{errors.New("connection reset by peer"),
		apierrors.NewResourceExpired("too old resource version")}[r.IntN(2)]
	event, when := r.IntN(20), kubetest.When(r.IntN(2))
	l.say("%v %s event %d", err, when, event)
	l.blinded(10 * time.Second)
	if event == 0 {
		l.Client.BreakWatches(err)
		return
	}
	l.mu.Lock()
	l.breaks = l.Client.Events() + event
	l.mu.Unlock()
	l.Client.BreakWatchAtEvent(l.breaks, when, err)
}

// blinded notes that a proxy may know nothing new for a while.
func (l *histLife) blinded(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(d); until.After(l.blind) {
		l.blind = until
	}
}

func (l *histLife) roll(image string, partition int32) {
	l.say("image %s from %d on", image, partition)
	if image != bringServer && image != "mysql:5.7.99" {
		l.Machines.SetImage(image, l.server.Image())
	}
	l.change(func(set *appsv1.StatefulSet) {
		set.Spec.Template.Spec.Containers[0].Image = image
		set.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{
			Partition: new(partition)}
	})
}

// slowly is a backup that takes its time, also while it holds the lock: then it
// writes what it does.
func (l *histLife) slowly(p *simulated.Process, out io.Writer) io.Writer {
	r := l.draw(p.Pod.Name)
	pause := func() time.Duration {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.isCalm {
			return 0
		}
		return time.Duration(r.IntN(3)*r.IntN(1500)) * time.Millisecond
	}
	p.Stderr = &slowWriter{p.Stderr, pause}
	return &slowWriter{out, pause}
}

type slowWriter struct {
	io.Writer
	pause func() time.Duration
}

func (w *slowWriter) Write(p []byte) (int, error) {
	time.Sleep(w.pause())
	return w.Writer.Write(p)
}

// serverDisk has a server's files be torn when it is its turn.
func (l *histLife) serverDisk(p *simulated.Process, data folder.Folder) folder.Folder {
	disk := &tornDisk{Folder: data, left: -1, kill: func() { l.kill(p.Pod, "mysql") }}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.disks[p.Pod.UID] = disk
	return disk
}

// toolDisk has each fourth clone be torn, at any byte of what is written.
func (l *histLife) toolDisk(p *simulated.Process, data folder.Folder) folder.Folder {
	r := l.draw(p.Pod.Name)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isCalm || r.IntN(4) > 0 {
		return data
	}
	return &tornDisk{Folder: data, left: r.IntN(1 << r.IntN(18)), kill: func() {
		l.say("%s is killed while it clones", p.Pod.Name)
		l.kill(p.Pod, p.Container.Name)
		<-p.Killed()
	}}
}
