package mysqlcluster

import (
	"cmp"
	"context"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// connections are the open connections of a server, by number.
type connections struct {
	mu   sync.Mutex
	last uint32
	open map[uint32]*connection
}

// connection is one client's, and what it is doing.
type connection struct {
	server *server
	*wire.Session
	hangUp context.CancelFunc

	mu       sync.Mutex
	command  string // "Sleep", "Query", "Binlog Dump"
	sql      string
	user, db string // the Session's, for others to see
	slave    uint32 // its server_id, if it is one
	since    time.Time
}

// run serves connections until ctx ends, and then waits until no connection is
// in the middle of anything. Its files are closed when it returns.
func (s *server) run(ctx context.Context, l net.Listener) error {
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	context.AfterFunc(ctx, func() { l.Close() })
	s.replica.startWithServer(ctx)
	var open sync.WaitGroup
	for {
		conn, err := l.Accept()
		if err != nil {
			break
		}
		open.Go(func() { s.serve(ctx, conn) })
	}
	s.stop()
	open.Wait()
	s.replica.wait()
	return s.close()
}

// serve talks to one client until either has had enough.
func (s *server) serve(ctx context.Context, conn net.Conn) {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	c := &connection{
		server: s, hangUp: hangUp, command: "Connect", since: time.Now(),
		Session: &wire.Session{
			Version: s.fullVersion(), Password: s.Password, Host: hostOf(conn),
		},
	}
	s.connections.add(c)
	defer s.connections.remove(c.ID)
	defer s.gate.open(c.ID)
	_ = wire.ServeConn(ctx, conn, c.Session, c) // the client has gone
}

// hostOf returns the address that a connection comes from. One in memory has
// none: it comes from the same network.
func hostOf(conn net.Conn) string {
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	if err != nil {
		return "localhost"
	}
	return host
}

// fullVersion returns the version as a server gives it: whether it has a binlog
// can be seen.
func (s *settings) fullVersion() string {
	if s.LogBin != "" {
		return s.Version + "-log"
	}
	return s.Version
}

func (c *connections) add(one *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[uint32]*connection{}
	}
	c.last++
	one.ID = c.last
	c.open[one.ID] = one
}

func (c *connections) remove(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, id)
}

// kill hangs up on a client.
func (c *connections) kill(id int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.open[uint32(id)]
	if one == nil || int64(one.ID) != id {
		return sql.NewError(1094, id)
	}
	one.hangUp()
	return nil
}

// all returns the connections, by number.
func (c *connections) all() []*connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(maps.Values(c.open), func(a, b *connection) int {
		return cmp.Compare(a.ID, b.ID)
	})
}

// doing notes what a client does now.
func (c *connection) doing(command, sql string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.command, c.sql, c.since = command, strings.TrimSpace(sql), time.Now()
	c.user, c.db, c.slave = c.User, c.DB, c.Server
}
