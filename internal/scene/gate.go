package scene

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// gate holds requests until they are let in, one after the other.
type gate struct {
	wake func()

	mu      sync.Mutex
	waiting []*ticket
	over    error // nobody is let in any more
}

// ticket is a request that waits.
type ticket struct {
	job  int
	what string // method and address, and what else orders requests
	open chan struct{}
}

// pass waits until a request is let in, or ends.
func (g *gate) pass(job int, request *http.Request, besides ...string) error {
	what := append([]string{request.Method, request.URL.String()}, besides...)
	t := &ticket{job, strings.Join(what, " "), make(chan struct{})}
	g.mu.Lock()
	if g.over != nil {
		defer g.mu.Unlock()
		return g.over
	}
	g.waiting = append(g.waiting, t)
	g.mu.Unlock()
	g.wake()
	select {
	case <-t.open:
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.over
	case <-request.Context().Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		g.waiting = slices.DeleteFunc(g.waiting, func(other *ticket) bool { return other == t })
		return request.Context().Err()
	}
}

// close refuses the requests that wait, and all later ones.
func (g *gate) close(why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = why
	for _, t := range g.waiting {
		close(t.open)
	}
	g.waiting = nil
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
