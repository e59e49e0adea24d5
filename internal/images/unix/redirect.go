package unix

import (
	"context"
	"errors"
	"io"
	"syscall"

	"mvdan.cc/sh/v3/interp"
)

// ownOutput is the path to which a command of a script first redirects its
// output. It stands for the same output, but a shell's builtin that writes to a
// pipe there doesn't wait outside of a bubble's time.
const ownOutput = "/dev/.output"

// output is a stream of a command's, behind ownOutput.
type output struct {
	io.Writer
	shell *shell
	file  pipeEnd // nil: it is no pipe
}

// through returns the output that writes to a stream.
func (s *shell) through(ctx context.Context, to io.Writer) *output {
	switch to := to.(type) {
	case *output:
		return to
	case pipeEnd:
		return &output{pipeWriter{to, newLook(ctx, s.PID)}, s, to}
	}
	return &output{to, s, nil}
}

// stream returns the stream behind an output.
func stream(to io.Writer) io.Writer {
	if out, ok := to.(*output); ok {
		return out.Writer
	}
	return to
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if o.file != nil && errors.Is(err, syscall.EPIPE) {
		o.shell.broken.Store(o.file, true)
	}
	return n, err
}

// Read implements io.Reader.
func (*output) Read([]byte) (int, error) { return 0, io.EOF }

// Close implements io.Closer.
func (*output) Close() error { return nil }

// isBroken reports whether a stream is a pipe that a shell has written to when
// its reader was gone. It says so once, which ends the shell.
func (s *shell) isBroken(to io.Writer) bool {
	out, ok := to.(*output)
	if !ok || out.file == nil {
		return false
	}
	_, broken := s.broken.LoadAndDelete(out.file)
	return broken
}

// reader returns a reader of a command's input.
func (s *shell) reader(ctx context.Context, hc interp.HandlerContext) io.Reader {
	in := s.input(hc)
	file, pipe := in.(pipeEnd)
	if !pipe {
		return in
	}
	return pipeReader{file, newLook(ctx, s.PID)}
}

// fed is the file of a redirection from a file. The interpreter copies it into
// a pipe, and hands the pipe over.
type fed struct {
	io.ReadWriteCloser
	look *look
	end  context.CancelFunc
}

// feed returns a file that is about to be copied into a pipe, until it is
// closed.
func (s *shell) feed(ctx context.Context, from io.ReadWriteCloser) *fed {
	ctx, end := context.WithCancel(ctx)
	return &fed{from, newLook(ctx, s.PID), end}
}

// WriteTo implements io.WriterTo, which copying prefers.
func (f *fed) WriteTo(w io.Writer) (int64, error) {
	if pipe, ok := w.(pipeEnd); ok {
		w = pipeWriter{pipe, f.look}
	}
	return io.Copy(w, struct{ io.Reader }{f.ReadWriteCloser})
}

// Close implements io.Closer.
func (f *fed) Close() error {
	f.end()
	return f.ReadWriteCloser.Close()
}
