package mysqlcluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/promote"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/internal/kubetest"
)

// toldHistories are those that exercise 7q judges. In the first three the promise
// is kept. Then it is broken: by operators that are 7k's with a fault, by servers
// that are 7g's, by a clone that is 7h's, and in the last two by the chapter's own,
// as its page says.
var toldHistories = []struct {
	part string
	live func(s *toldShop)
}{
	{"killed-at-a-byte", func(s *toldShop) {
		for i, statement := range []string{toldInsert, toldChange, toldCancel} {
			for nth := range 3 {
				id := 10*(i+1) + nth
				if statement != toldInsert {
					s.order(id, 1)
				}
				s.cutOff(40*nth, statement, id, []int{1, 2, 0}[i])
				s.start("mysql-0", s.disks["mysql-0"])
				s.rule()
			}
		}
	}},
	{"restart", func(s *toldShop) { s.restart(time.Minute) }},
	{"two-promotions-and-a-clone", func(s *toldShop) {
		s.order(2, 3)
		s.tell("mysql-0", toldChange, 2, 4)
		s.tell("mysql-0", toldCancel, 1, 0)
		s.kill("mysql-0")
		s.rule()
		s.order(3, 1)
		s.clone("mysql-0", "mysql-1", nil)
		s.tell("mysql-1", toldChange, 2, 5)
		s.tell("mysql-1", toldCancel, 3, 0)
		s.kill("mysql-1")
		s.rule()
		s.order(4, 1)
	}},
	{"next-in-line", func(s *toldShop) {
		s.lag("mysql-1", toldInsert, 2, 3)
		s.promote("mysql-1")
	}},
	{"next-in-line-lacks-a-change", func(s *toldShop) {
		s.lag("mysql-1", toldChange, 1, 2)
		s.promote("mysql-1")
	}},
	{"next-in-line-lacks-a-cancellation", func(s *toldShop) {
		s.lag("mysql-1", toldCancel, 1, 0)
		s.promote("mysql-1")
	}},
	{"promote-then-tell", func(s *toldShop) {
		s.lag("mysql-1", toldInsert, 2, 3)
		s.kill("mysql-0")
		s.say("mysql-2 is promoted, and the operator is killed")
		s.nodes["mysql-2"].do(toldPromotion...)
		s.rule()
	}},
	{"at-once", func(s *toldShop) { s.restart(0) }},
	{"writers-first", func(s *toldShop) {
		s.unanswered(2, 3)
		s.name("mysql-1")
		s.say("it takes writes, and the operator is killed")
		s.nodes["mysql-1"].do("SET GLOBAL read_only = 0")
		s.order(2, 3) // once more
		s.start("mysql-0", s.disks["mysql-0"])
		s.see()
	}},
	{"answered-before-it-is-written", func(s *toldShop) { s.forget("") }},
	{"the-copy-can-wait", func(s *toldShop) { s.forget("-bin.") }},
	{"first-the-address", func(s *toldShop) {
		at := s.nodes["mysql-0"].Published()
		s.order(2, 3)
		s.clone("mysql-1", "mysql-0", &at)
		s.kill("mysql-0")
		s.rule()
	}},
	{"not-led", func(s *toldShop) {
		s.promote("mysql-1")
		s.order(2, 3)
		s.promote("mysql-2")
	}},
	{"led-from-behind", func(s *toldShop) {
		s.lag("mysql-2", toldInsert, 2, 3)
		s.promote("mysql-1")
		s.follow("mysql-2", "mysql-1", s.nodes["mysql-1"].Published())
		s.order(3, 1)
		s.kill("mysql-1")
		s.rule()
	}},
	{"the-disk-is-gone", func(s *toldShop) {
		s.nodes["mysql-1"].do("STOP SLAVE")
		s.lag("mysql-2", toldInsert, 2, 3)
		s.kill("mysql-0")
		s.rule()
	}},
	{"the-cable-is-out", func(s *toldShop) {
		s.say("mysql-0 is cut off")
		s.pods.Remove(toldKey("mysql-0"))
		s.rule()
		s.tell("mysql-0", toldInsert, 2, 3) // by a till on the same machine
	}},
}

