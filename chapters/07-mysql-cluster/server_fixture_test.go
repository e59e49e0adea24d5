package mysqlcluster_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/sqltest"
)

// A nodeWorld is a few servers that reach each other by name.
type nodeWorld struct {
	t  testing.TB
	mu sync.Mutex
	at map[string]*nodeListener

	isCut bool // nothing that is said on a connection arrives
}

// cut takes the cable out, or puts it back.
func (w *nodeWorld) cut(out bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = out
}

// A nodeConn is a connection whose cable can be out.
type nodeConn struct {
	net.Conn
	world *nodeWorld
}

func (c *nodeConn) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		c.world.mu.Lock()
		out := c.world.isCut
		c.world.mu.Unlock()
		if !out || err != nil {
			return n, err
		}
	}
}

func newNodeWorld(t testing.TB) *nodeWorld {
	return &nodeWorld{t: t, at: map[string]*nodeListener{}}
}

// A node is one run of one server.
type node struct {
	*mysqlcluster.Server
	world  *nodeWorld
	name   string
	stop   context.CancelFunc
	killed chan struct{}
	once   sync.Once
	done   chan error
	log    *nodeLog
}

// start starts a server over a folder, with the options of a command line.
func (w *nodeWorld) start(name string, data folder.Folder, options ...string) *node {
	w.t.Helper()
	n, err := w.tryStart(name, data, options...)
	require.NoError(w.t, err)
	return n
}

func (w *nodeWorld) tryStart(name string, data folder.Folder, options ...string) (*node, error) {
	parsed, err := mysqlcluster.ParseOptions(name, options)
	require.NoError(w.t, err)
	n := &node{world: w, name: name, killed: make(chan struct{}), done: make(chan error, 1), log: &nodeLog{}}
	settings := mysqlcluster.Settings{Options: *parsed, Version: "5.7.44", Hostname: name, Dial: w.dialCable}
	n.Server, err = mysqlcluster.OpenServer(settings, folder.UntilKilled(data, n.killed), n.log)
	if err != nil {
		return nil, err
	}
	l := &nodeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	w.mu.Lock()
	w.at[name] = l
	w.mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	n.stop = stop
	go func() { n.done <- n.Run(ctx, l) }()
	w.t.Cleanup(n.kill)
	return n, nil
}

// end asks the server to end, and waits until it has.
func (n *node) end() error {
	n.stop()
	err := <-n.done
	n.done <- err
	return err
}

// kill is kill -9.
func (n *node) kill() {
	n.once.Do(func() { close(n.killed) })
	_ = n.end()
}

func (w *nodeWorld) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(address)
	w.mu.Lock()
	l := w.at[host]
	w.mu.Unlock()
	if l == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
		return nil, syscall.ECONNREFUSED
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// dialCable is how servers reach each other.
func (w *nodeWorld) dialCable(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := w.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &nodeConn{conn, w}, nil
}

// client connects to a server.
func (n *node) client() *wire.Conn {
	n.world.t.Helper()
	c, err := n.tryClient()
	require.NoError(n.world.t, err)
	return c
}

func (n *node) tryClient() (*wire.Conn, error) {
	conn, err := n.world.dial(context.Background(), "tcp", n.name+":3306")
	if err != nil {
		return nil, err
	}
	return wire.Connect(context.Background(), conn, "root", "", "")
}

// do executes statements that must succeed, over one connection, and returns
// the last answer.
func (n *node) do(statements ...string) *sql.Result {
	n.world.t.Helper()
	c := n.client()
	defer c.Close()
	var result *sql.Result
	for _, sql := range statements {
		var err error
		result, err = c.Query(sql)
		require.NoError(n.world.t, err, sql)
	}
	return result
}

// refused executes a statement that must fail, and returns how.
func (n *node) refused(sql string) string {
	n.world.t.Helper()
	c := n.client()
	defer c.Close()
	_, err := c.Query(sql)
	require.Error(n.world.t, err, sql)
	return err.Error()
}

// value is the only value of a query's answer.
func (n *node) value(sql string) sql.Value {
	n.world.t.Helper()
	result := n.do(sql)
	require.Len(n.world.t, result.Rows, 1, sql)
	return result.Rows[0][0]
}

// status is SHOW SLAVE STATUS by its columns, nil if it is empty.
func (n *node) status() map[string]sql.Value {
	n.world.t.Helper()
	return sqltest.Row(n.do("SHOW SLAVE STATUS"))
}

type nodeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *nodeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *nodeListener) Addr() net.Addr { return &net.TCPAddr{Port: 3306} }

