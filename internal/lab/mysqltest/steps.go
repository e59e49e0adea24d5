package mysqltest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Step is something to do with a cluster, and the result that it must have.
type Step struct {
	Name string
	Do   func(u *User)
}

// begin has what every user begins with. What comes then may come in any order; each
// step begins where the one before has ended.
var (
	begin = []Step{
		{"the Pods come up, one after the other", (*User).bringUp},
		{"what is written to the master is read everywhere", (*User).writeAndRead},
	}
	grow = []Step{
		{"each has a number of its own", (*User).serverIDs},
		{"a slave refuses to be written to", (*User).refused},
		{"a slave that comes later has what came earlier", (*User).scaleUp},
		{"who comes back has its disk, and clones nothing", (*User).scaleDownAndUp},
		{"a slave that is killed under load catches up", (*User).killSlave},
		{"a master that is killed comes back with all that it said", (*User).killMaster},
	}
	lose = []Step{
		{"a slave whose node is gone comes back elsewhere or not at all", (*User).loseNode},
	}
	roll = []Step{
		{"an image rolls from the highest down", (*User).rollImage},
		{"a partition keeps the lower ones as they are", (*User).rollPartition},
		{"an image that is not there stops at the first", (*User).rollBroken},
	}
)

// Steps returns all of them, in their order.
func Steps() []Step { return slices.Concat(begin, grow, lose, roll) }

// Shared divides the steps between two users with a cluster each, who are done
// sooner: waiting until a node counts as gone takes as long as most of the rest.
func Shared() map[string][]Step {
	return map[string][]Step{
		"cut off":           slices.Concat(begin, lose),
		"scaled and rolled": slices.Concat(begin, grow, roll),
	}
}

// Play does all of them.
func (u *User) Play() {
	for _, step := range Steps() {
		u.Log(step.Name)
		step.Do(u)
	}
}

// bringUp creates the objects of the manifest.
func (u *User) bringUp() {
	u.Ok("create", "-f", u.manifest("mysql-configmap.yaml"),
		"-f", u.manifest("mysql-services.yaml"),
		"-f", u.manifest("mysql-statefulset.yaml"))
	u.comeUp(0, 3)
}

// comeUp waits until the Pods up to n are ready, and watches that each begins
// when the one before is.
func (u *User) comeUp(from, n int) {
	for ordinal := from; ordinal < n; ordinal++ {
		u.Until(pod(ordinal)+" is ready", func() bool {
			all := u.statuses()
			for later := ordinal + 1; later < n; later++ {
				require.True(u, all[later] == "" || all[ordinal] == ready,
					"%s has begun before %s is ready", pod(later), pod(ordinal))
			}
			if all[ordinal] != "" {
				assert.Contains(u, begins, all[ordinal], pod(ordinal))
			}
			return all[ordinal] == ready
		})
	}
}

// begins lists what the status of a Pod of two containers can be until it is
// ready.
var begins = []string{"0/2 Pending", "0/2 ContainerCreating", "0/2 Init:0/2",
	"0/2 Init:1/2", "0/2 PodInitializing", "1/2 Running", ready}

// writeAndRead writes at the master, and reads at any Pod that answers.
func (u *User) writeAndRead() {
	u.reads("mysql-0.mysql", `CREATE DATABASE test;
CREATE TABLE test.messages (id INT PRIMARY KEY, message VARCHAR(250));
INSERT INTO test.messages VALUES (0, 'hello');
`)
	u.rows = 1
	u.caughtUp(3)
	assert.Equal(u, "message\nhello",
		u.reads("mysql-read", "SELECT message FROM test.messages;"))
}

// caughtUp waits until each of n Pods has all rows that were acknowledged, and
// asserts that it has no others.
func (u *User) caughtUp(n int) {
	u.Helper()
	for ordinal := range n {
		var found string
		u.Until(fmt.Sprintf("%s has %d rows", pod(ordinal), u.rows), func() bool {
			found, _ = u.ask(ordinal, "SELECT COUNT(*) FROM test.messages")
			return found == fmt.Sprint(u.rows)
		})
		assert.Equal(u, fmt.Sprint(u.rows-1),
			u.value(ordinal, "SELECT MAX(id) FROM test.messages"))
	}
}

func (u *User) serverIDs() {
	for ordinal := range 3 {
		assert.Equal(u, fmt.Sprint(100+ordinal), u.value(ordinal, "SELECT @@server_id"))
	}
	answered := map[string]bool{}
	u.Until("all three answer as mysql-read", func() bool {
		answered[u.reads("mysql-read", "SELECT @@server_id;")] = true
		return len(answered) == 3
	})
}

func (u *User) refused() {
	out, errs, code := u.client("mysql-1.mysql",
		"INSERT INTO test.messages VALUES (1000, 'mine');")
	assert.Equal(u, 1, code)
	assert.Contains(u, out+errs, "ERROR 1290 (HY000)")
	u.caughtUp(3)
}

func (u *User) scale(n int) {
	u.Ok("scale", "statefulset", "mysql", fmt.Sprintf("--replicas=%d", n))
}

