package kubetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	invalid "k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// errCrashed is returned by every call after a crash.
var errCrashed = errors.New("kubetest: the process has crashed")

// ErrFailedOnce is the error of the call that FailNth picks.
var ErrFailedOnce = apierrors.NewInternalError(errors.New("etcdserver: leader changed"))

// When says on which side of a write or an event a fault strikes.
type When int

const (
	Before When = iota // the write is not made, the event not delivered
	After              // it is, but its author never learns of it
)

// String implements fmt.Stringer.
func (w When) String() string { return [...]string{"before", "after"}[w] }

// Call is one call of a client.
type Call struct {
	Verb string // get, list, watch, create, update, update status, delete, bind
	Kind schema.GroupVersionKind
	Key  controlloop.Key // not set for list and watch
}

// Faults is a client in which anything can be made to fail.
type Faults struct {
	store  *controlloop.Store
	unwind string // the goroutine that a crash ends by a panic; "": none

	mu      sync.Mutex
	fail    func(Call) error
	calls   map[string]int // by verb
	crashed bool
	writes  counter
	events  counter
	broken  error // the error of a watch that breaks
	lose    func(Call) bool
	late    map[schema.GroupVersionKind]time.Duration // how long an event takes to arrive
	arrived func()                                    // is called when one has
	told    func(of, verb, text string)               // is called when a fault strikes

	connected context.Context // ends the watches made from here on
	cut       context.CancelFunc
}

// counter counts up to the call at which a fault strikes.
type counter struct {
	count, at int // at 0: never
	when      When
}

// NewFaults returns a client of the store that works.
func NewFaults(store *controlloop.Store) *Faults {
	f := &Faults{store: store, calls: map[string]int{}, late: map[schema.GroupVersionKind]time.Duration{}, arrived: func() {}, told: func(_, _, _ string) {}}
	f.connected, f.cut = context.WithCancel(context.Background())
	return f
}

// CrashAtWrite ends the process at the k-th write from the first on.
func (f *Faults) CrashAtWrite(k int, when When) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes.at, f.writes.when = k, when
}

// BreakWatchAtEvent ends a watch with err at the j-th event, over all watches,
// from the first on.
func (f *Faults) BreakWatchAtEvent(j int, when When, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events.at, f.events.when, f.broken = j, when, err
}

// BreakWatches ends all existing watches with err.
func (f *Faults) BreakWatches(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = err
	f.told("", "broken", fmt.Sprintf("all watches break: %v", err))
	f.cut()
	f.connected, f.cut = context.WithCancel(context.Background())
}

// Fail makes every call end, without effect, with the error that fail returns
// for it; nil lets the call pass.
func (f *Faults) Fail(fail func(Call) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = fail
}

// FailNth fails the n-th call of a verb, as happens while etcd elects another
// leader. The function that it returns tells which call failed, if one has.
func (f *Faults) FailNth(verb string, n int) (failed func() (Call, bool)) {
	calls := 0
	var nth Call
	var mu sync.Mutex // some controllers make several calls at once
	f.Fail(func(call Call) error {
		mu.Lock()
		defer mu.Unlock()
		if call.Verb != verb {
			return nil
		}
		if calls++; calls != n {
			return nil
		}
		nth = call
		return ErrFailedOnce
	})
	return func() (Call, bool) { return nth, calls >= n }
}

// Late has each event of these kinds, of all if none is named, arrive that much
// after it was told, as on a server at a distance. Kinds that are late together keep
// the order of their events; of one that is late alone, a controller hears after
// what came later. Controllers must step, not run. 0: at once.
func (f *Faults) Late(by time.Duration, kinds ...schema.GroupVersionKind) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(kinds) == 0 {
		for _, kind := range f.store.Kinds().All() {
			kinds = append(kinds, kind.GroupVersionKind)
		}
		f.told("", "late", fmt.Sprintf("from here on caches hear of everything %s late", by))
	} else {
		for _, kind := range kinds {
			f.told("", "late", fmt.Sprintf("from here on caches hear of each %s %s late", kind.Kind, by))
		}
	}
	for _, kind := range kinds {
		f.late[kind] = by
	}
}

// LoseAnswers has writes be made, and end with ErrFailedOnce all the same, for
// which lose returns true.
func (f *Faults) LoseAnswers(lose func(Call) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lose = lose
}

// Repair makes everything work again.
func (f *Faults) Repair() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail, f.crashed, f.writes.at, f.events.at = nil, false, 0, 0
	f.lose = nil
	clear(f.late)
}

// Writes returns the number of writes tried so far.
func (f *Faults) Writes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writes.count
}

// Calls returns how often each verb was called so far.
func (f *Faults) Calls() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.calls)
}

// Events returns the number of events delivered so far, by all watches.
func (f *Faults) Events() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.events.count
}

// call makes a call that only reads.
func (f *Faults) call(verb string, kind schema.GroupVersionKind, key controlloop.Key) error {
	f.mu.Lock()
	f.calls[verb]++
	crashed, fail := f.crashed, f.fail
	f.mu.Unlock()
	switch {
	case crashed:
		return f.crash()
	case fail != nil:
		err := fail(Call{verb, kind, key})
		if err != nil {
			f.told("", "refused", fmt.Sprintf("refused: %s %s: %v", verb, named(kind, key), err))
		}
		return err
	}
	return nil
}

