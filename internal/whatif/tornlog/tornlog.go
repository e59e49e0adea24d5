// Package tornlog cuts the redo log of chapter 7's slave after some byte, as a
// kill does, and starts the slave on what is left of it.
package tornlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// told is what the master did. Its table has no key, so that nothing stops a row
// from coming twice.
var told = []string{
	"CREATE DATABASE shop",
	"CREATE TABLE shop.orders (id INT)",
	"INSERT INTO shop.orders VALUES (1), (12), (123)",
	"DELETE FROM shop.orders WHERE id = 123",
}

// Bytes is how long the slave's log is when it has executed all of that, and
// Recorded is after which byte it is cut in the run that the chapter's page
// shows: where the last statement reads DELETE FROM shop.orders.
const (
	Bytes    = 313
	Recorded = 297
)

// Log is a log that was cut, and what a start on it found.
type Log struct {
	Bytes   int      `json:"bytes"` // before it was cut
	Cut     int      `json:"cut"`   // how many were left
	Records []Record `json:"records"`
	Kept    int      `json:"kept"` // how many were left when the slave had started
	Finds   []Find   `json:"finds"`
}

// Record is one record: a statement of the master's, and the byte that it ends
// with.
type Record struct {
	Statement string `json:"statement"`
	End       int    `json:"end"`
}

// Find is something that the slave could be asked.
type Find struct {
	What string `json:"what"`
	Is   string `json:"is"`
}

// Cut has a slave execute what its master told, cuts its log after so many
// bytes, and starts it again.
func Cut(t *testing.T, bytes int) (log *Log, err error) {
	if bytes < 0 || bytes > Bytes {
		return nil, fmt.Errorf("the log has %d bytes, and none with the number %d", Bytes, bytes)
	}
	synctest.Test(t, func(t *testing.T) {
		n := newNode()
		defer n.empty()
		log, err = n.cut(bytes)
	})
	return log, err
}

// node is a machine on which master and slave run, each with a folder.
type node struct {
	*controlloop.Simulated
	folders map[string]*folder.Memory // by the name of a Pod
}

func newNode() *node {
	n := &node{folders: map[string]*folder.Memory{}}
	server := &mysqlcluster.Mysqld{
		Version: "5.7.44",
		Disk: func(p *controlloop.Process, _ folder.Folder) folder.Folder {
			return n.folders[p.Pod.Name]
		},
	}
	run := func(ctx context.Context, p *controlloop.Process) int {
		p.Stdout, p.Stderr = io.Discard, io.Discard
		return server.Run(ctx, p)
	}
	n.Simulated = controlloop.NewSimulated("10.244.1", controlloop.Images{"mysql:5.7": run})
	return n
}

// empty removes all that runs, and waits until it has ended.
func (n *node) empty() {
	for _, one := range n.Sandboxes() {
		_ = n.Remove(context.Background(), one.UID) // it is there
	}
	synctest.Wait()
}

// cut does what Cut does, in a bubble.
func (n *node) cut(bytes int) (*Log, error) {
	master, err := n.start("mysql-0", folder.NewMemory(), "--server-id=100", "--log-bin")
	if err != nil {
		return nil, err
	}
	slave, err := n.start("mysql-1", folder.NewMemory(), "--server-id=101")
	if err != nil {
		return nil, err
	}
	log := &Log{Cut: bytes}
	if err := log.follow(master, slave); err != nil {
		return nil, err
	}
	torn, err := copyTo(n.folders["mysql-1"], bytes)
	if err != nil {
		return nil, err
	}
	if err := n.Remove(context.Background(), "mysql-1"); err != nil {
		return nil, err
	}
	synctest.Wait()
	slave, err = n.start("mysql-1", torn, "--server-id=101", "--skip-slave-start")
	if err != nil {
		return nil, err
	}
	return log, log.ask(slave, torn)
}

// server is one that runs, and that can be asked.
type server struct {
	*wire.Conn
	node *node
	name string
	ip   string
}

