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

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/chapters/07-mysql-cluster/promote"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
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
	busy     bool   // it doesn't say how far it is
	vague    bool   // it doesn't say whether it takes writes
	refused  bool   // its master doesn't have what comes after its place
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
	case query == "SHOW SLAVE STATUS" && d.busy:
		return nil, errors.New("it is busy")
	case query == "SHOW SLAVE STATUS":
		r := &sql.Result{Columns: []string{
			"Slave_IO_State", "Relay_Master_Log_File", "Exec_Master_Log_Pos",
			"Master_Log_File", "Read_Master_Log_Pos", "Master_Server_Id", "Last_IO_Errno", "Last_SQL_Error"}}
		if d.file != "" {
			errno := int64(0)
			if d.refused {
				errno = 1236
			}
			r.Rows = [][]sql.Value{{
				"", d.file, d.position, d.file, d.position + d.unread, d.master, errno, d.broken}}
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
	case isReadOnly.MatchString(query) && d.vague:
		return nil, errors.New("it is busy")
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
		store := controlloop.NewStore(controlloop.CoreKinds().With(rollingupdate.Kinds()...), kubetest.DetectMutations(t))
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
