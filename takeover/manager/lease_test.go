package manager

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// granting is a lock that is always had.
type granting struct {
	resourcelock.Interface
	holder string
}

func (g *granting) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	return &resourcelock.LeaderElectionRecord{HolderIdentity: g.holder}, nil, nil
}

func (g *granting) Update(_ context.Context, record resourcelock.LeaderElectionRecord) error {
	g.holder = record.HolderIdentity
	return nil
}
func (*granting) Identity() string { return "a" }
func (*granting) Describe() string { return "home/lease" }

// What client-go's elector does when it ends: it reads the lease, and gives it back
// if it was the last that it knew to hold it.
func TestALeaseThatAnotherCopyHoldsIsNotGivenBack(t *testing.T) {
	lock := &granting{holder: "a"}
	l := &lease{Interface: lock, log: slog.New(slog.DiscardHandler)}
	for holder, left := range map[string]string{"b": "b", "a": ""} {
		lock.holder = holder
		_, _, err := l.Get(t.Context())
		require.NoError(t, err)
		_ = l.Update(t.Context(), resourcelock.LeaderElectionRecord{})
		assert.Equal(t, left, lock.holder, "held by %s", holder)
	}
}

// sent counts the requests that reach it.
type sent int

func (s *sent) RoundTrip(*http.Request) (*http.Response, error) { *s++; return nil, nil }

// closed reports whether a request's body was closed.
type closed struct {
	io.Reader
	done bool
}

func (c *closed) Close() error { c.done = true; return nil }

func TestAWriteIsRefusedWhenTheLastRenewalIsOlderThanTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lease{Interface: &granting{}, log: slog.New(slog.DiscardHandler)}
		var reached sent
		try := func(method string) (*closed, error) {
			body := &closed{Reader: strings.NewReader("{}")}
			r, err := http.NewRequest(method, "http://store", body)
			require.NoError(t, err)
			_, err = claimed{&reached, l}.RoundTrip(r)
			return body, err
		}
		body, err := try(http.MethodPost)
		assert.ErrorContains(t, err, "not written: the lease home/lease was renewed ")
		assert.True(t, body.done, "a RoundTripper closes the body, also when it fails")
		held := resourcelock.LeaderElectionRecord{HolderIdentity: "a"}
		require.NoError(t, l.Update(t.Context(), held))
		time.Sleep(renewDeadline)
		_, err = try(http.MethodPut)
		assert.NoError(t, err)
		time.Sleep(time.Second)
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			_, err = try(method)
			assert.ErrorContains(t, err, "was renewed 9s ago, and another copy may hold it", method)
		}
		assert.EqualValues(t, 1, reached)
		_, err = try(http.MethodGet)
		assert.NoError(t, err, "who only reads harms nobody")
		require.NoError(t, l.Update(t.Context(), held))
		_, err = try(http.MethodDelete)
		assert.NoError(t, err)
		_, _, err = l.Get(t.Context())
		require.NoError(t, err)
		require.NoError(t, l.Update(t.Context(), resourcelock.LeaderElectionRecord{}))
		_, err = try(http.MethodPost)
		assert.Error(t, err, "it was given back")
	})
}

// lookAtLeases has a request about a lease by an agent answered with a code while
// there is one.
func (w *world) lookAtLeases(code *atomic.Int64, agent string) (renewed *atomic.Int64) {
	renewed = new(atomic.Int64)
	w.Ask(func(rw http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, "/leases") || !strings.HasPrefix(r.UserAgent(), agent) {
			return false
		}
		if n := int(code.Load()); n != 0 {
			http.Error(rw, "no", n)
			return true
		}
		if r.Method == http.MethodPut {
			renewed.Store(time.Now().UnixNano())
		}
		return false
	})
	return renewed
}

// client-go's elector gives up renewDeadline after it began to try: later than the
// claim ends. A copy that was stopped begins to try when it wakes.
func TestACopyWritesNothingBetweenTheEndOfItsClaimAndTheLossOfItsLease(t *testing.T) {
	inBubble(t, func(w *world) {
		var code atomic.Int64
		renewed := w.lookAtLeases(&code, Agent)
		r := w.start()
		w.settle()
		code.Store(http.StatusServiceUnavailable)
		time.Sleep(time.Until(time.Unix(0, renewed.Load()).Add(renewDeadline + retryPeriod/2)))
		_, err := w.Store.Create(w.Context(), aDeployment("web", 3))
		require.NoError(w, err)
		time.Sleep(retryPeriod / 4)
		synctest.Wait()
		assert.NotContains(w, r.log.String(), "the lease was lost", "not yet")
		assert.Contains(w, r.log.String(), "not written: the lease kube-system/lab-controllers was renewed ")
		sets, err := w.Store.List(w.Context(), deployment.ReplicaSetKind, controlloop.ListOptions{})
		require.NoError(w, err)
		assert.Empty(w, sets.Items)
		code.Store(0)
		w.settle()
		assert.Equal(w, 3, w.pods("one"))
		require.NoError(w, r.stop())
	})
}

