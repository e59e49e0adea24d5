package kubetest

import (
	"context"
	"testing/synctest"
	"time"
)

// A cluster that takes more steps than this is running in circles.
const maxSteps = 10_000

// Settle lets the controllers step until nothing waits. No time passes, unless
// a step takes some.
func (c *Cluster) Settle() {
	c.t.Helper()
	c.checkMutations("the test", (*detector).changes)
	c.settle()
}

func (c *Cluster) settle() {
	c.t.Helper()
	if c.stop != nil {
		synctest.Wait()
		return
	}
	for range maxSteps {
		synctest.Wait() // for the containers' programs
		if !c.step() {
			return
		}
	}
	c.t.Fatalf("kubetest: not settled after %d steps; the last was %s",
		maxSteps, c.last)
}

// mostASecond is how often keys may fall due in a second, on average. An answer that
// comes back at once, for ever, is given up before it has used up the memory.
const mostASecond = 20

// Advance lets d pass. Work that falls due meanwhile is done when it is due.
func (c *Cluster) Advance(d time.Duration) {
	c.t.Helper()
	if c.stop != nil {
		time.Sleep(d)
		synctest.Wait()
		return
	}
	end := time.Now().Add(d)
	c.Settle()
	most := maxSteps + mostASecond*int(d/time.Second)
	for n := 0; time.Now().Before(end); n++ {
		if n > most {
			c.t.Fatalf("kubetest: %s are left after %d steps; the last was %s", time.Until(end), n, c.last)
		}
		next, due := c.System.NextDue()
		if !due || next.After(end) {
			next = end
		}
		select {
		case <-c.wake:
		case <-time.After(time.Until(next)):
		}
		c.settle()
	}
}

// Run starts all controllers, each in its goroutines, until Stop. From then on
// Settle waits until all of them wait, and Advance is a sleep.
func (c *Cluster) Run() {
	c.told("", "run", allAtOnce)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	system := c.System
	c.stop = func() {
		cancel()
		<-done
	}
	go func() {
		defer close(done)
		system.Run(ctx)
	}()
}

// Stop undoes Run, and returns when the last goroutine has ended.
func (c *Cluster) Stop() {
	if c.stop != nil {
		c.stop()
		c.stop = nil
		c.checkMutations("one of the controllers that ran, or the test,",
			(*detector).ever)
	}
}

// step lets one controller reconcile one key. It reports whether to go on.
func (c *Cluster) step() (more bool) {
	defer func() {
		if more || c.crashed {
			c.checkMutations(c.last, (*detector).changes)
		}
	}()
	c.stepping = true
	c.Client.mayUnwind()
	defer func() {
		c.stepping = false
		c.Client.unwind = ""
		switch stopped := recover(); stopped {
		case nil:
		case errCrashed:
			c.crashed, more = true, false
		default:
			panic(stopped)
		}
	}()
	if c.crashed {
		return false
	}
	found := c.lost.found
	more, err := c.System.Step(context.Background(), c.lost.before(c.choose))
	if c.Client.Crashed() {
		c.crashed = true
		return false
	}
	if err != nil {
		c.failed(err)
	}
	return more || err != nil || c.lost.found != found
}

// Crashed reports whether the controllers have stopped in the middle of their
// work. Restart starts others.
func (c *Cluster) Crashed() bool { return c.crashed }
