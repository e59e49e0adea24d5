package manager

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// lease is the lock of the elections. It remembers what a copy has to know besides
// who holds it: how old its own claim is, whether a copy like itself has just been
// at work, and what the server said last.
//
// A claim's age is taken from the monotonic clock, which goes on while a process is
// stopped and while its machine's time is set. On Linux it stands still while the
// machine is suspended: a laptop that wakes does not know how long it has slept, and
// may write until its next renewal is refused.
type lease struct {
	resourcelock.Interface
	log       *slog.Logger
	namespace string
	like      string // how the identity of a copy with the same controllers ends

	mu       sync.Mutex
	renewed  time.Time // this copy asked then for the last renewal that it got
	heard    time.Time // a copy like this one was seen then to have renewed it
	seen     resourcelock.LeaderElectionRecord
	holder   string // when it was read last
	held     bool   // since this copy last stood by
	succeeds bool   // it held the lease then a moment after a copy like it
	failed   error  // the last answer of the server
}

// likeness returns how the identities of copies with these controllers end.
func likeness(names []string) string {
	sum := fnv.New32a()
	fmt.Fprint(sum, strings.Join(slices.Sorted(slices.Values(names)), ","))
	return fmt.Sprintf("_%08x", sum.Sum32())
}

// stand begins an election.
func (l *lease) stand() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = false
}

// Get implements resourcelock.Interface.
func (l *lease) Get(
	ctx context.Context,
) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.Interface.Get(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !apierrors.IsNotFound(err) { // then it will be created
		l.answered(err)
	}
	if err == nil {
		l.holder = record.HolderIdentity
	}
	if err == nil && record.HolderIdentity != l.Identity() &&
		strings.HasSuffix(record.HolderIdentity, l.like) {
		if l.seen.HolderIdentity == record.HolderIdentity &&
			!l.seen.RenewTime.Equal(&record.RenewTime) {
			l.heard = time.Now()
		}
		l.seen = *record
	}
	return record, raw, err
}

// Create implements resourcelock.Interface.
func (l *lease) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	asked := time.Now()
	return l.wrote(asked, record, l.Interface.Create(ctx, record))
}

// Update implements resourcelock.Interface. A lease that another copy holds is not
// given back: client-go reads it, and has its elector's word that it is ours, which a
// copy that was stopped has from before.
func (l *lease) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if l.mu.Lock(); record.HolderIdentity == "" && l.holder != l.Identity() {
		defer l.mu.Unlock()
		return fmt.Errorf("the lease %s is held by %s: it is not ours to give back", l.Describe(), l.holder)
	}
	l.mu.Unlock()
	asked := time.Now()
	return l.wrote(asked, record, l.Interface.Update(ctx, record))
}

// wrote notes an answer to a claim, or to its end, which has no holder.
func (l *lease) wrote(asked time.Time, record resourcelock.LeaderElectionRecord, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answered(err)
	switch {
	case err != nil:
	case record.HolderIdentity == "":
		l.renewed = time.Time{}
	default:
		if !l.held {
			recently := asked.Add(-2 * leaseDuration)
			l.succeeds = l.heard.After(recently) || l.renewed.After(recently)
		}
		l.held, l.renewed = true, asked
	}
	return err
}

// answered notes what the server said, and logs a failure once: client-go tries
// again, and says nothing.
func (l *lease) answered(err error) {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		err = nil // another copy was faster
	}
	if errors.Is(err, context.Canceled) {
		return
	}
	if err != nil && (l.failed == nil || passing(l.failed) && !passing(err)) {
		l.log.Warn("the lease cannot be taken or renewed; trying again",
			"lease", l.Describe(), "error", err, "remedy", l.remedy(err))
	}
	l.failed = err
}

func (l *lease) remedy(err error) string {
	switch {
	case apierrors.IsForbidden(err):
		return "lab controllers manifest prints the rights that this takes"
	case apierrors.IsNotFound(err):
		return "create the namespace " + l.namespace + ", or give another --home"
	}
	return "the server has to answer"
}

// check returns an error while the server refuses the lease, which no other try
// will change. A server that does not answer is not this copy's illness.
func (l *lease) check(*http.Request) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if passing(l.failed) || l.failed == nil {
		return nil
	}
	return fmt.Errorf("the lease %s is refused: %w; %s", l.Describe(), l.failed, l.remedy(l.failed))
}

// succeeded reports whether a copy with the same controllers worked until a moment
// before this one got the lease.
func (l *lease) succeeded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.succeeds
}

// claim returns an error unless the lease was renewed within renewDeadline: later
// another copy may have it.
func (l *lease) claim() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if age := time.Since(l.renewed); age > renewDeadline {
		return fmt.Errorf("not written: the lease %s was renewed %s ago, and another copy may hold it",
			l.Describe(), age.Round(time.Second))
	}
	return nil
}

// claimed sends writes only while the lease is claimed. It stands behind the limit
// of the rate: a write may have waited there for longer than a claim lasts.
type claimed struct {
	http.RoundTripper
	lease *lease
}

// RoundTrip implements http.RoundTripper.
func (c claimed) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		if err := c.lease.claim(); err != nil {
			if r.Body != nil {
				r.Body.Close()
			}
			return nil, err
		}
	}
	return c.RoundTripper.RoundTrip(r)
}