func TestRunOfOrdersThatWereTold(t *testing.T) {
	var log bytes.Buffer
	log.WriteString("# 2:3 is order 2, of three cups. What is seen is the master, and each server with its orders.\n")
	for _, h := range toldHistories {
		fmt.Fprintf(&log, "# part: %s\n%s", h.part, toldLived(t, h.live))
	}
	// The chapter's operator is killed after each of its calls. The last one lives.
	last, killed := "", true
	for calls := 0; killed; calls++ {
		text := toldLived(t, func(s *toldShop) {
			s.lag("mysql-1", toldInsert, 2, 3)
			s.unanswered(3, 1)
			s.hire(calls, time.Minute)
			s.rule()
			if killed = s.lives < 0; killed {
				s.say("the operator is killed")
			}
			s.hire(math.MaxInt, time.Minute)
			s.rule()
			s.order(3, 1) // once more
			s.order(4, 2)
			s.start("mysql-0", s.disks["mysql-0"])
			s.see()
		})
		if text != last {
			fmt.Fprintf(&log, "# part: an-operator-of-%d-calls\n%s", calls, text)
		}
		last = text
	}
	kubetest.Recorded(t, "told.txt", log.Bytes())
}

const (
	toldInsert = "INSERT INTO shop.orders VALUES (%[1]d, %[2]d)"
	toldChange = "UPDATE shop.orders SET cups = %[2]d WHERE id = %[1]d"
	toldCancel = "DELETE FROM shop.orders WHERE id = %[1]d"
)

var toldPromotion = []string{"STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = 0"}

// toldKey returns the key of a Pod, or of the Service.
func toldKey(name string) controlloop.Key { return controlloop.Key{Namespace: "shop", Name: name} }

// toldShop has a master, two slaves, an operator, and a client. It writes down what
// happens.
type toldShop struct {
	*nodeWorld
	controlloop.Client // the operator's
	nodes              map[string]*node
	disks              map[string]*nodeTorn
	pods               *controlloop.Indexer
	operator           *promote.Promoter
	lives              int // the operator's calls until it is killed
	log                []string
}

// toldLived returns what happens in a shop whose servers all have order 1.
func toldLived(t *testing.T, live func(s *toldShop)) (log string) {
	synctest.Test(t, func(t *testing.T) {
		s := &toldShop{nodeWorld: newNodeWorld(t), Client: controlloop.NewStore(controlloop.CoreKinds().With(rollingupdate.Kinds()...)),
			nodes: map[string]*node{}, disks: map[string]*nodeTorn{}, pods: controlloop.NewIndexer()}
		s.hire(math.MaxInt, time.Minute)
		service := &corev1.Service{}
		service.Namespace, service.Name = "shop", "mysql-master"
		service.Spec.Selector = map[string]string{"app": "mysql", promote.Named: "mysql-0"}
		service.Spec.Ports = []corev1.ServicePort{{Port: 3306}}
		_, err := s.Create(t.Context(), service)
		require.NoError(t, err)
		for _, name := range []string{"mysql-0", "mysql-1", "mysql-2"} {
			s.disks[name] = &nodeTorn{Folder: folder.NewMemory(), left: math.MaxInt}
			s.start(name, s.disks[name])
		}
		s.rule()
		begin := s.nodes["mysql-0"].Published()
		s.nodes["mysql-0"].do("CREATE DATABASE shop", "CREATE TABLE shop.orders (id INT, cups INT)")
		s.follow("mysql-1", "mysql-0", begin)
		s.follow("mysql-2", "mysql-0", begin)
		s.log = nil
		s.order(1, 1)
		live(s)
		log = strings.Join(s.log, "\n") + "\n"
	})
	return log
}

