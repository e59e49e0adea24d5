package unix

import (
	"context"
	"io"
	"time"
)

// The pipes of a shell are the operating system's, since its interpreter makes
// no others. A process that waited there would wait outside of a test's bubble,
// and no time would pass in it. So processes do not wait: they look, and look
// again a little later.
//
// Of two processes that act in the same moment of a bubble's time either may be
// first, and their reads would differ from run to run. So each has moments of
// its own to look, and none of them is at a full hundredth of a second, when
// most other things happen.
const (
	lookEvery = 10 * time.Millisecond
	moment    = time.Millisecond
)

// look is when a process looks at its pipes.
type look struct {
	ctx   context.Context
	phase time.Duration // behind each hundredth of a second
	last  time.Time     // until a moment after it, it may look once more
}

func newLook(ctx context.Context, pid int) *look {
	const moments = int(lookEvery/moment) - 1
	return &look{ctx: ctx, phase: time.Duration(1+pid%moments) * moment}
}

// next waits until the process may look. It returns false when ctx has ended.
func (l *look) next() bool {
	now := time.Now()
	if now.Sub(l.last) < moment {
		return l.ctx.Err() == nil
	}
	at := now.Truncate(lookEvery).Add(l.phase)
	if !at.After(now) {
		at = at.Add(lookEvery)
	}
	select {
	case <-l.ctx.Done():
		return false
	case <-time.After(at.Sub(now)):
		return true
	}
}

// found notes that something was there: more may follow.
func (l *look) found() { l.last = time.Now() }

// pipeReader is the end of a pipe that a process reads.
type pipeReader struct {
	file pipeEnd
	look *look
}

// Read implements io.Reader.
func (r pipeReader) Read(p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.look.next() {
		n, later, err := readNow(r.file, p)
		if !later {
			r.look.found()
			return n, err
		}
		r.look.last = time.Time{}
	}
	return 0, io.EOF
}

// pipeWriter is the end that a process writes to.
type pipeWriter struct {
	file pipeEnd
	look *look
}

// Write implements io.Writer.
func (w pipeWriter) Write(p []byte) (n int, err error) {
	for {
		some, later, err := writeNow(w.file, p[n:])
		n += some
		switch {
		case err != nil || n == len(p):
			return n, err
		case later:
			w.look.last = time.Time{}
			if !w.look.next() {
				return n, context.Canceled
			}
		}
	}
}
