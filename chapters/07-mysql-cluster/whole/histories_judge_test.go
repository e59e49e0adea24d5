package whole_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/sqltest"
)

// histDelay is how long a proxy may send to a Pod that is not ready any more,
// and a little.
const histDelay = 700 * time.Millisecond

// read reads at mysql-read, as everybody does, once a second.
func (l *histLife) read(stop <-chan struct{}) {
	obj, err := l.Store.Get(context.Background(),
		corev1.SchemeGroupVersion.WithKind("Service"),
		controlloop.Key{Namespace: "default", Name: "mysql-read"})
	if err != nil {
		l.violate("no Service: %v", err)
		return
	}
	address := obj.(*corev1.Service).Spec.ClusterIP + ":3306"
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Second):
			l.readOnce(address)
		}
	}
}

// readOnce asks who answers. Whoever it is, is ready, or was a moment ago; but
// nobody can tell while controllers are down or connections are.
func (l *histLife) readOnce(address string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	began := time.Now()
	conn, err := l.Machines.DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	c, err := wire.Connect(ctx, conn, "root", "", "")
	if err != nil {
		return
	}
	result, err := c.Query("SELECT @@hostname")
	if err != nil {
		return
	}
	name := fmt.Sprint(result.Rows[0][0])
	l.records.Lock()
	isNow, was := l.records.isNow[name], l.records.ready[name]
	l.records.Unlock()
	if l.sees(began) && !isNow && began.Sub(was) > histDelay {
		l.violate("%s has answered at mysql-read, and has not been ready since %s",
			name, was.Format("04:05.000"))
	}
}

// sees counts an answer, and reports whether a proxy knew then what it has to.
func (l *histLife) sees(at time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Client.Events() <= l.breaks { // it may do so at any time now
		l.blind = time.Now().Add(10 * time.Second)
	}
	if at.Before(l.blind) || time.Now().Before(l.blind) {
		return false
	}
	l.answers++
	return true
}

// violate notes what must not be.
func (l *histLife) violate(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.violated = append(l.violated,
		time.Now().Format("04:05.000 ")+fmt.Sprintf(format, args...))
}

// check fails if there is something that must not be.
func (l *histLife) check() {
	l.records.Lock()
	again := slices.Clone(l.records.again)
	l.records.Unlock()
	l.mu.Lock()
	violated := slices.Clone(l.violated)
	l.mu.Unlock()
	if all := slices.Concat(again, violated); len(all) > 0 {
		require.FailNow(l.t, strings.Join(all, "\n"), l.look())
	}
}

// histRow is a row of the table: its number, and which try it was to write it.
type histRow struct{ n, try int }

// rows are those of a server; ok is whether it could be asked. One that has not
// heard of the table has none.
func (l *histLife) rows(ordinal int) (rows []histRow, ok bool) {
	result, err := l.ask(ordinal, "SELECT n, try FROM test.t ORDER BY n")
	var refused *sql.Error
	if errors.As(err, &refused) && (refused.Code == 1146 || refused.Code == 1049) {
		return nil, true
	}
	if err != nil {
		return nil, false
	}
	for _, row := range result.Rows {
		n, _ := strconv.Atoi(fmt.Sprint(row[0]))
		try, _ := strconv.Atoi(fmt.Sprint(row[1]))
		rows = append(rows, histRow{n, try})
	}
	return rows, true
}

// compare looks at all servers while everything goes on. What the master has had
// before it was asked how far it is, a slave has that says it is as far. And what
// a slave has, the master has that is asked after it. Rows do not go, and come one
// after the other: so the one has the beginning of what the other has.
func (l *histLife) compare() {
	l.mu.Lock()
	kept := slices.Clone(l.kept)
	l.mu.Unlock()
	before, ok := l.rows(0)
	if ok {
		l.holds(before, kept)
	}
	at := ""
	if status, err := l.ask(0, "SHOW MASTER STATUS"); ok && err == nil {
		at = histPlace(sqltest.Row(status), "File", "Position")
	}
	slaves := map[string][]histRow{}
	for ordinal := 1; ordinal < int(l.replicas); ordinal++ {
		name := fmt.Sprintf("mysql-%d", ordinal)
		reached := l.reached(ordinal)
		_, _ = l.ask(ordinal, "INSERT INTO test.t VALUES (-1, 0)") // it has to refuse
		rows, ok := l.rows(ordinal)
		if !ok {
			continue
		}
		slaves[name] = rows
		if at != "" && reached >= at {
			l.compared++
			if len(rows) < len(before) {
				l.violate("%s has come to %s, and has %d rows; the master had %d at %s",
					name, reached, len(rows), len(before), at)
			}
		}
	}
	if after, ok := l.rows(0); ok {
		for name, rows := range slaves {
			l.begins(name, rows, after)
		}
	}
	l.numbers()
	l.check()
}