func (s *toldShop) say(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// start starts a server over a disk, and its Pod is ready.
func (s *toldShop) start(name string, disk folder.Folder) {
	s.say("%s is back", name)
	s.nodes[name] = s.nodeWorld.start(name, disk, "server-id=10"+name[len("mysql-"):], "log-bin", "super-read-only")
	s.mu.Lock()
	s.at[name+".mysql"] = s.at[name]
	s.mu.Unlock()
	pod := kubetest.Pod(name)
	pod.Namespace, pod.Labels, pod.Spec.Subdomain = "shop", map[string]string{"app": "mysql"}, "mysql"
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	s.pods.Put(pod)
}

func (s *toldShop) kill(name string) {
	s.say("%s is killed", name)
	s.nodes[name].kill()
	s.pods.Remove(toldKey(name))
	s.see()
}

func (s *toldShop) follow(name, master string, from mysqlcluster.ExPlace) {
	s.nodes[name].do(fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='%s.mysql', MASTER_USER='root', MASTER_PASSWORD='', "+
		"MASTER_CONNECT_RETRY=10, MASTER_LOG_FILE='%s', MASTER_LOG_POS=%d", master, from.File, from.Pos), "START SLAVE")
}

// see gives the servers time to talk to each other, and looks at them.
func (s *toldShop) see() {
	time.Sleep(15 * time.Second)
	master, seen := "no master", ""
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		result, err := s.ask(name, "SELECT id, cups FROM shop.orders ORDER BY id")
		if err != nil {
			continue
		}
		seen += "  " + name
		for i, row := range result.Rows {
			seen += fmt.Sprintf("%c%v:%v", " ,"[min(i, 1)], row[0], row[1])
		}
		if name == s.named() && s.nodes[name].value("SELECT @@read_only") == int64(0) {
			master = name
		}
	}
	if line := "seen  " + master + seen; len(s.log) == 0 || s.log[len(s.log)-1] != line {
		s.say("%s", line)
	}
}

func (s *toldShop) ask(server, statement string) (*sql.Result, error) {
	client, err := s.nodes[server].tryClient()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return client.Query(statement)
}

// tell sends a client's statement to a server, and says whether that has answered.
func (s *toldShop) tell(server, statement string, id, cups int) {
	s.say("sent  %d:%d to %s", id, cups, server)
	if _, err := s.ask(server, fmt.Sprintf(statement, id, cups)); err == nil {
		s.say("told  %d:%d by %s", id, cups, server)
	}
	s.see()
}

// order places an order with the Pod that the Service names.
func (s *toldShop) order(id, cups int) { s.tell(s.named(), toldInsert, id, cups) }

// lag stops a slave, and sends mysql-0 what the slave does not hear of.
func (s *toldShop) lag(name, statement string, id, cups int) {
	s.nodes[name].do("STOP SLAVE")
	s.tell("mysql-0", statement, id, cups)
}

// cutOff sends mysql-0 a statement, and kills it when it has written so many bytes.
func (s *toldShop) cutOff(bytes int, statement string, id, cups int) {
	tear := func(left int) {
		s.disks["mysql-0"].mu.Lock()
		defer s.disks["mysql-0"].mu.Unlock()
		s.disks["mysql-0"].left = left
	}
	tear(bytes)
	s.tell("mysql-0", statement, id, cups)
	s.kill("mysql-0")
	tear(math.MaxInt)
}

// unanswered sends mysql-0 an order, and kills it between its binlog and its redo
// log. The record of order 9 is as long.
func (s *toldShop) unanswered(id, cups int) {
	before := s.nodes["mysql-0"].Published()
	s.order(9, 9)
	s.cutOff(int(s.nodes["mysql-0"].Published().Pos-before.Pos), toldInsert, id, cups)
}

// restart kills mysql-0, which alone has order 2, and starts it after the operator
// has looked once.
func (s *toldShop) restart(patience time.Duration) {
	s.hire(math.MaxInt, patience)
	s.nodes["mysql-1"].do("STOP SLAVE")
	s.lag("mysql-2", toldInsert, 2, 3)
	s.kill("mysql-0")
	s.look()
	s.start("mysql-0", s.disks["mysql-0"])
	s.rule()
}

