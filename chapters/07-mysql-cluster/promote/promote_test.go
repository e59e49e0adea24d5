package promote_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/promote"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// database is what a Pod answers when it is asked.
type database struct {
	id       int64  // its own number
	master   int64  // that of its master; 0: it never reached it
	file     string // of its master's binlog; "": it has none
	position int64  // what it has executed of that
	unread   int64  // what it has read besides, and executes when it is told to read no more
	broken   string // why it executes nothing
	host     string // its master, by CHANGE MASTER TO
	binlog   string // the last file of its own, of 154 bytes; "": it keeps none
	running  bool   // its threads, which tell it what its master does
	deaf     bool   // it reads no more, and executes what it has read
	readOnly bool
	silent   bool
	done     []string // statements that change something
	write    func(do func() error) error
}

func (d *database) Query(
	_ context.Context, _ *wire.Session, query string,
) (*sql.Result, error) {
	query = strings.ToUpper(strings.TrimRight(query, "; "))
	switch {
	case query == "SHOW SLAVE STATUS":
		r := &sql.Result{Columns: []string{
			"Slave_IO_State", "Relay_Master_Log_File", "Exec_Master_Log_Pos",
			"Master_Log_File", "Read_Master_Log_Pos", "Master_Server_Id", "Last_SQL_Error"}}
		if d.file != "" {
			r.Rows = [][]sql.Value{{
				"", d.file, d.position, d.file, d.position + d.unread, d.master, d.broken}}
		}
		return r, nil
	case query == "SELECT @@SERVER_ID":
		return &sql.Result{Columns: []string{"@@server_id"}, Rows: [][]sql.Value{{d.id}}}, nil
	case query == "SHOW MASTER STATUS":
		r := &sql.Result{Columns: []string{"File", "Position"}}
		if d.binlog != "" {
			r.Rows = [][]sql.Value{{d.binlog, int64(154)}}
		}
		return r, nil
	case isReadOnly.MatchString(query):
		on := int64(0)
		if d.readOnly {
			on = 1
		}
		return &sql.Result{Columns: []string{"@@read_only"},
			Rows: [][]sql.Value{{on}}}, nil
	}
	if query == "START SLAVE SQL_THREAD" { // it goes on with what it has read
		if d.broken == "" {
			d.position, d.unread = d.position+d.unread, 0
		}
		return &sql.Result{}, nil
	}
	d.done = append(d.done, query)
	return &sql.Result{}, d.write(func() error {
		switch {
		case query == "STOP SLAVE IO_THREAD":
			d.deaf = true
		case query == "STOP SLAVE":
			d.running = false
		case strings.HasPrefix(query, "RESET SLAVE") && d.running:
			return sql.NewError(3081)
		case query == "RESET SLAVE": // it still knows its master
		case query == "RESET SLAVE ALL": // and what it had read is gone
			d.file, d.unread = "", 0
		case query == "START SLAVE":
			d.running, d.deaf = true, false
		case follows.MatchString(query):
			m := follows.FindStringSubmatch(query)
			d.host, d.file, d.position = strings.ToLower(m[1]), strings.ToLower(m[2]), 154
			d.master = 100 + int64(d.host[len("mysql-")]-'0')
		case takesWrites.MatchString(query):
			d.readOnly = false
		default:
			return sql.NewError(1064, query, 1)
		}
		return nil
	})
}

var (
	follows     = regexp.MustCompile(`^CHANGE MASTER TO MASTER_HOST='(.*?)',.*MASTER_LOG_FILE='(.*?)', MASTER_LOG_POS=154$`)
	isReadOnly  = regexp.MustCompile(`^SELECT @@(GLOBAL\.)?READ_ONLY$`)
	takesWrites = regexp.MustCompile(`^SET .*\bREAD_ONLY *= *(0|OFF|FALSE)$`)
)

// rig is an operator, a Service, and Pods that answer or not.
type rig struct {
	*testing.T
	*promote.Promoter
	databases map[string]*database
	events    []string

	meanwhile func() // what others do just before it writes the Service

	at, writes int    // the write that goes wrong: 0, none; those so far
	how        string // it does: one of hows
	dead       bool
}

// What can happen at a write: the cluster or the server refuses it, or the
// operator is killed, before the write is made, or before it hears that it was.
var hows = []string{"is refused", "dies before", "dies after"}

