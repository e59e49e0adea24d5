package unix

import (
	"context"
	"io"

	"mvdan.cc/sh/v3/interp"
)

// device returns a file that is none: one in which all that is written
// vanishes, or a stream of the process or of the box's first one. It returns
// nil for the name of a file.
func (s *shell) device(
	ctx context.Context, hc interp.HandlerContext, name string,
) io.ReadWriteCloser {
	switch name {
	case "/dev/null":
		return device{eof{}, io.Discard}
	case "/dev/zero":
		return device{io.LimitReader(zeros{}, s.Box.bound()), io.Discard}
	case "/dev/stdin":
		return device{s.reader(ctx, hc), io.Discard}
	case "/dev/stdout", "/proc/self/fd/1", "/dev/tty":
		return s.through(ctx, hc.Stdout)
	case "/dev/stderr", "/proc/self/fd/2":
		return s.through(ctx, hc.Stderr)
	}
	first := s.Box.Main()
	switch {
	case first == nil:
		return nil
	case name == "/proc/1/fd/1":
		return device{eof{}, first.Stdout}
	case name == "/proc/1/fd/2":
		return device{eof{}, first.Stderr}
	}
	return nil
}

// device is a file that is none.
type device struct {
	io.Reader
	io.Writer
}

// Close implements io.Closer.
func (device) Close() error { return nil }

type eof struct{}

// Read implements io.Reader.
func (eof) Read([]byte) (int, error) { return 0, io.EOF }

type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