// start starts a server over a folder, with options, and connects to it.
func (n *node) start(name string, data *folder.Memory, options ...string) (*server, error) {
	n.folders[name] = data
	ctx, pod := context.Background(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: name, UID: types.UID(name)}}
	sandbox, err := n.Sandbox(ctx, pod)
	if err != nil {
		return nil, err
	}
	if err := n.Start(ctx, pod, &corev1.Container{
		Name: "mysql", Image: "mysql:5.7", Command: []string{"mysqld"}, Args: options,
		Env: []corev1.EnvVar{{Name: "MYSQL_ALLOW_EMPTY_PASSWORD", Value: "1"}},
	}, nil); err != nil {
		return nil, err
	}
	synctest.Wait()
	conn, err := n.Dial(ctx, pod.UID, 3306)
	if err != nil {
		return nil, err
	}
	client, err := wire.Connect(ctx, conn, "root", "", "")
	return &server{client, n, name, sandbox.IP}, err
}

// logName is what the file of the redo log is called.
const logName = "ib_logfile0"

// follow has the slave follow the master, and notes where the record of each
// statement ends.
func (l *Log) follow(master, slave *server) error {
	_, err := slave.Query("CHANGE MASTER TO MASTER_HOST = '" + master.ip + "', MASTER_USER = 'root'")
	if err == nil {
		_, err = slave.Query("START SLAVE")
	}
	for _, statement := range told {
		if err == nil {
			_, err = master.Query(statement)
		}
		if err != nil {
			return err
		}
		synctest.Wait()
		size, err := folder.Size(slave.node.folders[slave.name], logName)
		if err != nil {
			return err
		}
		l.Bytes = int(size)
		l.Records = append(l.Records, Record{statement, l.Bytes})
	}
	return nil
}

// copyTo returns a copy of a slave's folder, with so many bytes of its log.
func copyTo(from folder.Folder, bytes int) (*folder.Memory, error) {
	to := folder.NewMemory()
	for _, name := range []string{"master.info", logName} {
		content, err := folder.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		if name == logName {
			content = content[:bytes]
		}
		if err := folder.Replace(to, name, content); err != nil {
			return nil, err
		}
	}
	return to, to.Mkdir("mysql")
}

// ask asks a slave that has started what it found, has it follow its master
// again, and asks what it has then.
func (l *Log) ask(slave *server, data folder.Folder) error {
	size, err := folder.Size(data, logName)
	if err != nil {
		return err
	}
	l.Kept = int(size)
	place, err := slave.place()
	if err != nil {
		return err
	}
	before := slave.orders()
	if _, err := slave.Query("START SLAVE"); err != nil {
		return err
	}
	synctest.Wait()
	missing := 0
	for _, r := range l.Records {
		if r.End > l.Kept {
			missing++
		}
	}
	l.Finds = []Find{
		{"the orders", before},
		{"it goes on from", place},
		{"and executes", fmt.Sprintf("%d of %d statements", missing, len(l.Records))},
		{"the orders then", slave.orders()},
	}
	return nil
}

// place returns where in its master's binlog a slave goes on.
func (s *server) place() (string, error) {
	status, err := s.Query("SHOW SLAVE STATUS")
	if err != nil {
		return "", err
	}
	if len(status.Rows) == 0 {
		return "", errors.New("the slave has no master")
	}
	row := map[string]string{}
	for i, name := range status.Columns {
		row[name] = sql.Text(status.Rows[0][i])
	}
	file := cmp.Or(row["Relay_Master_Log_File"], "the first binlog") // whatever its name
	return file + " " + row["Exec_Master_Log_Pos"], nil
}

// orders returns the orders that a server has, or why there are none.
func (s *server) orders() string {
	found, err := s.Query("SELECT id FROM shop.orders")
	if err != nil {
		return err.Error()
	}
	var all []string
	for _, row := range found.Rows {
		all = append(all, sql.Text(row[0]))
	}
	if all == nil {
		return "none"
	}
	return strings.Join(all, " ")
}