// write is one that somebody else remembers: a word in the Service, a statement
// that a server executes.
func (r *rig) write(do func() error) error {
	r.writes++
	if r.writes != r.at {
		return do()
	}
	r.dead = r.how != "is refused"
	if r.how == "dies after" {
		_ = do()
	}
	return errors.New(r.how)
}

// mortal is the cluster, for an operator that may be dead.
type mortal struct {
	controlloop.Client
	r *rig
}

func (m mortal) Update(
	ctx context.Context, obj controlloop.Object,
) (updated controlloop.Object, err error) {
	require.NotEmpty(m.r, obj.GetResourceVersion(), "an update of an old copy has to be refused")
	if do := m.r.meanwhile; do != nil {
		m.r.meanwhile = nil
		do()
	}
	err = m.r.write(func() error {
		updated, err = m.Client.Update(ctx, obj)
		return err
	})
	return updated, err
}

var door = controlloop.Key{Namespace: "shop", Name: "mysql-master"}

// with runs a test with a Service that names mysql-0, which is gone.
func with(t *testing.T, all map[string]*database, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, databases: all}
		store := controlloop.NewStore(kinds.Store(kinds.All()))
		r.Promoter = &promote.Promoter{
			Client: mortal{store, r}, Pods: controlloop.NewIndexer(), Dial: r.dial,
			Recorder: r, Patience: 30 * time.Second,
		}
		r.open()
		for name, d := range all {
			d.write, d.id = r.write, 100+int64(name[len("mysql-")]-'0')
			r.ready(name)
		}
		test(r)
	})
}

// Eventf implements controlloop.Recorder.
func (r *rig) Eventf(_ runtime.Object, kind, reason, format string, args ...any) {
	r.events = append(r.events, fmt.Sprintf("%s %s: ", kind, reason)+fmt.Sprintf(format, args...))
}

// open creates the Service, of which mysql-0 was the master.
func (r *rig) open() {
	service := &corev1.Service{}
	service.Namespace, service.Name = door.Namespace, door.Name
	service.Spec.Selector = map[string]string{"app": "mysql", promote.Named: "mysql-0"}
	service.Annotations = map[string]string{promote.Server: "100"}
	service.Spec.Ports = []corev1.ServicePort{{Port: 3306}}
	_, err := r.Client.Create(r.Context(), service)
	require.NoError(r, err)
}

func (r *rig) ready(name string) { r.Pods.Put(readyPod(name, func(*corev1.Pod) {})) }

func readyPod(name string, change func(*corev1.Pod)) *corev1.Pod {
	pod := kubetest.Pod(name)
	pod.Namespace, pod.UID = door.Namespace, types.UID(name)
	pod.Labels = map[string]string{"app": "mysql"}
	pod.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	change(pod)
	return pod
}

func (r *rig) dial(
	ctx context.Context, pod *corev1.Pod, _ int32,
) (net.Conn, error) {
	d := r.databases[pod.Name]
	if d == nil || d.silent || r.dead {
		return nil, errors.New("connection refused")
	}
	here, there := net.Pipe()
	go func() {
		_ = wire.ServeConn(ctx, there,
			&wire.Session{ID: 1, Version: "5.7.44"}, d)
	}()
	return here, nil
}

// look is one look at the Service. It returns whom that names afterwards.
func (r *rig) look() string {
	r.Helper()
	_, err := r.Reconcile(r.Context(), door)
	require.NoError(r, err)
	return r.named()
}

func (r *rig) named() string {
	obj, err := r.Client.Get(r.Context(),
		corev1.SchemeGroupVersion.WithKind("Service"), door)
	require.NoError(r, err)
	return obj.(*corev1.Service).Spec.Selector[promote.Named]
}

func slave(file string, position int64) *database {
	return &database{master: 100, file: file, position: position, running: true, readOnly: true}
}

//book:exercise 7.11
func TestASlaveTakesThePlaceOfAMasterThatIsGone(t *testing.T) {
	with(t, map[string]*database{"mysql-1": slave("bin.000001", 100)}, func(r *rig) {
		r.look()
		time.Sleep(30 * time.Second)
		require.Equal(r, "mysql-1", r.look())
		r.look()
		one := r.databases["mysql-1"]
		assert.False(r, one.readOnly)
		assert.Empty(r, one.file, "it follows nobody any more")
		n := len(one.done)
		assert.Equal(r, "mysql-1", r.look())
		assert.Len(r, one.done, n, "a master is left alone")
	})
}