func (l *nodeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

type nodeLog struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (l *nodeLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(b)
}

func (l *nodeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.String()
}

// A nodeTorn is a folder whose process is killed when so many bytes are
// written: of the write in which that is, the beginning is there. A rename, a
// truncation and a removal count as one.
type nodeTorn struct {
	folder.Folder
	mu   sync.Mutex
	left int
}

func (f *nodeTorn) pay(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n = min(n, f.left)
	f.left -= n
	return n
}

func (f *nodeTorn) Open(name string, flag int) (folder.File, error) {
	if flag&(os.O_CREATE|os.O_TRUNC) != 0 && f.pay(1) == 0 {
		return nil, folder.ErrKilled
	}
	file, err := f.Folder.Open(name, flag)
	return &nodeTornFile{file, f}, err
}

func (f *nodeTorn) Rename(from, to string) error {
	if f.pay(1) == 0 {
		return folder.ErrKilled
	}
	return f.Folder.Rename(from, to)
}

func (f *nodeTorn) Remove(name string) error {
	if f.pay(1) == 0 {
		return folder.ErrKilled
	}
	return f.Folder.Remove(name)
}

type nodeTornFile struct {
	folder.File
	of *nodeTorn
}

func (f *nodeTornFile) Write(b []byte) (int, error) {
	n := f.of.pay(len(b))
	if _, err := f.File.Write(b[:n]); err != nil {
		return 0, err
	}
	if n < len(b) {
		return n, folder.ErrKilled
	}
	return n, nil
}

func (f *nodeTornFile) Truncate(size int64) error {
	if f.of.pay(1) == 0 {
		return folder.ErrKilled
	}
	return f.File.Truncate(size)
}

// A nodeFaulty is a folder of which one operation fails, and before and after
// it all succeed. Of a write that fails, the first half is there. It counts how
// many files are open.
type nodeFaulty struct {
	folder.Folder
	mu   sync.Mutex
	left int // operations until then
	open int // files
}

func (f *nodeFaulty) fails() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left--
	if f.left == -1 {
		return errFaulty
	}
	return nil
}

var errFaulty = errors.New("input/output error")

func (f *nodeFaulty) Open(name string, flag int) (folder.File, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	file, err := f.Folder.Open(name, flag)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open++
	return &nodeFaultyFile{File: file, of: f}, nil
}

// isOpen is how many files are open.
func (f *nodeFaulty) isOpen() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

func (f *nodeFaulty) Rename(from, to string) error {
	if err := f.fails(); err != nil {
		return err
	}
	return f.Folder.Rename(from, to)
}

func (f *nodeFaulty) Mkdir(name string) error {
	if err := f.fails(); err != nil {
		return err
	}
	return f.Folder.Mkdir(name)
}

func (f *nodeFaulty) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	return f.Folder.ReadDir(name)
}

func (f *nodeFaulty) Remove(name string) error {
	if err := f.fails(); err != nil {
		return err
	}
	return f.Folder.Remove(name)
}

type nodeFaultyFile struct {
	folder.File
	of     *nodeFaulty
	closed bool
}

func (f *nodeFaultyFile) Close() error {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	if !f.closed {
		f.of.open--
	}
	f.closed = true
	return f.File.Close()
}

func (f *nodeFaultyFile) Read(b []byte) (int, error) {
	if err := f.of.fails(); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}

func (f *nodeFaultyFile) ReadAt(b []byte, at int64) (int, error) {
	if err := f.of.fails(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, at)
}

func (f *nodeFaultyFile) Write(b []byte) (int, error) {
	if err := f.of.fails(); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, err
	}
	return f.File.Write(b)
}

func (f *nodeFaultyFile) Truncate(size int64) error {
	if err := f.of.fails(); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *nodeFaultyFile) Stat() (fs.FileInfo, error) {
	if err := f.of.fails(); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

// A nodeWatched is a folder that tells of each write before it is done.
type nodeWatched struct {
	folder.Folder
	writing func(name string)
}

func (f *nodeWatched) Open(name string, flag int) (folder.File, error) {
	file, err := f.Folder.Open(name, flag)
	return &nodeWatchedFile{file, name, f}, err
}

type nodeWatchedFile struct {
	folder.File
	name string
	of   *nodeWatched
}

func (f *nodeWatchedFile) Write(b []byte) (int, error) {
	f.of.writing(f.name)
	return f.File.Write(b)
}

// catchUp waits, outside of a bubble, until a slave is where its master is.
func (n *node) catchUp(master *node) {
	n.world.t.Helper()
	end := sqltest.Row(master.do("SHOW MASTER STATUS"))
	c := n.client()
	defer c.Close()
	for {
		result, err := c.Query("SHOW SLAVE STATUS")
		require.NoError(n.world.t, err)
		status := sqltest.Row(result)
		require.Empty(n.world.t, status["Last_Error"])
		if status["Relay_Master_Log_File"] == end["File"] && status["Exec_Master_Log_Pos"] == end["Position"] {
			return
		}
		runtime.Gosched()
	}
}
