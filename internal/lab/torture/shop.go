package torture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// order is one that a master has acknowledged.
type order struct {
	id     uint64
	text   string
	master string // the Pod
	end    place  // of the master's binlog, after it
}

// place is one in a master's binlog.
type place struct {
	file string
	pos  int64
}

func (p place) isAfter(other place) bool {
	return p.file > other.file || p.file == other.file && p.pos > other.pos
}

// shop places orders, one after the other, with whichever server is the master. It knows
// what it was told.
type shop struct {
	*cluster
	turn   chan struct{} // has a token while no order is under way
	closed bool          // whoever has the token may look, and change it
	placed int

	mu    sync.Mutex
	acked []order
}

func newShop(c *cluster) *shop {
	s := &shop{cluster: c, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// run places orders until ctx ends.
func (s *shop) run(ctx context.Context) {
	for ctx.Err() == nil {
		pause := 200 * time.Millisecond
		if err := s.order(ctx); err != nil {
			pause = time.Second
		}
		controlloop.Sleep(ctx, pause)
	}
}

var errClosed = errors.New("the shop is closed")

// order places an order. One whose answer is lost is not placed again.
func (s *shop) order(ctx context.Context) error {
	<-s.turn
	defer func() { s.turn <- struct{}{} }()
	if s.closed {
		return errClosed
	}
	pod, err := s.named(ctx)
	if err != nil {
		return err
	}
	s.placed++
	o := order{text: fmt.Sprintf("order %d", s.placed), master: pod.Name}
	return s.with(ctx, pod, "root", func(conn *wire.Conn) error {
		stored, err := conn.Query(fmt.Sprintf("INSERT INTO shop.orders (text) VALUES ('%s')", o.text))
		if err != nil {
			return err
		}
		o.id = stored.InsertID
		at, err := conn.Query("SHOW MASTER STATUS")
		if err == nil {
			row := columns(at)
			o.end = place{row["File"], number(row["Position"])}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.acked = append(s.acked, o)
		return err
	})
}

// open has the shop place orders, or none any more.
func (s *shop) open(open bool) {
	<-s.turn
	s.closed = !open
	s.turn <- struct{}{}
}

// orders returns those that were acknowledged.
func (s *shop) orders() []order {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.acked)
}

// closeAndJudge closes the shop, switches everything on again, and judges. It returns
// how many orders were on a lost disk alone.
func (g *game) closeAndJudge(ctx context.Context) (alone int, err error) {
	g.open(false)
	for n := range Machines {
		if err := g.Start(nodeName(n)); err != nil && !isRefused(err) { // it may be on
			return 0, err
		}
	}
	if err := g.until(ctx, "all servers are back", func() bool { return len(g.ready(ctx, "")) == servers }); err != nil {
		return 0, err
	}
	master, err := g.named(ctx)
	if err != nil {
		return 0, err
	}
	for _, pod := range g.ready(ctx, master.Name) {
		if answer, err := g.ask(ctx, pod, "SELECT @@read_only"); err != nil {
			return 0, err
		} else if columns(answer)["@@read_only"] == "0" {
			g.violations = append(g.violations, pod.Name+" takes writes, and isn't named")
		}
	}
	found, err := g.askAs(ctx, "root", master, "SELECT id, text FROM shop.orders")
	if err != nil {
		return 0, err
	}
	stored := map[uint64]string{}
	for _, row := range found.Rows {
		stored[uint64(number(sql.Text(row[0])))] = sql.Text(row[1])
	}
	alone, wrong := judge(g.orders(), stored, g.read)
	g.violations = append(g.violations, wrong...)
	return alone, nil
}

// judge compares what the shop was told with the orders that there are. Of each master
// that was replaced, read has the furthest place that a slave of it had on its disk: what
// came after it was on the lost disk alone.
func judge(acked []order, stored map[uint64]string, read map[string]place) (lost int, violations []string) {
	for _, o := range acked {
		furthest, replaced := read[o.master]
		switch {
		case stored[o.id] == o.text:
		case replaced && (o.end == place{} || o.end.isAfter(furthest)):
			lost++
		default:
			violations = append(violations, fmt.Sprintf(
				"order %d, %q, was acknowledged by %s, and is %q now", o.id, o.text, o.master, stored[o.id]))
		}
	}
	return lost, violations
}