//book:exercise 7.11
func TestAMasterIsWaitedFor(t *testing.T) {
	with(t, map[string]*database{"mysql-1": slave("bin.000001", 100)}, func(r *rig) {
		result, err := r.Reconcile(r.Context(), door)
		require.NoError(r, err)
		require.Equal(r, 30*time.Second, result.After)
		time.Sleep(29 * time.Second)
		result, err = r.Reconcile(r.Context(), door)
		require.NoError(r, err)
		require.Equal(r, "mysql-0", r.named())
		require.Equal(r, time.Second, result.After, "29 of 30 seconds are over")
		r.databases["mysql-0"] = &database{id: 100}
		r.ready("mysql-0")
		assert.Equal(r, "mysql-0", r.look())
		r.Pods.Remove(controlloop.Key{Namespace: door.Namespace, Name: "mysql-0"})
		time.Sleep(2 * time.Second)
		assert.Equal(r, "mysql-0", r.look(), "the next time it is waited for anew")
	})
}

// Ada names a Pod herself, after the operator has read the Service.
//
//book:exercise 7.11
func TestWhatAPersonHasNamedIsNotOverwritten(t *testing.T) {
	with(t, map[string]*database{
		"mysql-1": slave("bin.000001", 200), "mysql-2": slave("bin.000001", 100),
	}, func(r *rig) {
		r.look()
		time.Sleep(30 * time.Second)
		store := r.Client.(mortal).Client
		r.meanwhile = func() {
			obj, err := store.Get(r.Context(), corev1.SchemeGroupVersion.WithKind("Service"), door)
			require.NoError(r, err)
			service := controlloop.Copy(obj.(*corev1.Service))
			service.Spec.Selector[promote.Named] = "mysql-2"
			_, err = store.Update(r.Context(), service)
			require.NoError(r, err)
		}
		_, _ = r.Reconcile(r.Context(), door)
		require.Nil(r, r.meanwhile, "nothing was written")
		assert.Equal(r, "mysql-2", r.named())
		for range 2 {
			assert.Equal(r, "mysql-2", r.look())
		}
		assert.False(r, r.databases["mysql-2"].readOnly, "and that one is made a master")
	})
}

//book:exercise 7.11
func TestTheSlaveThatIsFurthestOnIsTaken(t *testing.T) {
	for name, test := range map[string]struct {
		all  map[string]*database
		want string
	}{
		"position": {map[string]*database{
			"mysql-1": slave("bin.000001", 100), "mysql-2": slave("bin.000001", 200)}, "mysql-2"},
		"file": {map[string]*database{
			"mysql-1": slave("bin.000001", 900), "mysql-2": slave("bin.000002", 4)}, "mysql-2"},
		"alike": {map[string]*database{
			"mysql-2": slave("bin.000001", 100), "mysql-1": slave("bin.000001", 100)}, "mysql-1"},
		"follows nobody": {map[string]*database{
			"mysql-1": {readOnly: true}, "mysql-2": slave("bin.000001", 100)}, "mysql-2"},
		"it has read more than it has executed": {map[string]*database{
			"mysql-1": slave("bin.000001", 200),
			"mysql-2": {master: 100, file: "bin.000001", position: 100, unread: 101, readOnly: true}}, "mysql-2"},
		"a slave of another master": {map[string]*database{
			"mysql-1": slave("bin.000001", 100),
			"mysql-2": {master: 103, file: "bin.000009", position: 4, readOnly: true}}, "mysql-1"},
		"it never reached its master": {map[string]*database{
			"mysql-1": slave("bin.000001", 100),
			"mysql-2": {file: "bin.000009", position: 4, readOnly: true}}, "mysql-1"},
		"silent": {map[string]*database{
			"mysql-1": slave("bin.000001", 100),
			"mysql-2": {master: 100, file: "bin.000009", position: 4, readOnly: true, silent: true}}, "mysql-1"},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, test.all, func(r *rig) {
				r.look()
				time.Sleep(time.Minute)
				assert.Equal(r, test.want, r.look())
			})
		})
	}
}

