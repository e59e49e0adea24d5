package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// news tells open pages how often the book was built, and what is wrong with it
// now.
type news struct {
	mu      sync.Mutex
	current bulletin
	changed chan struct{} // closed by the next tell
}

// bulletin is one state of the book. Build changes only with a good build.
type bulletin struct {
	Build    int    `json:"build"`
	Problems string `json:"problems"`
	Notice   string `json:"notice,omitempty"` // until the first build is done
}

// tell sets the problems.
func (n *news) tell(problems string) {
	n.change(func(b *bulletin) { b.Notice, b.Problems = "", problems })
}

// built says that there is a good build. Pages that are open are from before it,
// unless the first build changed nothing.
func (n *news) built(changed bool) {
	n.change(func(b *bulletin) {
		b.Notice, b.Problems = "", ""
		if changed || b.Build > 0 {
			b.Build++
		}
	})
}

func (n *news) change(set func(*bulletin)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	set(&n.current)
	if n.changed != nil {
		close(n.changed)
		n.changed = nil
	}
}

// read returns the state, and a channel that is closed when it changes.
func (n *news) read() (bulletin, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.changed == nil {
		n.changed = make(chan struct{})
	}
	return n.current, n.changed
}

// ServeHTTP sends every state as a server-sent event, the present one first.
func (n *news) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w)
	for {
		current, changed := n.read()
		data, err := json.Marshal(current)
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", data); err != nil || flush.Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}
