package promote_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	promote "reconcile/chapters/07-mysql-cluster/exercises/7.12"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// database is what a Pod answers when it is asked.
type database struct {
	file     string // of its master's binlog; "": it has none
	position int64
	readOnly bool
	silent   bool
	done     []string // statements that change something
}

func (d *database) Query(
	_ context.Context, _ *wire.Session, query string,
) (*sql.Result, error) {
	switch {
	case strings.HasPrefix(query, "SHOW SLAVE STATUS"):
		r := &sql.Result{Columns: []string{
			"Slave_IO_State", "Relay_Master_Log_File", "Exec_Master_Log_Pos"}}
		if d.file != "" {
			r.Rows = [][]sql.Value{{"", d.file, d.position}}
		}
		return r, nil
	case strings.HasPrefix(query, "SELECT"):
		on := int64(0)
		if d.readOnly {
			on = 1
		}
		return &sql.Result{Columns: []string{"@@read_only"},
			Rows: [][]sql.Value{{on}}}, nil
	}
	d.done = append(d.done, query)
	switch {
	case strings.HasPrefix(query, "RESET SLAVE"):
		d.file = ""
	case strings.Contains(query, "read_only"):
		d.readOnly = false
	}
	return &sql.Result{}, nil
}

// rig is an operator, a Service, and Pods that answer or not.
type rig struct {
	*testing.T
	*promote.Promoter
	databases map[string]*database
}

var door = controlloop.Key{Namespace: "default", Name: "mysql-master"}

// with runs a test with a Service that names mysql-0, which is gone.
func with(t *testing.T, all map[string]*database, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := controlloop.NewStore(kinds.Store(kinds.All()))
		service := &corev1.Service{}
		service.Namespace, service.Name = door.Namespace, door.Name
		service.Spec.Selector = map[string]string{"app": "mysql", promote.Named: "mysql-0"}
		service.Spec.Ports = []corev1.ServicePort{{Port: 3306}}
		_, err := store.Create(t.Context(), service)
		require.NoError(t, err)
		r := &rig{T: t, databases: all}
		r.Promoter = &promote.Promoter{
			Client: store, Pods: controlloop.NewIndexer(), Dial: r.dial,
			Patience: 30 * time.Second,
		}
		for name := range all {
			r.ready(name)
		}
		test(r)
	})
}

func (r *rig) ready(name string) {
	pod := kubetest.Pod(name)
	pod.Namespace, pod.UID = door.Namespace, types.UID(name)
	pod.Labels = map[string]string{"app": "mysql"}
	pod.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	r.Pods.Put(pod)
}

func (r *rig) dial(
	ctx context.Context, pod *corev1.Pod, _ int32,
) (net.Conn, error) {
	d := r.databases[pod.Name]
	if d == nil || d.silent {
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
	return &database{file: file, position: position, readOnly: true}
}

//book:exercise 7.12
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

//book:exercise 7.12
func TestAMasterIsWaitedFor(t *testing.T) {
	with(t, map[string]*database{"mysql-1": slave("bin.000001", 100)}, func(r *rig) {
		result, err := r.Reconcile(r.Context(), door)
		require.NoError(r, err)
		require.Equal(r, 30*time.Second, result.After)
		time.Sleep(29 * time.Second)
		require.Equal(r, "mysql-0", r.look())
		r.databases["mysql-0"] = &database{}
		r.ready("mysql-0")
		assert.Equal(r, "mysql-0", r.look())
		r.Pods.Remove(controlloop.Key{Namespace: "default", Name: "mysql-0"})
		time.Sleep(2 * time.Second)
		assert.Equal(r, "mysql-0", r.look(), "the next time it is waited for anew")
	})
}

//book:exercise 7.12
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
		"silent": {map[string]*database{
			"mysql-1": slave("bin.000001", 100),
			"mysql-2": {file: "bin.000009", position: 4, readOnly: true, silent: true}}, "mysql-1"},
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

//book:exercise 7.12
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
//book:exercise 7.12
func TestWhatWasBegunIsFinished(t *testing.T) {
	all := map[string]*database{
		"mysql-0": slave("bin.000001", 100), "mysql-1": slave("bin.000001", 200)}
	with(t, all, func(r *rig) {
		assert.Equal(r, "mysql-0", r.look())
		assert.False(r, all["mysql-0"].readOnly, "whom the Service names is a master")
		assert.True(r, all["mysql-1"].readOnly)
	})
}
