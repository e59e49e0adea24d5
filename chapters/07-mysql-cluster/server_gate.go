package mysqlcluster

import (
	"context"
	"sync"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// gate is what each statement that changes something goes through, one after
// the other. FLUSH TABLES WITH READ LOCK closes it.
type gate struct {
	free chan struct{} // holds one thing while no statement is inside

	mu     sync.Mutex
	closer uint32 // the connection that has closed it; 0: none
}

func newGate() *gate {
	g := &gate{free: make(chan struct{}, 1)}
	g.free <- struct{}{}
	return g
}

// enter waits until the caller is alone inside. A connection that has closed
// the gate must not wait for itself.
func (g *gate) enter(ctx context.Context, connection uint32) error {
	if connection != 0 && g.closedBy(connection) {
		return sql.NewError(1223)
	}
	select {
	case <-g.free:
		return nil
	default:
	}
	select {
	case <-g.free:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) leave() { g.free <- struct{}{} }

// close keeps all others out until open is called for the same connection.
func (g *gate) close(ctx context.Context, connection uint32) error {
	if g.closedBy(connection) {
		return nil
	}
	if err := g.enter(ctx, connection); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closer = connection
	return nil
}

// open opens the gate, if the connection has closed it.
func (g *gate) open(connection uint32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closer == connection {
		g.closer = 0
		g.leave()
	}
}

func (g *gate) closedBy(connection uint32) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closer == connection
}

// isClosed reports whether a connection has closed it.
func (g *gate) isClosed() bool { return !g.closedBy(0) }