// named returns "Pod default/web", or the kind alone where there is no name yet.
func named(kind schema.GroupVersionKind, key controlloop.Key) string {
	if key.Name == "" {
		return kind.Kind
	}
	return kind.Kind + " " + strings.TrimPrefix(key.String(), "/")
}

// write makes a call that writes.
func (f *Faults) write(
	verb string, kind schema.GroupVersionKind, key controlloop.Key,
	do func() (controlloop.Object, error),
) (controlloop.Object, error) {
	if err := f.call(verb, kind, key); err != nil {
		return nil, err
	}
	strikes, when := f.strikes(&f.writes)
	if strikes && when == Before {
		f.told("", "crashed", "crashed before its write: "+verb+" "+named(kind, key))
		return nil, f.crash()
	}
	obj, err := do()
	switch {
	case strikes:
		f.told("", "crashed", "crashed after its write: "+verb+" "+named(kind, key))
		return nil, f.crash()
	case err == nil && f.loses(Call{verb, kind, key}):
		f.told("", "lost", "the answer is lost: "+verb+" "+named(kind, key))
		return nil, ErrFailedOnce
	}
	return obj, err
}

// loses reports whether the answer to a write is lost.
func (f *Faults) loses(call Call) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lose != nil && f.lose(call)
}

func (f *Faults) writeObject(
	verb string, obj controlloop.Object,
	do func(context.Context, controlloop.Object) (controlloop.Object, error),
) (controlloop.Object, error) {
	kind, err := f.store.Kinds().Of(obj)
	if err != nil {
		return nil, err
	}
	return f.write(verb, kind.GroupVersionKind, controlloop.KeyOf(obj),
		func() (controlloop.Object, error) { return do(context.Background(), obj) })
}

// strikes counts one more, and reports whether it is the one.
func (f *Faults) strikes(c *counter) (bool, When) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.count++
	if c == &f.writes && c.count == c.at {
		f.crashed = true
	}
	return c.count == c.at, c.when
}

// mayUnwind notes which goroutine steps, if a crash is to come: to find out
// takes time.
func (f *Faults) mayUnwind() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.crashed || f.writes.at > f.writes.count {
		f.unwind = goroutine()
	}
}

// crash ends the goroutine that steps. Any other that it has started gets an
// error: a panic there could not be recovered.
func (f *Faults) crash() error {
	if f.unwind != "" && f.unwind == goroutine() {
		panic(errCrashed)
	}
	return errCrashed
}

// goroutine returns the runtime's name for the one that is running: "goroutine
// 17".
func goroutine() string {
	var text [32]byte
	n := runtime.Stack(text[:], false)
	name, _, _ := strings.Cut(string(text[:n]), " [")
	return name
}

// Crashed reports whether a crash has struck.
func (f *Faults) Crashed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.crashed
}

// Get implements controlloop.Client, and so do the methods below.
func (f *Faults) Get(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
) (controlloop.Object, error) {
	if err := f.call("get", kind, key); err != nil {
		return nil, err
	}
	return f.store.Get(ctx, kind, key)
}

func (f *Faults) List(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.List, error) {
	if err := f.call("list", kind, controlloop.Key{}); err != nil {
		return controlloop.List{}, err
	}
	return f.store.List(ctx, kind, opts)
}

func (f *Faults) Create(_ context.Context, obj controlloop.Object) (controlloop.Object, error) {
	return f.writeObject("create", obj, f.store.Create)
}

func (f *Faults) Update(_ context.Context, obj controlloop.Object) (controlloop.Object, error) {
	return f.writeObject("update", obj, versioned(f.store.Update))
}

func (f *Faults) UpdateStatus(_ context.Context, obj controlloop.Object) (controlloop.Object, error) {
	return f.writeObject("update status", obj, versioned(f.store.UpdateStatus))
}

// versioned refuses objects without a version, as Kubernetes' API does for most kinds:
// a controller has read what it updates, and without its version it would undo
// what others have written since.
func versioned(
	update func(context.Context, controlloop.Object) (controlloop.Object, error),
) func(context.Context, controlloop.Object) (controlloop.Object, error) {
	return func(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
		if obj.GetResourceVersion() == "" {
			return nil, apierrors.NewInvalid(
				obj.GetObjectKind().GroupVersionKind().GroupKind(), obj.GetName(),
				invalid.ErrorList{invalid.Invalid(invalid.NewPath("metadata", "resourceVersion"), 0,
					"must be specified for an update")})
		}
		return update(ctx, obj)
	}
}

func (f *Faults) Delete(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
	opts metav1.DeleteOptions,
) error {
	_, err := f.write("delete", kind, key, func() (controlloop.Object, error) {
		return nil, f.store.Delete(ctx, kind, key, opts)
	})
	return err
}

func (f *Faults) Bind(ctx context.Context, binding *corev1.Binding) error {
	_, err := f.write("bind", controlloop.PodKind, controlloop.KeyOf(binding),
		func() (controlloop.Object, error) { return nil, f.store.Bind(ctx, binding) })
	return err
}
