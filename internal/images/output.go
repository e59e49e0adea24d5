package images

import (
	"bytes"
	"io"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	maxLog    = 1 << 20  // bytes that are kept of an attempt
	maxLine   = 16 << 10 // longer ones are kept in pieces
	maxBehind = 1 << 20  // how far a watcher may fall behind
)

// output is what a container has printed. The last of it is kept.
type output struct {
	mu       sync.Mutex
	lines    []line
	first    int               // the number of lines[0]; the lines before it are lost
	size     int               // of lines
	pending  map[string][]byte // the line that a stream has begun
	watchers map[*watcher]struct{}
	ended    bool
	changed  chan struct{} // closed, and made anew, at each change
}

// line is what was printed at a time, mostly up to the end of a line.
type line struct {
	at     time.Time
	stream string
	text   []byte
}

func newOutput() *output {
	return &output{
		pending: map[string][]byte{}, watchers: map[*watcher]struct{}{},
		changed: make(chan struct{}),
	}
}

// writer returns a stream to print to.
func (o *output) writer(stream string) io.Writer { return printer{o, stream} }

type printer struct {
	*output
	stream string
}

// Write implements io.Writer.
func (p printer) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return 0, io.ErrClosedPipe
	}
	for w := range p.watchers {
		w.put(p.stream, bytes.Clone(text))
	}
	rest := append(p.pending[p.stream], text...)
	for {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 && len(rest) >= maxLine {
			end = maxLine
		}
		if end == 0 {
			break
		}
		p.add(p.stream, rest[:end])
		rest = rest[end:]
	}
	p.pending[p.stream] = bytes.Clone(rest)
	close(p.changed)
	p.changed = make(chan struct{})
	return len(text), nil
}

// add adds a line. o.mu is held.
func (o *output) add(stream string, text []byte) {
	o.lines = append(o.lines, line{time.Now(), stream, bytes.Clone(text)})
	o.size += len(text)
	for o.size > maxLog {
		o.size -= len(o.lines[0].text)
		o.lines[0] = line{}
		o.lines = o.lines[1:]
		o.first++
	}
}

// end says that nothing more will be printed.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, stream := range []string{corev1.LogStreamStdout, corev1.LogStreamStderr} {
		if rest := o.pending[stream]; len(rest) > 0 {
			o.add(stream, rest)
		}
	}
	o.pending = nil
	o.ended = true
	close(o.changed)
	o.changed = make(chan struct{})
	for w := range o.watchers {
		w.end()
	}
}