// holds checks that the master has what it has acknowledged.
func (l *histLife) holds(rows []histRow, kept []int) {
	if len(rows) < len(kept) {
		l.violate("%d rows are acknowledged, and %d there", len(kept), len(rows))
		return
	}
	for n, row := range rows {
		if row.n != n || n < len(kept) && kept[n] != 0 && kept[n] != row.try {
			l.violate("row %d is %v", n, row)
			return
		}
	}
}

// begins checks that a slave has the beginning of what the master has.
func (l *histLife) begins(name string, rows, master []histRow) {
	for i, row := range rows {
		if i >= len(master) || row != master[i] {
			l.violate("%s has %v as row %d of %d, and the master has %v", name, row, i,
				len(rows), master[min(i, len(master)):min(i+1, len(master))])
			return
		}
	}
}

// reached is how far a slave says it has come in the master's binlog; "" of one
// that does not go on. One that cannot is no copy of its master any more: then
// one of the two has what the other has not.
func (l *histLife) reached(ordinal int) string {
	result, err := l.ask(ordinal, "SHOW SLAVE STATUS")
	if err != nil || len(result.Rows) == 0 {
		return ""
	}
	row := sqltest.Row(result)
	errno := fmt.Sprint(row["Last_IO_Errno"])
	if fmt.Sprint(row["Last_SQL_Errno"]) != "0" || errno == "1236" || errno == "1593" {
		l.violate("mysql-%d does not go on: %v %v", ordinal,
			row["Last_SQL_Error"], row["Last_IO_Error"])
	}
	if row["Slave_SQL_Running"] != "Yes" {
		return ""
	}
	return histPlace(row, "Relay_Master_Log_File", "Exec_Master_Log_Pos")
}

// histPlace is a place in a binlog, as a text that is less than those behind it.
func histPlace(row map[string]sql.Value, file, position string) string {
	return fmt.Sprintf("%v:%012v", row[file], row[position])
}

// numbers checks that all servers that answer have a number of their own.
func (l *histLife) numbers() {
	by := map[string]int{}
	for ordinal := range int(l.replicas) {
		result, err := l.ask(ordinal, "SELECT @@server_id")
		if err != nil {
			continue
		}
		id := fmt.Sprint(result.Rows[0][0])
		if other, taken := by[id]; taken {
			l.violate("mysql-%d and mysql-%d have the number %s", other, ordinal, id)
		}
		by[id] = ordinal
	}
}

// calm ends what disturbs, and waits until all is well, with a person's help.
func (l *histLife) calm() {
	l.mu.Lock()
	l.isCalm = true
	for _, disk := range l.disks {
		disk.tear(-1)
	}
	l.mu.Unlock()
	l.roll(bringServer, 0)
	// What has struck in this very moment shows a moment later: a Pod is ready
	// until its kubelet has looked, and a controller may still do what was to be
	// done before. Whoever asks now is told that all is well.
	time.Sleep(2 * time.Minute)
	well := func() bool { return l.areReady(int(l.replicas)) && l.newest() }
	for range 12 {
		if l.within(20*time.Minute, well) && l.replicate() { // what failed often is tried again after 1,000 s
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
			if !l.follows(ordinal) {
				return false
			}
		}
		return true
	})
}

func (l *histLife) follows(ordinal int) bool {
	result, err := l.ask(ordinal, "SHOW SLAVE STATUS")
	if err != nil || len(result.Rows) == 0 {
		return false
	}
	row := sqltest.Row(result)
	return row["Slave_IO_Running"] == "Yes" && row["Slave_SQL_Running"] == "Yes"
}