// The next copy works within 17 s, whenever the first one dies.
func TestTheNextCopyWorksWithinSeventeenSeconds(t *testing.T) {
	for phase := range 8 {
		inBubble(t, func(w *world) {
			var cut atomic.Bool
			w.Ask(func(rw http.ResponseWriter, r *http.Request) bool {
				if !cut.Load() || !strings.HasPrefix(r.UserAgent(), "first") {
					return false
				}
				http.Error(rw, "away", http.StatusServiceUnavailable)
				return true
			})
			first := w.start(func(o *Options) { o.Config.UserAgent = "first/1" })
			w.settle()
			second := w.start()
			w.settle()
			time.Sleep(time.Duration(phase) * retryPeriod / 8)
			cut.Store(true)
			begun := time.Now()
			for !strings.Contains(second.log.String(), "msg=working") && time.Since(begun) < time.Minute {
				time.Sleep(100 * time.Millisecond)
				synctest.Wait()
			}
			assert.LessOrEqual(w, time.Since(begun), 17*time.Second)
			require.NoError(w, first.stop())
			require.NoError(w, second.stop())
		})
	}
}

// The old one has another lease here, as it has none when it wakes.
func TestAnOldCopyThatStillAnswersIsWaitedFor(t *testing.T) {
	inBubble(t, func(w *world) {
		old := w.start(func(o *Options) { o.Lease, o.Controllers = "old", []string{"deployment", "endpointslice"} })
		w.settle()
		next := w.start(func(o *Options) { o.Controllers = []string{"deployment", "endpointslice"} })
		time.Sleep(10 * time.Second)
		assert.Contains(w, next.log.String(), "an old copy of ours still works, without the lease")
		assert.NotContains(w, next.log.String(), "msg=working")
		require.NoError(w, old.stop())
		w.settle()
		assert.Contains(w, next.log.String(), "msg=working")
		require.NoError(w, next.stop())
	})
}

func TestAnotherCopyThatDoesNotStopIsNotWaitedForForEver(t *testing.T) {
	inBubble(t, func(w *world) {
		other := w.start(func(o *Options) { o.Lease = "other" })
		w.settle()
		err := <-w.start().ended
		assert.ErrorContains(w, err, "another copy of lab-controllers does not stop working, "+
			"though the lease kube-system/lab-controllers is held here")
		assert.ErrorContains(w, err, "End it, or start it with the same --home and --lease")
		assert.NotContains(w, err.Error(), "kube-controller-manager")
		require.NoError(w, other.stop())
	})
}

// The copy before it had fewer controllers, and did not ask for all.
func TestACopyWithOtherControllersAsks(t *testing.T) {
	inBubble(t, func(w *world) {
		cluster := w.start(func(o *Options) {
			o.Lease, o.Config.UserAgent = "theirs", "kube-controller-manager/v1.37.2"
			o.Controllers = []string{"statefulset"}
		})
		before := w.start()
		w.settle()
		next := w.start(func(o *Options) { o.Controllers = []string{"deployment", "replicaset", "statefulset"} })
		w.settle()
		require.NoError(w, before.stop())
		w.settle()
		assert.ErrorContains(w, next.stop(), "statefulset-controller: kube-controller-manager answered")
		require.NoError(w, cluster.stop())
	})
}

func TestALeaseThatBecomesForbiddenIsSaidAndReadinessKnows(t *testing.T) {
	inBubble(t, func(w *world) {
		var code atomic.Int64
		w.lookAtLeases(&code, Agent)
		var said log
		w.Config.UserAgent = Agent
		m, err := newManager(Options{
			Config: w.Config, Controllers: []string{"deployment"}, Yes: true,
			Home: metav1.NamespaceSystem, Lease: "l", Log: slog.New(slog.NewTextHandler(&said, nil)),
		})
		require.NoError(w, err)
		ctx, cancel := context.WithCancel(w.Context())
		ended := make(chan error, 1)
		go func() { ended <- m.elect(ctx) }()
		health := func() (int, string) {
			alive, _ := answerOf(m.metrics, "/healthz")
			assert.Equal(w, http.StatusOK, alive, "another start would change nothing")
			return answerOf(m.metrics, "/readyz")
		}
		w.settle()
		got, _ := health()
		assert.Equal(w, http.StatusOK, got)
		assert.NotContains(w, said.String(), "level=WARN")
		code.Store(http.StatusServiceUnavailable)
		time.Sleep(3 * time.Second)
		got, _ = health()
		assert.Equal(w, http.StatusOK, got, "the server is away: another copy would be no better")
		code.Store(http.StatusForbidden)
		time.Sleep(3 * time.Second)
		got, text := health()
		assert.Equal(w, http.StatusInternalServerError, got)
		assert.Contains(w, text, "the lease kube-system/l is refused: ")
		assert.Contains(w, text, "lab controllers manifest")
		assert.Equal(w, 2, strings.Count(said.String(), "the lease cannot be taken or renewed"), said.String())
		code.Store(0)
		time.Sleep(3 * time.Second)
		got, _ = health()
		assert.Equal(w, http.StatusOK, got)
		cancel()
		<-ended
	})
}