// What a slave has read and not executed is in no other place, once it has forgotten
// its master.
//
//book:exercise 7.11
func TestWhatWasReadIsExecutedBeforeThePromotion(t *testing.T) {
	one := slave("bin.000001", 100)
	one.unread, one.broken = 50, "Duplicate entry '7' for key 'PRIMARY'"
	with(t, map[string]*database{"mysql-0": one}, func(r *rig) {
		for range 3 {
			result, err := r.Reconcile(r.Context(), door)
			require.NoError(r, err)
			require.Equal(r, time.Second, result.After, "it is not done")
		}
		require.NotEmpty(r, one.file, "it has forgotten what it had read")
		require.True(r, one.readOnly)
		one.broken = ""
		for range 3 {
			r.look()
		}
		assert.EqualValues(r, 150, one.position)
		assert.Empty(r, one.file)
		assert.False(r, one.readOnly)
	})
}

func TestAPodIsToldThatItHasNotExecutedWhatItHasRead(t *testing.T) {
	one := slave("bin.000001", 100)
	one.unread, one.broken = 50, "Duplicate entry '7' for key 'PRIMARY'"
	with(t, map[string]*database{"mysql-0": one}, func(r *rig) {
		r.look()
		r.look()
		assert.Equal(r, []string{"Warning NotYetPromoted: cannot execute what it has read: " +
			"Duplicate entry '7' for key 'PRIMARY'"}, r.events)
	})
}

// The second was left behind by the first failover: it has old rows, and nobody may
// take them for the shop's.
//
//book:exercise 7.11
func TestASlaveThatWasLeftBehindIsNoMaster(t *testing.T) {
	one, two := slave("bin.000001", 200), slave("bin.000001", 100)
	with(t, map[string]*database{"mysql-1": one, "mysql-2": two}, func(r *rig) {
		r.looks()
		require.Equal(r, "mysql-1", r.named())
		require.False(r, one.readOnly)
		r.Pods.Remove(controlloop.Key{Namespace: door.Namespace, Name: "mysql-1"})
		one.silent = true
		r.looks()
		r.looks()
		assert.Equal(r, "mysql-1", r.named())
		assert.True(r, two.readOnly)
		assert.Equal(r, []string{
			"Normal Promoted: mysql-1 takes the place of mysql-0",
			"Warning NoCandidate: mysql-1 is gone, and no slave of server 101 answers; to name a Pod that lacks " +
				`orders: kubectl patch service mysql-master -p ` +
				`'{"spec":{"selector":{"statefulset.kubernetes.io/pod-name":"<pod>"}}}'`}, r.events)
	})
}

// One failover after the other: each time the slave takes over that followed the
// last master, whoever that was.
//
//book:exercise 7.11
func TestTwoMastersAreLostOneAfterTheOther(t *testing.T) {
	all := map[string]*database{
		"mysql-1": keeping("mysql-1-bin.000001", "bin.000001", 200),
		"mysql-2": keeping("mysql-2-bin.000001", "bin.000001", 200),
		"mysql-3": keeping("mysql-3-bin.000001", "bin.000001", 900)} // it follows another
	all["mysql-3"].master = 107
	with(t, all, func(r *rig) {
		for _, next := range []string{"mysql-1", "mysql-2"} {
			r.looks()
			require.Equal(r, next, r.named())
			require.False(r, all[next].readOnly)
			r.oneMaster()
			all[next].silent, all[next].readOnly = true, true
			r.Pods.Remove(controlloop.Key{Namespace: door.Namespace, Name: next})
		}
	})
}

// Whom the Service names is noted before anything is done to it.
func TestWhoWasTheMasterIsNotedWithTheWord(t *testing.T) {
	one := slave("bin.000001", 100)
	with(t, map[string]*database{"mysql-0": {}, "mysql-1": one}, func(r *rig) {
		note := func() string {
			obj, err := r.Client.Get(r.Context(), corev1.SchemeGroupVersion.WithKind("Service"), door)
			require.NoError(r, err)
			return obj.(*corev1.Service).Annotations[promote.Server]
		}
		r.databases["mysql-0"].id = 900
		r.look()
		assert.Equal(r, "900", note(), "a person has given it another number")
		one.master = 900
		r.Pods.Remove(controlloop.Key{Namespace: door.Namespace, Name: "mysql-0"})
		r.look()
		time.Sleep(30 * time.Second)
		r.look()
		assert.Equal(r, "mysql-1 101", r.named()+" "+note(), "in one write")
	})
}

