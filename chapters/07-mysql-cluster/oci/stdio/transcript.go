//go:build linux

package stdio

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Reader returns what was printed as opts want it, until it is closed, ctx ends,
// or there is no more.
func (l *Log) Reader(
	ctx context.Context, opts *corev1.PodLogOptions,
) io.ReadCloser {
	ctx, cancel := context.WithCancel(ctx)
	reader, writer := io.Pipe()
	t := &transcript{
		log: l, opts: opts, since: sinceOf(opts),
		to: limited(writer, opts),
	}
	go func() { writer.CloseWithError(t.copy(ctx)) }() // nil is io.EOF
	return &logReader{reader, cancel}
}

// logReader is a transcript as it is read.
type logReader struct {
	*io.PipeReader
	cancel func()
}

// Close implements io.Closer.
func (r *logReader) Close() error {
	r.cancel()
	return r.PipeReader.Close()
}

// limited lets through as many bytes as opts want, and then ends.
func limited(w io.Writer, opts *corev1.PodLogOptions) io.Writer {
	if opts.LimitBytes == nil {
		return w
	}
	return &limitWriter{w, *opts.LimitBytes}
}

type limitWriter struct {
	io.Writer
	left int64
}

// Write implements io.Writer.
func (l *limitWriter) Write(text []byte) (int, error) {
	n, err := l.Writer.Write(text[:min(l.left, int64(len(text)))])
	if l.left -= int64(n); err == nil && l.left == 0 {
		err = io.EOF
	}
	return n, err
}

// transcript copies a log as kubectl wants to see it.
type transcript struct {
	log    *Log
	opts   *corev1.PodLogOptions
	since  time.Time
	to     io.Writer
	within bool // the last line had no end

	file   *os.File // what was read last of the log, and how far
	number int
	offset int64
}

// copy copies what there is, or the end of it, and then what comes.
func (t *transcript) copy(ctx context.Context) error {
	defer func() { t.file.Close() }()
	lines, changed, err := t.read()
	if tail := t.opts.TailLines; tail != nil {
		lines = lines[max(0, int64(len(lines))-*tail):]
	}
	for {
		for _, line := range lines {
			if err := t.show(line); err != nil {
				return err
			}
		}
		if err != nil || changed == nil || !t.opts.Follow {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
		lines, changed, err = t.read()
	}
}

// read returns the lines that are new, and what is closed when there are others;
// nil: there will be none.
func (t *transcript) read() (lines []string, changed <-chan struct{}, err error) {
	l := t.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		changed = l.changed
	}
	if t.file != nil && t.number != l.number {
		lines, err = t.rest()
	}
	if err == nil && (t.file == nil || t.number != l.number) {
		t.file.Close()
		t.file, err = os.Open(l.Path)
		t.number, t.offset = l.number, 0
	}
	if err == nil {
		var more []string
		more, err = t.rest()
		lines = append(lines, more...)
	}
	return lines, changed, err
}

// rest returns the lines of the file that have not been read.
func (t *transcript) rest() ([]string, error) {
	text, err := io.ReadAll(io.NewSectionReader(t.file, t.offset, 2*maxLogFile))
	t.offset += int64(len(text))
	return slices.Collect(strings.Lines(string(text))), err
}

// show writes one line, if it is wanted.
func (t *transcript) show(line string) error {
	at, rest, _ := strings.Cut(line, " ")
	stream, rest, _ := strings.Cut(rest, " ")
	tag, text, _ := strings.Cut(rest, " ")
	when, err := time.Parse(logTime, at)
	wanted := t.opts.Stream
	if err != nil || when.Before(t.since) || wanted != nil &&
		*wanted != corev1.LogStreamAll && *wanted != stream {
		return err
	}
	if t.opts.Timestamps && !t.within {
		text = at + " " + text
	}
	if t.within = tag == "P"; t.within {
		text = strings.TrimSuffix(text, "\n")
	}
	_, err = io.WriteString(t.to, text)
	return err
}

// sinceOf returns from when on opts want to see a log.
func sinceOf(opts *corev1.PodLogOptions) (since time.Time) {
	if ago := opts.SinceSeconds; ago != nil {
		since = time.Now().Add(-time.Duration(*ago) * time.Second)
	}
	if opts.SinceTime != nil {
		since = opts.SinceTime.Time
	}
	return since
}
