package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"reconcile/cmd/lab/tracediff"
	"reconcile/internal/exercise/trial"
	"reconcile/internal/exercise/workspace"
)

// beforehand is how long the tests' lines wait for the one that is to stand above them.
const beforehand = 3 * time.Second

// held holds what is written until it is released.
type held struct {
	mu       sync.Mutex
	to       io.Writer
	waits    bytes.Buffer
	released bool
}

// Write implements io.Writer.
func (h *held) Write(text []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		return h.to.Write(text)
	}
	return h.waits.Write(text)
}

// release writes what was held, and holds nothing from then on.
func (h *held) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released = true
	_, _ = h.waits.WriteTo(h.to)
}

// apart writes a text above what is held, or below it if that stands there already,
// with an empty line between the two.
func (h *held) apart(text []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		fmt.Fprintf(h.to, "\n%s", text)
		return
	}
	h.released = true
	fmt.Fprintf(h.to, "%s\n", text)
	_, _ = h.waits.WriteTo(h.to)
}

// sayWhereRunsPart says above the tests in which step the reader's run and the book's
// differ first, or below them if they stand there already. Runs that are the same say
// nothing.
func sayWhereRunsPart(out paper, held *held, done workspace.Tested) {
	page, err := tracediff.New(trial.Words(done.Seen.Test), done.Seen)
	if err != nil || !page.Differs {
		return
	}
	var text bytes.Buffer
	out.raw = &text
	fmt.Fprintf(out, "%s, your run beside the book's:\n%s\nTo look into both: %stest %s --look\n",
		page.Title, page.Says, byHand, done.Exercise.Number)
	held.apart(text.Bytes())
}