// A disk that is lost after the first write must not be taken for one that is new.
func TestNobodyBeginsEmptyOnceThereIsAMaster(t *testing.T) {
	for at := range 5 {
		zero := &database{readOnly: true}
		with(t, map[string]*database{"mysql-0": zero}, func(r *rig) {
			config := &corev1.ConfigMap{Data: map[string]string{promote.BeginEmpty: "", "slave.cnf": "[mysqld]"}}
			config.Namespace, config.Name = door.Namespace, "mysql"
			_, err := r.Client.Create(r.Context(), config)
			require.NoError(r, err)
			kind := corev1.SchemeGroupVersion.WithKind("Service")
			obj, err := r.Client.Get(r.Context(), kind, door)
			require.NoError(r, err)
			service := controlloop.Copy(obj.(*corev1.Service))
			service.Annotations = map[string]string{promote.Config: "mysql"}
			_, err = r.Client.(mortal).Client.Update(r.Context(), service)
			require.NoError(r, err)

			r.at, r.how = at, "dies after"
			for range 6 {
				_, _ = r.Reconcile(r.Context(), door)
				obj, err = r.Client.Get(r.Context(), corev1.SchemeGroupVersion.WithKind("ConfigMap"),
					controlloop.KeyOf(config))
				require.NoError(r, err)
				_, mayBeginEmpty := obj.(*corev1.ConfigMap).Data[promote.BeginEmpty]
				require.False(r, mayBeginEmpty && !zero.readOnly, "there may be writes by now")
				if r.dead {
					r.succeed()
				}
			}
			assert.False(r, zero.readOnly)
			assert.Equal(r, map[string]string{"slave.cnf": "[mysqld]"}, obj.(*corev1.ConfigMap).Data)
		})
	}
}

//book:exercise 7.11
func TestWhereNobodyAnswersItIsTriedAgain(t *testing.T) {
	with(t, map[string]*database{}, func(r *rig) {
		r.look()
		time.Sleep(time.Minute)
		result, err := r.Reconcile(r.Context(), door)
		require.NoError(r, err)
		assert.Equal(r, "mysql-0", r.named())
		assert.Equal(r, time.Second, result.After)
	})
}

// The operator that has changed the Service is dead; this is its successor.
//
//book:exercise 7.11
func TestWhatWasBegunIsFinished(t *testing.T) {
	all := map[string]*database{
		"mysql-0": slave("bin.000001", 100), "mysql-1": slave("bin.000001", 200)}
	with(t, all, func(r *rig) {
		assert.Equal(r, "mysql-0", r.look())
		assert.False(r, all["mysql-0"].readOnly, "whom the Service names is a master")
		assert.True(r, all["mysql-1"].readOnly)
	})
}

// Whatever goes wrong at whichever write, no server takes writes that still
// follows another, and there are never two that do; and whoever looks next, with
// nothing to remember, ends what was begun.
//
//book:exercise 7.11
func TestItMayDieBetweenAnyTwoWrites(t *testing.T) {
	for _, how := range hows {
		at, more := 0, true
		for more {
			at++
			ok := t.Run(fmt.Sprintf("%s write %d", how, at), func(t *testing.T) {
				more = falls(t, how, at)
			})
			require.True(t, ok)
		}
		require.Greater(t, at, 1, "nothing was ever written")
	}
}

// falls plays the fall of mysql-0, and reports whether there was such a write.
func falls(t *testing.T, how string, at int) (struck bool) {
	all := map[string]*database{
		"mysql-1": slave("bin.000001", 100), "mysql-2": slave("bin.000001", 200)}
	with(t, all, func(r *rig) {
		r.at, r.how = at, how
		for range 4 {
			result, err := r.Reconcile(r.Context(), door)
			if r.writes == at && !struck {
				struck = true
				assert.True(r, err != nil || result.After > 0,
					"it went wrong, and nobody will look again")
			}
			r.oneMaster()
			if r.dead {
				break
			}
			time.Sleep(30 * time.Second)
		}
		r.succeed()
		for range 4 {
			r.look()
			r.oneMaster()
			time.Sleep(30 * time.Second)
		}
		assert.Equal(r, "mysql-2", r.named(), "the Service, in the end")
		assert.False(r, all["mysql-2"].readOnly, "in the end it takes writes")
	})
	return struck
}

