package images

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/apiserver/streams"
)

// timestamp is the layout of the times in a log (Kubernetes: k8s.io/cri-client,
// RFC3339NanoFixed).
const timestamp = "2006-01-02T15:04:05.000000000Z07:00 "

// Logs implements streams.Containers.
func (m *Machines) Logs(
	ctx context.Context, pod *corev1.Pod, opts *corev1.PodLogOptions,
) (io.ReadCloser, error) {
	if err := m.unread(ctx, pod, opts); err != nil {
		return nil, err
	}
	id, err := streams.SourceOf(pod, opts.Container, opts.Previous)
	if err != nil {
		return nil, err
	}
	var c *container
	if n := m.nodeOf(pod); n != nil {
		c = n.attempt(target{pod.UID, opts.Container}, id)
	}
	if c == nil { // a program without output, or the log is gone
		return io.NopCloser(bytes.NewReader(nil)), nil
	}
	ctx, cancel := context.WithCancel(ctx)
	return c.output.log(ctx, cancel, opts), nil
}

// log returns what was printed, as opts want it.
func (o *output) log(
	ctx context.Context, cancel func(), opts *corev1.PodLogOptions,
) *transcript {
	l := &transcript{output: o, ctx: ctx, cancel: cancel, opts: opts, left: -1}
	if opts.LimitBytes != nil {
		l.left = *opts.LimitBytes
	}
	if opts.SinceSeconds != nil {
		l.since = time.Now().Add(-time.Duration(*opts.SinceSeconds) * time.Second)
	}
	if opts.SinceTime != nil {
		l.since = opts.SinceTime.Time
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	l.end = o.first + len(o.lines)
	l.next = o.first
	if opts.TailLines != nil {
		l.next = max(l.next, l.end-int(min(*opts.TailLines, maxLog)))
	}
	return l
}

// transcript is an io.ReadCloser.
type transcript struct {
	output *output
	ctx    context.Context
	cancel func()
	opts   *corev1.PodLogOptions
	since  time.Time
	left   int64 // bytes to go; negative: no limit
	next   int   // the number of the line that comes next
	end    int   // a client that does not follow stops here
	within bool  // the last line had no end
	rest   []byte
}

// Read implements io.Reader.
func (l *transcript) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if l.left == 0 {
			return 0, io.EOF
		}
		next, err := l.nextLine()
		if err != nil {
			return 0, err
		}
		l.rest = l.form(next)
		if l.left >= 0 {
			l.rest = l.rest[:min(l.left, int64(len(l.rest)))]
			l.left -= int64(len(l.rest))
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// nextLine returns the next line, and waits for it if it is to follow.
func (l *transcript) nextLine() (line, error) {
	for {
		o := l.output
		o.mu.Lock()
		l.next = max(l.next, o.first)
		last, ended, changed := o.first+len(o.lines), o.ended, o.changed
		if l.next < last && (l.opts.Follow || l.next < l.end) {
			next := o.lines[l.next-o.first]
			l.next++
			o.mu.Unlock()
			return next, nil
		}
		o.mu.Unlock()
		if ended || !l.opts.Follow {
			return line{}, io.EOF
		}
		select {
		case <-changed:
		case <-l.ctx.Done():
			return line{}, l.ctx.Err()
		}
	}
}

// form returns a line as the log shows it, or nil if it is too old.
func (l *transcript) form(next line) []byte {
	stream := l.opts.Stream
	if next.at.Before(l.since) || stream != nil &&
		*stream != corev1.LogStreamAll && *stream != next.stream {
		return nil
	}
	text := next.text
	if l.opts.Timestamps && !l.within {
		text = fmt.Appendf(nil, "%s%s", next.at.UTC().Format(timestamp), text)
	}
	l.within = !bytes.HasSuffix(next.text, []byte("\n"))
	return text
}

// Close implements io.Closer.
func (l *transcript) Close() error {
	l.cancel()
	return nil
}
