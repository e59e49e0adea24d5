package kubetest

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/slow"
)

// thorough reports whether everything is tried: by .ci/deep, and where a test is
// asked for by -run, as a judge of exercises does. Else tests take a sample.
func thorough() bool { return slow.Asked() && !slow.Short() }

// apart returns the distance between the troubles that a story is told with: 1,
// or 7 for a sample, so that every seventh is tried, from the first of its kind
// on.
func apart() int {
	if thorough() {
		return 1
	}
	return 7
}

// ConnectionBroken tells the story with a watch that breaks, at each event in
// turn.
func (s Story) ConnectionBroken(t *testing.T) {
	t.Parallel()
	p := s.inPeace(t)
	for j := 1; j <= p.events; j += apart() {
		s.again(t, p, trouble{
			what: fmt.Sprintf("broken before event %d", j),
			wrong: func(c *Cluster) {
				c.Client.BreakWatchAtEvent(j, Before, io.ErrUnexpectedEOF)
			},
		})
	}
}

// VersionForgotten tells the story with a watch that hears, at every third
// event in turn, that the store has forgotten its version.
func (s Story) VersionForgotten(t *testing.T) {
	t.Parallel()
	p := s.inPeace(t)
	for j := 1; j <= p.events; j += 3 * apart() {
		s.again(t, p, trouble{
			what: fmt.Sprintf("410 in the place of event %d", j),
			wrong: func(c *Cluster) {
				c.Client.BreakWatchAtEvent(j, Before,
					apierrors.NewResourceExpired("too old resource version"))
			},
		})
	}
}

// EventDropped loses each notification in turn. The resync heals the faults
// that nothing else heals.
func (s Story) EventDropped(t *testing.T) {
	t.Parallel()
	p := s.inPeace(t)
	late := 0
	for j := 1; j <= p.notifications; j += apart() {
		missed := false
		s.again(t, p, trouble{
			what:  fmt.Sprintf("notification %d was lost", j),
			wrong: func(c *Cluster) { c.LoseNotification(j) },
			late: func(t *testing.T, c *Cluster) {
				before := s.state(c)
				c.Resync()
				s.rest(t, c)
				missed = missed || s.state(c) != before
			},
		})
		if missed {
			late++
		}
	}
	t.Logf("%d of %d were healed by the resync alone", late, p.notifications)
	if thorough() {
		assert.NotZero(t, late, "nothing was lost that anything needed")
	}
}

// StoppedAtAnyWrite stops the controllers before and after each write in turn;
// others take their place.
func (s Story) StoppedAtAnyWrite(t *testing.T) {
	t.Parallel()
	p := s.inPeace(t)
	for k := 1; k <= p.writes; k += apart() {
		for _, when := range []When{Before, After} {
			s.again(t, p, trouble{
				what:  fmt.Sprintf("stopped %s write %d", when, k),
				wrong: func(c *Cluster) { c.Client.CrashAtWrite(k, when) },
			})
		}
	}
}

// AnyOrder lets the controllers step in sixty random orders.
func (s Story) AnyOrder(t *testing.T) {
	t.Parallel()
	p := s.inPeace(t)
	for seed := uint64(1); seed <= 60; seed += uint64(apart()) {
		s.again(t, p, trouble{
			what: fmt.Sprintf("seed %d", seed), seed: seed, wrong: func(*Cluster) {},
		})
	}
}

// AllAtOnce lets the controllers step in some order, stop, and lose a
// connection.
func (s Story) AllAtOnce(t *testing.T) {
	t.Parallel()
	p := s.inPeace(t)
	for seed := uint64(1); seed <= 20; seed += uint64(apart()) {
		k, j := 1+int(seed-1)*7%p.writes, 1+int(seed-1)*11%p.events
		s.again(t, p, trouble{
			what: fmt.Sprintf("seed %d", seed), seed: seed,
			wrong: func(c *Cluster) {
				c.Client.CrashAtWrite(k, After)
				c.Client.BreakWatchAtEvent(j, Before, io.ErrUnexpectedEOF)
			},
		})
	}
}

// EachKindLate tells the story, for each kind in turn, with news of that kind that
// arrive later than all others: two seconds, and half a minute. Each chapter waits
// until the news of the one before have arrived.
func (s Story) EachKindLate(t *testing.T) {
	t.Parallel()
	p := s.inPeace(t)
	kinds := s.Setup.Kinds
	if len(kinds.All()) == 0 {
		kinds = controlloop.CoreKinds()
	}
	for _, kind := range kinds.All() {
		for _, by := range []time.Duration{2 * time.Second, 30 * time.Second} {
			s.again(t, p, trouble{
				what: fmt.Sprintf("each %s %s late", kind.Kind, by),
				wrong: func(c *Cluster) {
					c.Client.Late(by, kind.GroupVersionKind)
				},
				late: func(t *testing.T, c *Cluster) {
					for range 8 { // as many steps as follow on one another, and more
						c.Advance(by)
						s.rest(t, c)
					}
				},
				each: true,
			})
		}
	}
}

// AnyCallFails fails each call of each verb in turn, once. It is tried again,
// and a controller or an informer reports that it failed: an error that is
// swallowed is never found. Only a kubelet asks for its Node without a word, as
// part of every report until it has an answer.
func (s Story) AnyCallFails(t *testing.T) {
	t.Parallel()
	p := s.inPeace(t)
	for _, verb := range p.verbs(t) {
		for n := 1; n <= p.calls[verb]; n += apart() {
			var failed func() (Call, bool)
			s.again(t, p, trouble{
				what:  fmt.Sprintf("%s number %d fails", verb, n),
				wrong: func(c *Cluster) { failed = c.Client.FailNth(verb, n) },
				judge: func(t *testing.T, c *Cluster) {
					call, ok := failed()
					require.True(t, ok, "there is no %s number %d", verb, n)
					if verb != "get" || call.Kind != controlloop.NodeKind {
						assert.True(t, c.Told(ErrFailedOnce), "nobody was told: %v", call)
					}
				},
			})
		}
	}
}