// succeed has another operator take over, which has nothing to remember, and to
// which nothing happens.
func (r *rig) succeed() {
	before := r.Promoter
	r.dead, r.at = false, 0
	r.Promoter = &promote.Promoter{Client: before.Client,
		Pods: before.Pods, Dial: before.Dial, Recorder: r, Patience: before.Patience}
}

// oneMaster asserts what is true at any time.
func (r *rig) oneMaster() {
	r.Helper()
	masters := 0
	for name, d := range r.databases {
		if d.readOnly {
			continue
		}
		masters++
		assert.Empty(r, d.file, "%s takes writes, and follows a master", name)
	}
	assert.LessOrEqual(r, masters, 1, "servers that take writes")
}

// Each of them is further on, and comes before the one that counts.
//
//book:exercise 7.11
func TestNoOtherThanAReadyPodOfTheSetIsTaken(t *testing.T) {
	for name, change := range map[string]func(*corev1.Pod){
		"of another namespace": func(p *corev1.Pod) { p.Namespace = "another" },
		"of another app":       func(p *corev1.Pod) { p.Labels["app"] = "another" },
		"not ready":            func(p *corev1.Pod) { p.Status.Conditions = nil },
		"on its way out":       func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) },
	} {
		t.Run(name, func(t *testing.T) {
			with(t, map[string]*database{"mysql-2": slave("bin.000001", 100)}, func(r *rig) {
				r.databases["mysql-1"] = slave("bin.000001", 200)
				r.Pods.Put(readyPod("mysql-1", change))
				r.look()
				time.Sleep(time.Minute)
				assert.Equal(r, "mysql-2", r.look())
			})
		})
	}
}

// A look that could not find out does nothing, and comes again.
//
//book:exercise 7.11
func TestWhatCannotBeAskedIsTriedAgain(t *testing.T) {
	all := map[string]*database{
		"mysql-0": {readOnly: true, silent: true}, "mysql-1": slave("bin.000001", 100)}
	with(t, all, func(r *rig) {
		result, err := r.Reconcile(r.Context(), door)
		assert.True(r, err != nil || result.After > 0, "the Pod is ready, and does not answer")
		assert.Equal(r, "mysql-0", r.named(), "it is ready: another look may find it well")

		r.Promoter.Client = mute{r.Promoter.Client}
		_, err = r.Reconcile(r.Context(), door)
		assert.ErrorIs(r, err, errMute, "the Service could not be read")
	})
}

// mute is a cluster that does not answer.
type mute struct{ controlloop.Client }

var errMute = errors.New("unexpected EOF")

func (mute) Get(
	context.Context, schema.GroupVersionKind, controlloop.Key,
) (controlloop.Object, error) {
	return nil, errMute
}

//book:exercise 7.11
func TestAServiceThatIsDeletedIsForgotten(t *testing.T) {
	with(t, map[string]*database{"mysql-1": slave("bin.000001", 100)}, func(r *rig) {
		require.Equal(r, "mysql-0", r.look())
		service := corev1.SchemeGroupVersion.WithKind("Service")
		require.NoError(r, r.Client.Delete(r.Context(), service, door, metav1.DeleteOptions{}))
		result, err := r.Reconcile(r.Context(), door)
		require.NoError(r, err, "it would be tried again for ever")
		assert.Zero(r, result)
		time.Sleep(time.Minute)
		r.open()
		result, err = r.Reconcile(r.Context(), door)
		require.NoError(r, err)
		assert.Equal(r, 30*time.Second, result.After, "a new one is waited for anew")
	})
}

// A statement that a server refuses stands in an Event of its Pod.
func TestAPodIsToldWhatItsServerRefuses(t *testing.T) {
	one := slave("bin.000001", 100)
	with(t, map[string]*database{"mysql-0": one}, func(r *rig) {
		one.write = func(func() error) error { return sql.Errorf(1227, "Access denied") }
		_, _ = r.Reconcile(r.Context(), door)
		_, _ = r.Reconcile(r.Context(), door)
		require.Len(r, r.events, 1)
		assert.Regexp(r, `^Warning Refused: STOP SLAVE IO_THREAD: ERROR 1227 \(.*\): Access denied`, r.events[0])
	})
}