func (u *User) scaleUp() {
	u.scale(5)
	u.comeUp(3, 5)
	assert.Equal(u, "message\nhello",
		u.reads("mysql-3.mysql", "SELECT message FROM test.messages;"))
	u.caughtUp(5)
}

func (u *User) scaleDownAndUp() {
	u.scale(3)
	u.Until("two have gone", func() bool { return len(u.statuses()) == 3 })
	u.insert(3)
	u.scale(5)
	u.comeUp(3, 5)
	u.caughtUp(5)
	for ordinal := 3; ordinal < 5; ordinal++ {
		log := u.Ok("logs", pod(ordinal), "-c", "clone-mysql")
		assert.NotContains(u, log, "ncat", "%s cloned again", pod(ordinal))
		assert.Equal(u, "1", strings.TrimSpace(u.Ok("exec", pod(ordinal), "-c", "mysql",
			"--", "sh", "-c", "ls /var/lib/mysql/change_master_to.sql.orig | wc -l")))
	}
	u.scale(3)
	u.Until("two have gone", func() bool { return len(u.statuses()) == 3 })
}

// insert writes rows at the master, one statement each, and counts those that
// were acknowledged.
func (u *User) insert(n int) {
	u.Helper()
	for range n {
		u.Until("the master takes a row", u.insertOne)
	}
}

// insertOne reports whether the master took a row. If one was taken and not
// acknowledged, the next try says so.
func (u *User) insertOne() bool {
	_, errs, code := u.Cluster.Kubectl("", "exec", pod(0), "-c", "mysql", "--",
		"mysql", "-h", "127.0.0.1", "-e",
		fmt.Sprintf("INSERT INTO test.messages VALUES (%d, 'row')", u.rows))
	if code != 0 && !strings.Contains(errs, "ERROR 1062") {
		return false
	}
	u.rows++
	return true
}

// kill takes a Pod away from under its server, without a word.
func (u *User) kill(ordinal int) (uid string) {
	uid = u.uid(ordinal)
	u.Ok("delete", "pod", pod(ordinal), "--force", "--grace-period=0", "--wait=false")
	return uid
}

// comesBack waits until another Pod of the same name is ready.
func (u *User) comesBack(ordinal int, before string) {
	u.Helper()
	u.Until(pod(ordinal)+" is back", func() bool {
		return u.uid(ordinal) != before && u.statuses()[ordinal] == ready
	})
}

func (u *User) killSlave() {
	u.insert(3)
	before := u.kill(1)
	u.insert(3)
	u.comesBack(1, before)
	u.caughtUp(3)
}

// killMaster kills the master, which stays away until the others were asked: no
// node takes a Pod. Some connections of the first half second are sent to the
// dead master, where TCP would wait for two minutes.
func (u *User) killMaster() {
	u.insert(2)
	nodes := strings.Fields(u.Ok("get", "nodes", "-o", "name"))
	u.Ok(append([]string{"cordon"}, nodes...)...)
	before := u.kill(0)
	u.Until("who is left answers", func() bool {
		_, _, code := u.Cluster.Kubectl("", "exec", pod(1), "-c", "mysql", "--",
			"mysql", "--connect-timeout=5", "-h", "mysql-read",
			"-e", "SELECT COUNT(*) FROM test.messages")
		return code == 0
	})
	assert.Contains(u, []string{"", "0/2 Pending"}, u.statuses()[0], "the master is away")
	u.Ok(append([]string{"uncordon"}, nodes...)...)
	u.insert(2)
	u.comesBack(0, before)
	u.caughtUp(3)
}

// loseNode switches the machine of a slave off. Its Pod is to go, and no
// kubelet can say that it has: so no other may take its name until the machine
// is back. Left alone, the Pod is deleted after the five minutes for which it
// tolerates such a node; a user need not wait for that.
func (u *User) loseNode() {
	machines, ok := u.Cluster.(Machines)
	if !ok {
		u.Log("left out: the nodes cannot be switched off")
		return
	}
	node, before := u.nodeOf(2), u.uid(2)
	require.NotEqual(u, node, u.nodeOf(0), "the master is to stay")
	require.NoError(u, machines.Stop(node))
	u.insert(2)
	u.Until(node+" is not ready", func() bool {
		return strings.Contains(u.Ok("get", "node", node), " NotReady ")
	})
	u.Ok("delete", "pod", pod(2), "--wait=false")
	u.stays("there is a second one of a name", 10*time.Minute, func() bool {
		return u.uid(2) == before
	})
	require.NoError(u, machines.Start(node))
	u.comesBack(2, before)
	u.Until("all are back", func() bool { return u.areReady(3) })
	u.caughtUp(3)
}

func (u *User) nodeOf(ordinal int) string {
	return u.Ok("get", "pod", pod(ordinal), "-o", "jsonpath={.spec.nodeName}")
}

// Manifests returns the folder of the chapter's, for a test of a
// package of this module.
func Manifests() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		found := filepath.Join(dir, "chapters", "07-mysql-cluster", "manifests")
		if _, err := os.Stat(found); err == nil {
			return found
		}
		dir = filepath.Dir(dir)
	}
	return ""
}
