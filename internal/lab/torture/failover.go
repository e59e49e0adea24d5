package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/promote"
	"reconcile/internal/lab"
	"reconcile/internal/trace"
)

// Machines is how many a lab needs for Failovers.
const Machines = 4

// waits is the patience of the operator, as in the lab.
const waits = time.Minute

// game is a round.
type game struct {
	*shop
	operator *operator
	random   *rand.Rand
	out      io.Writer
	round    int

	simulated  bool
	read       map[string]place // see judge
	violations []string
}

// Failovers plays rounds on a lab that runs and has four machines, and no operator: in
// each, a cluster of three servers loses two masters, one after the other. It returns
// ErrViolated if an acknowledged order is missing that was not on a lost disk alone. The
// machines are dialled by dial.
func Failovers(ctx context.Context, l *lab.Lab, dial promote.Dial, simulated bool, opts Options, out io.Writer) error {
	fmt.Fprintf(out, "seed %d\n\nround  lost     how%46s  operator  then\n", opts.Seed, "")
	total, lost, violations := 0, 0, 0
	for round := 1; round <= opts.Rounds; round++ {
		g := &game{
			shop:     newShop(&cluster{l, dial, fmt.Sprintf("round-%d", round)}),
			operator: &operator{Client: l.Store, dial: dial},
			random:   rand.New(rand.NewPCG(opts.Seed, uint64(round))),
			out:      out, round: round, simulated: simulated, read: map[string]place{},
		}
		alone, err := g.play(ctx)
		for _, violation := range g.violations[:min(len(g.violations), 10)] {
			fmt.Fprintln(out, "       VIOLATION:", violation)
		}
		if err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		total, lost, violations = total+len(g.acked), lost+alone, violations+len(g.violations)
	}
	fmt.Fprintf(out, "\n%d rounds, %d orders acknowledged, %d of them on a lost disk alone; violations: %d\n",
		opts.Rounds, total, lost, violations)
	if violations > 0 {
		return ErrViolated
	}
	return nil
}

// play plays the round, and returns how many orders were on a lost disk alone.
func (g *game) play(ctx context.Context) (alone int, err error) {
	if err := g.create(ctx); err != nil {
		return 0, err
	}
	working, end := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer end()
	running.Go(func() { g.operator.run(working) })
	if err := g.bringUp(ctx); err != nil {
		return 0, err
	}
	running.Go(func() { g.shop.run(working) })
	for range 2 {
		if err := g.lose(ctx); err != nil {
			return 0, err
		}
	}
	if alone, err = g.closeAndJudge(ctx); err != nil {
		return 0, err
	}
	return alone, g.delete(ctx)
}

// bringUp returns when all servers are ready and the master has a table.
func (g *game) bringUp(ctx context.Context) error {
	return g.until(ctx, "three servers are ready, and one of them takes writes", func() bool {
		master, err := g.named(ctx)
		if err != nil || len(g.ready(ctx, "")) < servers {
			return false
		}
		for _, statement := range []string{"CREATE DATABASE IF NOT EXISTS shop",
			"CREATE TABLE IF NOT EXISTS shop.orders (id INT PRIMARY KEY AUTO_INCREMENT, text VARCHAR(100))"} {
			if _, err := g.askAs(ctx, "root", master, statement); err != nil {
				return false
			}
		}
		return true
	})
}

// lose has the master lost, and returns when orders are taken again.
func (g *game) lose(ctx context.Context) error {
	master, err := g.named(ctx)
	if err != nil {
		return err
	}
	for _, pod := range g.ready(ctx, master.Name) {
		_, _ = g.ask(ctx, pod, "START SLAVE") // again, if it had stopped; some have no master
	}
	controlloop.Sleep(ctx, settle)
	answer, err := g.ask(ctx, master, "SELECT @@server_id")
	if err != nil {
		return err
	}
	id := columns(answer)["@@server_id"]
	slaves := g.slaves(ctx, master, id)
	l := newLoss(g.random, slaves, g.simulated)
	if err := g.prepare(ctx, l, master, id, slaves); err != nil {
		return err
	}
	g.operator.doom(l.blows...)
	if err := g.strike(l.rack, master.Spec.NodeName); err != nil {
		return err
	}
	g.open(true)
	then := g.waitForAnother
	controlloop.Sleep(ctx, settle)
	if at := g.furthest(ctx, slaves, id); l.rack || at == (place{}) {
		then = g.waitForItself
	} else {
		g.read[master.Name] = at
	}
	what, err := then(ctx, master)
	fmt.Fprintf(g.out, "%5d  %-7s  %-48s  %-8s  %s\n", g.round, master.Name, l, deaths(g.operator.deaths()), what)
	return err
}

