package deployment

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Expectations hold the writes that a controller has made and its cache has not
// heard of yet. Until it has, the cache shows the world as it was before, and a
// controller that believes it must not act. They are kept by the uid of the
// owner: one that was deleted and made again under its name expects nothing.
// (Kubernetes: ControllerExpectations in pkg/controller/controller_utils.go.)
type Expectations struct {
	mu  sync.Mutex
	all map[types.UID]*expectation
}

// expectation holds what one owner waits for. Creates are counted: a Pod that
// is asked for has no name yet. Deletes have names, and are heard of twice:
// when the Pod is told to go and when it is gone.
type expectation struct {
	creates int
	deletes sets.Set[types.UID]
	since   time.Time
}

// patience is how long an expectation is kept. An event that has not
// come by then never will.
const patience = 5 * time.Minute

// NewExpectations returns an empty set.
func NewExpectations() *Expectations {
	return &Expectations{all: map[types.UID]*expectation{}}
}

// ExpectCreates notes, before they are made, that n creates are to be heard of.
func (e *Expectations) ExpectCreates(owner types.UID, n int) {
	e.expect(owner, &expectation{creates: n})
}

// ExpectDeletes notes, before they are made, which deletes are to be heard of.
func (e *Expectations) ExpectDeletes(owner types.UID, uids ...types.UID) {
	e.expect(owner, &expectation{deletes: sets.New(uids...)})
}

func (e *Expectations) expect(owner types.UID, x *expectation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	x.since = time.Now()
	e.all[owner] = x
}

// Created notes a create that was heard of, or one that failed.
//
//book:exercise 2b
func (e *Expectations) Created(owner types.UID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if x := e.all[owner]; x != nil {
		x.creates--
	}
}

// Deleted notes a delete that was heard of, however often, or one that
// failed.
//
//book:exercise 2b
func (e *Expectations) Deleted(owner, uid types.UID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if x := e.all[owner]; x != nil {
		x.deletes.Delete(uid)
	}
}

// Wait returns how long to wait before acting for owner: 0 when all that it
// expects has been heard of, or never will be.
//
//book:exercise 2b
func (e *Expectations) Wait(owner types.UID) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	x := e.all[owner]
	if x == nil || x.creates <= 0 && len(x.deletes) == 0 {
		return 0
	}
	return max(0, time.Until(x.since.Add(patience)))
}

// Forget drops what owner expects: the object is gone.
func (e *Expectations) Forget(owner types.UID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.all, owner)
}