// forget gives mysql-0 a disk that forgets what is written to files of such a name.
// If it forgets the binlog alone, mysql-0 does not come back.
func (s *toldShop) forget(files string) {
	s.kill("mysql-0")
	s.start("mysql-0", toldForgetful{s.disks["mysql-0"], files})
	s.rule()
	s.order(2, 3)
	s.kill("mysql-0")
	if files == "" {
		s.start("mysql-0", s.disks["mysql-0"])
	}
	s.rule()
}

// clone gives a server a copy of another's data. It follows the other from where the
// copy ends, or from another place.
func (s *toldShop) clone(name, source string, from *mysqlcluster.ExPlace) {
	s.nodes[name].kill()
	s.say("%s is cloned from %s", name, source)
	found, err := mysqlcluster.LookUnderLock(s.nodes[source].client(), s.disks[source], false)
	require.NoError(s.t, err)
	content, err := io.ReadAll(found.Log)
	require.NoError(s.t, err)
	s.disks[name] = &nodeTorn{Folder: folder.NewMemory(), left: math.MaxInt}
	nodeWrite(s.t, s.disks[name], mysqlcluster.RedoName, content)
	s.start(name, s.disks[name])
	if from == nil {
		from = &found.Binlog
	}
	s.follow(name, source, *from)
	s.see()
}

func (s *toldShop) service() *corev1.Service {
	obj, err := s.Get(s.t.Context(), corev1.SchemeGroupVersion.WithKind("Service"), toldKey("mysql-master"))
	require.NoError(s.t, err)
	return controlloop.Copy(obj.(*corev1.Service))
}

func (s *toldShop) named() string { return s.service().Spec.Selector[promote.Named] }

func (s *toldShop) name(pod string) {
	service := s.service()
	service.Spec.Selector[promote.Named] = pod
	service.Annotations[promote.Server] = sql.Text(s.nodes[pod].value("SELECT @@server_id"))
	_, err := s.Update(s.t.Context(), service)
	require.NoError(s.t, err)
}

// promote does what an operator does that asks no slave how far it is, nor whom it
// follows.
func (s *toldShop) promote(name string) {
	s.kill(s.named())
	s.name(name)
	s.nodes[name].do(toldPromotion...)
	s.see()
}

// hire begins another of the chapter's operators, which is killed after so many calls.
func (s *toldShop) hire(calls int, patience time.Duration) {
	s.lives = calls
	s.operator = &promote.Promoter{Client: s, Pods: s.pods, Patience: patience,
		Recorder: (&controlloop.System{}).RecorderFor("promoter", "")}
	s.operator.Dial = func(ctx context.Context, pod *corev1.Pod, _ int32) (net.Conn, error) {
		if err := s.called(); err != nil {
			return nil, err
		}
		return s.dial(ctx, "tcp", pod.Name+":3306")
	}
}

func (s *toldShop) called() error {
	if s.lives--; s.lives < 0 {
		return errors.New("killed")
	}
	return nil
}

// Update stores the Service, unless the operator was killed.
func (s *toldShop) Update(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	if err := s.called(); err != nil {
		return nil, err
	}
	s.say("%s is named", obj.(*corev1.Service).Spec.Selector[promote.Named])
	return s.Client.Update(ctx, obj)
}

func (s *toldShop) look() {
	_, _ = s.operator.Reconcile(s.t.Context(), toldKey("mysql-master"))
	s.see()
}

// rule has the operator look as often as it takes.
func (s *toldShop) rule() {
	for range 7 {
		s.look()
	}
}

// toldForgetful is a disk that forgets what is written to files of such a name.
type toldForgetful struct {
	folder.Folder
	files string
}

func (f toldForgetful) Open(name string, flag int) (folder.File, error) {
	file, err := f.Folder.Open(name, flag)
	if err != nil || !strings.Contains(name, f.files) {
		return file, err
	}
	return toldForgotten{file}, nil
}

type toldForgotten struct{ folder.File }

func (toldForgotten) Write(b []byte) (int, error) { return len(b), nil }