// repair does what a person would: the first Pod that does not come up is old
// and cannot (a StatefulSet waits for it, whatever its image), or its disk holds
// half of something. It reports whether there was one.
func (l *histLife) repair() bool {
	if l.throwHalves() {
		return true
	}
	for ordinal := range int(l.replicas) {
		p := l.pod(ordinal)
		switch {
		case p == nil:
			return false
		case p.Spec.Containers[0].Image != bringServer:
			l.remove(p)
			return true
		case ordinal == 0 && !l.isReady(0):
			return false // the master's disk is nobody's to throw away
		case ordinal == 0, l.isReady(ordinal) && l.follows(ordinal):
			continue
		}
		l.throw(p, l.why(p, ordinal))
		l.check()
		return true
	}
	return false
}

// why is how a slave that does not follow was set up by halves. There are scripts
// that say nothing of it, the mended one too: killed between the START SLAVE and
// the mv, it does all once more, which a slave that runs refuses.
func (l *histLife) why(p *corev1.Pod, ordinal int) string {
	l.reached(ordinal)
	result, err := l.ask(ordinal, "SHOW SLAVE STATUS")
	switch row := sqltest.Row(result); {
	case strings.Contains(l.log(p, "xtrabackup"), "ERROR 3021"):
		return "set up twice"
	case err == nil && row == nil:
		return "never set up"
	case err == nil && row["Slave_IO_Running"] == "No" && row["Slave_SQL_Running"] == "No":
		return "never started"
	}
	l.violate("nobody knows why %s is no slave: %v\n%s", p.Name, err, l.look())
	return ""
}

// throwHalves throws away the disks that hold half a clone. It reports whether
// there was one.
func (l *histLife) throwHalves() bool {
	found := false
	for ordinal := 1; ordinal < int(l.replicas); ordinal++ {
		if p := l.pod(ordinal); p != nil && strings.Contains(l.log(p, "mysql"),
			"Can't open and lock privilege tables") {
			found = true
			l.throw(p, "half a clone")
		}
	}
	return found
}

// throw throws a disk away, and its Pod.
func (l *histLife) throw(p *corev1.Pod, why string) {
	l.say("%s is thrown away: %s\n%s", p.Name, why, l.look())
	l.thrownOf[p.Name]++
	l.thrownFor[why]++
	_ = l.Store.Delete(context.Background(),
		corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
		controlloop.Key{Namespace: "default", Name: "data-" + p.Name}, metav1.DeleteOptions{})
	l.remove(p)
}

func (l *histLife) remove(p *corev1.Pod) {
	_ = l.Store.Delete(context.Background(), controlloop.PodKind, controlloop.KeyOf(p),
		metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
	time.Sleep(time.Minute)
}

// judge looks at what has become of everything.
func (l *histLife) judge() {
	var master []histRow
	l.until(time.Minute, "the master answers", func() (ok bool) {
		master, ok = l.rows(0)
		return ok
	})
	l.holds(master, l.kept)
	if len(master) > len(l.kept)+1 {
		l.violate("the master has %d rows, and was sent %d", len(master), len(l.kept)+1)
	}
	for ordinal := range int(l.replicas) {
		var rows []histRow
		has := func() bool {
			rows, _ = l.rows(ordinal)
			return slices.Equal(master, rows)
		}
		if !l.within(5*time.Minute, has) {
			l.violate("mysql-%d has %d rows, and the master %d", ordinal, len(rows), len(master))
		}
		number := func() bool {
			result, err := l.ask(ordinal, "SELECT @@server_id")
			return err == nil && fmt.Sprint(result.Rows[0][0]) == strconv.Itoa(100+ordinal)
		}
		if !l.within(time.Minute, number) {
			l.violate("mysql-%d has another number", ordinal)
		}
	}
	l.records.Lock()
	for disk, clones := range l.records.clones {
		if clones != 1 {
			l.violate("%s got %d clones", disk, clones)
		}
	}
	for name, clones := range l.records.cloned {
		if clones > 1+l.thrownOf[name] {
			l.violate("%s was cloned %d times, with %d disks thrown away", name, clones,
				l.thrownOf[name])
		}
	}
	l.records.Unlock()
	l.check()
}
