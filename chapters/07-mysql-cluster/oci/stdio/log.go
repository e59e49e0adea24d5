//go:build linux

package stdio

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	maxLogLine = 16 << 10 // longer ones are kept in pieces
	maxLogFile = 10 << 20 // when it is full, a new one takes its place
	maxBehind  = 1 << 10  // writes, that who attaches may fall behind
)

// logTime is how a log says when a line was printed (Kubernetes:
// k8s.io/cri-client, RFC3339NanoFixed).
const logTime = "2006-01-02T15:04:05.000000000Z07:00"

// Log is what an attempt to run a container prints, in a file of the form
// that all of Kubernetes' runtimes write: a time, the stream, F if the line is
// at its end or else P, and the text.
//
//	2026-11-22T10:20:51.123456789Z stdout F ready for connections
//
// A stream's lines are in the order in which they were printed. The streams are two
// pipes, which don't tell which of them was written to first: a line's time, and its
// place among those of the other stream, is when it was read. (So it is in containerd:
// internal/cri/io/logger.go.)
type Log struct {
	Path string

	mu       sync.Mutex
	file     *os.File
	number   int               // of files there were before this one
	size     int64             // of the file
	pending  map[string][]byte // the line that a stream has begun
	watchers map[chan printed]bool
	ended    bool
	changed  chan struct{} // closed, and made anew, at each change
}

// printed is what was written at once.
type printed struct {
	stream string
	text   []byte
}

func NewLog(path string) (*Log, error) {
	file, err := os.Create(path)
	return &Log{
		Path: path, file: file, pending: map[string][]byte{},
		watchers: map[chan printed]bool{}, changed: make(chan struct{}),
	}, err
}

// Writer returns a stream to print to.
func (l *Log) Writer(stream string) io.Writer { return logStream{l, stream} }

type logStream struct {
	*Log
	stream string
}

// Write implements io.Writer. It does not fail: a full disk must not stop the
// container.
func (s logStream) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		select {
		case w <- printed{s.stream, bytes.Clone(text)}:
		default:
			s.unwatch(w)
		}
	}
	rest := append(s.pending[s.stream], text...)
	var lines []byte
	for {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		switch {
		case len(line) >= maxLogLine:
			lines = logLine(lines, s.stream, "P", rest[:maxLogLine])
			rest = rest[maxLogLine:]
		case whole:
			lines = logLine(lines, s.stream, "F", line)
			rest = after
		default:
			s.pending[s.stream] = bytes.Clone(rest)
			s.add(lines)
			s.tell()
			return len(text), nil
		}
	}
}

// logLine appends a line of the file to others.
func logLine(lines []byte, stream, tag string, text []byte) []byte {
	return fmt.Appendf(lines, "%s %s %s %s\n",
		time.Now().UTC().Format(logTime), stream, tag, text)
}

// add adds lines. l.mu is held.
func (l *Log) add(lines []byte) {
	if l.size > maxLogFile {
		_ = os.Remove(l.Path) // who reads it has it open
		if file, err := os.Create(l.Path); err == nil {
			l.file.Close()
			l.file, l.size = file, 0
			l.number++
		}
	}
	n, _ := l.file.Write(lines)
	l.size += int64(n)
}

// tell wakes who waits for more. l.mu is held.
func (l *Log) tell() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Watch returns what is printed from now on, as it is; the channel is closed at
// the end, or when who reads it is too slow.
func (l *Log) Watch() chan printed {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := make(chan printed, maxBehind)
	l.watchers[w] = true
	if l.ended {
		l.unwatch(w)
	}
	return w
}

// unwatch ends what watch began. l.mu is held.
func (l *Log) unwatch(w chan printed) {
	if l.watchers[w] {
		delete(l.watchers, w)
		close(w)
	}
}

// Leave ends what Watch began, for a caller that has had enough.
func (l *Log) Leave(w chan printed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unwatch(w)
}

// End says that nothing more will be printed.
func (l *Log) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, stream := range []string{corev1.LogStreamStdout, corev1.LogStreamStderr} {
		if rest := l.pending[stream]; len(rest) > 0 {
			l.add(logLine(nil, stream, "P", rest))
		}
	}
	l.ended = true
	l.file.Close()
	l.tell()
	for _, w := range slices.Collect(maps.Keys(l.watchers)) {
		l.unwatch(w)
	}
}

// Show writes what a container has printed to who is attached.
func (s Streams) Show(text printed) error {
	to := s.Stdout
	if text.stream == corev1.LogStreamStderr {
		to = s.Stderr
	}
	if to == nil {
		return nil
	}
	_, err := to.Write(text.text)
	return err
}
