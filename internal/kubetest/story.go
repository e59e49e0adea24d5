package kubetest

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Story is a series of events in a cluster, whose controllers bring it to the
// same end whatever goes wrong meanwhile. It is told once in peace; each of the
// attacks tells it again, many times, and has something else go wrong each time.
type Story struct {
	Setup    Setup // all but the seed
	Chapters []func(t *testing.T, c *Cluster)
	// Rest is called after each chapter, until everything is done.
	Rest func(t *testing.T, c *Cluster)
	// End judges how the story ends in peace.
	End func(t *testing.T, c *Cluster)
	// State returns the state that is compared at the end; nil: Cluster.Shape.
	State func(c *Cluster) string
	// Quiet says for how long nothing may be written after the end.
	Quiet time.Duration
	// Each says that a chapter builds on the results of the one before: faults
	// that are healed late are healed before the next, and not only at the end.
	Each bool
}

// peace holds the end of a story in which nothing goes wrong, and how many
// writes, events, notifications and calls it took.
type peace struct {
	state                         string
	writes, events, notifications int
	calls                         map[string]int // by verb
}

// trouble is the fault of one telling.
type trouble struct {
	what string
	seed uint64
	// wrong makes the trouble, before the first chapter.
	wrong func(c *Cluster)
	// late heals faults that controllers notice only when they are reminded;
	// nil: none.
	late func(t *testing.T, c *Cluster)
	// each has late called after every chapter, whatever the story says.
	each bool
	// judge looks at the end; nil: only the state is compared.
	judge func(t *testing.T, c *Cluster)
}

// run tells the story in a bubble of its own.
func (s Story) run(t *testing.T, setup Setup, x trouble, end func(t *testing.T, c *Cluster)) {
	t.Helper()
	setup.Seed = x.seed
	synctest.Test(t, func(t *testing.T) {
		c := New(t, setup)
		x.wrong(c)
		s.tellWith(t, c, x)
		end(t, c)
	})
}

// Tell tells the story to a cluster of the caller's.
func (s Story) Tell(t *testing.T, c *Cluster) { s.tellWith(t, c, trouble{}) }

func (s Story) tellWith(t *testing.T, c *Cluster, x trouble) {
	t.Helper()
	for i, chapter := range s.Chapters {
		chapter(t, c)
		s.rest(t, c)
		if x.late != nil && (s.Each || x.each || i == len(s.Chapters)-1) {
			x.late(t, c)
		}
	}
}

// rest lets everything come to an end. A process that has crashed is started
// again then.
func (s Story) rest(t *testing.T, c *Cluster) {
	t.Helper()
	s.Rest(t, c)
	if c.Crashed() {
		c.Restart()
		s.Rest(t, c)
	}
}

func (s Story) state(c *Cluster) string {
	if s.State != nil {
		return s.State(c)
	}
	return c.Shape()
}

// inPeace tells the story while nothing goes wrong.
func (s Story) inPeace(t *testing.T) (p peace) {
	t.Helper()
	setup := s.Setup
	setup.DetectMutations = true
	nothing := trouble{wrong: func(*Cluster) {}}
	s.run(t, setup, nothing, func(t *testing.T, c *Cluster) {
		p = peace{s.state(c), c.Client.Writes(), c.Client.Events(),
			c.Notifications(), c.Client.Calls()}
		s.End(t, c)
		c.AssertQuiet(s.Quiet)
	})
	t.Logf("%d writes, %d events, %d notifications; %v",
		p.writes, p.events, p.notifications, p.calls)
	require.False(t, t.Failed(), "the story does not even end well in peace")
	return p
}

// again tells the story with a trouble in it.
func (s Story) again(t *testing.T, p peace, x trouble) {
	t.Helper()
	s.run(t, s.Setup, x, func(t *testing.T, c *Cluster) {
		if !assert.Equal(t, p.state, s.state(c), x.what) {
			t.FailNow() // the others will say the same
		}
		if x.judge != nil {
			x.judge(t, c)
		}
		c.AssertQuiet(s.Quiet)
		require.False(t, t.Failed(), x.what)
	})
}

// AssertQuiet makes every controller look at everything again, with and without
// its memory, and lets d pass each time: nothing may be written.
func (c *Cluster) AssertQuiet(d time.Duration) {
	c.t.Helper()
	before, tries := len(c.Writes()), c.Client.Writes()
	for _, again := range []func(){c.Resync, c.Restart} {
		again()
		c.Advance(d)
		for _, w := range c.Writes()[before:] {
			c.t.Errorf("nothing has changed, and there is a write: %s", w)
		}
		assert.Equal(c.t, tries, c.Client.Writes(),
			"nothing has changed, and a write is tried")
	}
}

// verbs returns the verbs of all calls, in order.
func (p peace) verbs(t *testing.T) []string {
	t.Helper()
	all := slices.Sorted(maps.Keys(p.calls))
	for _, verb := range []string{
		"list", "watch", "create", "update status", "delete",
	} {
		require.Contains(t, all, verb, "the story has none of these calls")
	}
	return all
}
