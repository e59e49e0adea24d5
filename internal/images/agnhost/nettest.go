package agnhost

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"reconcile/internal/images/unix"
)

// calls is what the server of nettest has heard of.
type calls struct {
	Hostname             string
	Sent                 map[string]int
	Received             map[string]int
	Errors               []string
	Log                  []string
	StillContactingPeers bool

	mu sync.Mutex
}

// nettest returns a handler that counts who writes to it. It calls no other: it
// would have to ask the API server who there is.
func nettest(_ context.Context, p *unix.Process) http.Handler {
	c := &calls{Hostname: p.Box.Hostname}
	mux := http.NewServeMux()
	mux.HandleFunc("/read", c.read)
	mux.HandleFunc("/write", c.write)
	return mux
}

func (c *calls) read(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, err := json.MarshalIndent(c, "", "\t")
	c.noteError(err)
	w.Write(text)
}

func (c *calls) write(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var post struct{ Source, Dest string }
	c.noteError(json.NewDecoder(r.Body).Decode(&post))
	if post.Source == "" {
		c.Errors = append(c.Errors, c.Hostname+": Got request with no source")
	} else {
		if c.Received == nil {
			c.Received = map[string]int{}
		}
		c.Received[post.Source]++
	}
	c.noteError(json.NewEncoder(w).Encode(struct{ Hostname string }{c.Hostname}))
}

func (c *calls) noteError(err error) {
	if err != nil {
		c.Errors = append(c.Errors, err.Error())
	}
}
