package scene

import (
	"context"
	"testing/synctest"
	"time"
)

// A scene that takes more steps than this without time passing runs in circles.
const maxSteps = 10_000

// live drives the scene until done says so, or until end. It reports
// which of them came first.
func (st *stage) live(end time.Time, done func() bool) bool {
	for {
		st.quiesce()
		switch {
		case done():
			return true
		case !time.Now().Before(end):
			return false
		}
		select {
		case <-st.wake:
		case <-time.After(time.Until(st.nextDue(end))):
		}
	}
}

// nextDue returns when a controller next has something to do, or end.
func (st *stage) nextDue(end time.Time) time.Time {
	if due, ok := st.lab.NextDue(); ok && due.Before(end) {
		return due
	}
	return end
}

// quiesce lets everything happen that can happen now, one thing after the other.
func (st *stage) quiesce() {
	for range maxSteps {
		synctest.Wait()
		st.print()
		st.exits.notifyKubelets()
		switch {
		case st.goOn(), st.hurried() && st.gate.open():
		case st.wings.open(), st.reconcile(), st.gate.open():
		default:
			return
		}
	}
	st.fail("after %d steps at one instant the controllers have not come to rest; the last was %s",
		maxSteps, st.trace.last)
}

// reconcile lets one controller reconcile one key, and reports whether a key
// waited.
func (st *stage) reconcile() bool {
	if st.crashed {
		return false
	}
	more, err := st.lab.Step(context.Background(), st.choose)
	if st.crashed = st.faults.Crashed(); st.crashed {
		st.lab.Look.Told("", "crashed", "all controllers have crashed, after a write in "+st.trace.last)
	}
	st.trace.writers.reconciles("")
	if more && st.script.Setting("look", "") != "" {
		st.noteWaits() // a page that has no engine shows each step
	}
	return more || err != nil // an informer's, which tries again
}