func deaths(n int) string {
	if n == 0 {
		return "lives"
	}
	return fmt.Sprintf("dies %d×", n)
}

// slaves returns the servers that read what a master writes.
func (g *game) slaves(ctx context.Context, master *corev1.Pod, id string) (slaves []*corev1.Pod) {
	for _, pod := range g.ready(ctx, master.Name) {
		if s, err := g.status(ctx, pod); err == nil && s["Master_Server_Id"] == id && s["Slave_IO_Running"] == "Yes" {
			slaves = append(slaves, pod)
		}
	}
	return slaves
}

// prepare has slaves be slow or stay behind, and has orders placed. It then closes the
// shop, if the master isn't lost amid orders, until a slave has read them all.
func (g *game) prepare(ctx context.Context, l loss, master *corev1.Pod, id string, slaves []*corev1.Pod) error {
	for _, pod := range slaves {
		var err error
		switch {
		case slices.Contains(l.slow, pod.Name):
			_, err = g.ask(ctx, pod, "STOP SLAVE SQL_THREAD")
		case slices.Contains(l.behind, pod.Name):
			_, err = g.ask(ctx, pod, "STOP SLAVE IO_THREAD")
		}
		if err != nil {
			return err
		}
	}
	if err := g.taken(ctx, master.Name); err != nil || l.midst {
		return err
	}
	g.open(false)
	if len(l.behind) == len(slaves) {
		return nil
	}
	orders := g.orders()
	return g.until(ctx, "a slave has read all orders", func() bool {
		return !orders[len(orders)-1].end.isAfter(g.furthest(ctx, slaves, id))
	})
}

// taken waits until a server has taken some orders more.
func (g *game) taken(ctx context.Context, by string) error {
	before := len(g.orders())
	return g.until(ctx, by+" takes orders", func() bool {
		orders := g.orders()
		return len(orders) >= before+5 && orders[len(orders)-1].master == by
	})
}

// strike switches off a machine; or, of a rack, all, and all others on again.
func (g *game) strike(rack bool, node string) error {
	if !rack {
		return g.Stop(node)
	}
	for n := range Machines {
		if err := g.Stop(nodeName(n)); err != nil && !isRefused(err) { // it may be off
			return err
		}
	}
	for n := range Machines {
		if nodeName(n) == node {
			continue
		}
		if err := g.Start(nodeName(n)); err != nil {
			return err
		}
	}
	return nil
}

func nodeName(n int) string { return fmt.Sprintf("node-%d", n+1) }

func isRefused(err error) bool {
	var refused trace.Refused
	return errors.As(err, &refused)
}

// settle is how long what a master had sent may be on its way to a slave's disk. The
// operator waits longer.
const settle = 20 * time.Second

// furthest returns the furthest place of a master's binlog that slaves of it have read.
func (g *game) furthest(ctx context.Context, slaves []*corev1.Pod, master string) (at place) {
	for _, pod := range slaves {
		s, err := g.status(ctx, pod)
		if err != nil || s["Master_Server_Id"] != master {
			continue
		}
		if read := (place{s["Master_Log_File"], number(s["Read_Master_Log_Pos"])}); read.isAfter(at) {
			at = read
		}
	}
	return at
}

// waitForAnother waits until another server takes orders.
func (g *game) waitForAnother(ctx context.Context, master *corev1.Pod) (string, error) {
	var next string
	err := g.until(ctx, "a slave takes the place of "+master.Name, func() bool {
		orders := g.orders()
		next = orders[len(orders)-1].master
		return next != master.Name
	})
	if err == nil {
		err = g.taken(ctx, next)
	}
	return next + " takes its place", err
}

// waitForItself waits longer than an operator would that replaces the master by somebody
// who isn't its slave: that is a violation. Then it starts the master's machine again.
func (g *game) waitForItself(ctx context.Context, master *corev1.Pod) (string, error) {
	controlloop.Sleep(ctx, 3*waits)
	if now, err := g.named(ctx); err == nil && now.Name != master.Name {
		g.violations = append(g.violations, fmt.Sprintf("%s was named, and follows somebody else than %s", now.Name, master.Name))
	}
	if err := g.Start(master.Spec.NodeName); err != nil {
		return "", err
	}
	return "nobody does, until it's back", g.taken(ctx, master.Name)
}
