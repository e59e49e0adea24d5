package scene

import (
	"cmp"
	"net/http"
	"slices"
	"sync"
)

// gate holds requests until they are let in, one after the other.
type gate struct {
	wake func()

	mu      sync.Mutex
	waiting []*ticket
}

// ticket is a request that waits.
type ticket struct {
	job  int
	what string // method and address
	open chan struct{}
}

// pass waits until a request is let in, or ends.
func (g *gate) pass(job int, request *http.Request) error {
	t := &ticket{job, request.Method + " " + request.URL.String(), make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, t)
	g.mu.Unlock()
	g.wake()
	select {
	case <-t.open:
		return nil
	case <-request.Context().Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		g.waiting = slices.DeleteFunc(g.waiting, func(other *ticket) bool { return other == t })
		return request.Context().Err()
	}
}

// open lets one request in: of those that wait, the foreground's comes first,
// then the one of the lowest number; one command's are ordered by their
// addresses. It reports whether one waited.
func (g *gate) open() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		return false
	}
	slices.SortStableFunc(g.waiting, func(a, b *ticket) int {
		return cmp.Or(cmp.Compare(a.job, b.job), cmp.Compare(a.what, b.what))
	})
	close(g.waiting[0].open)
	g.waiting = g.waiting[1:]
	return true
}
