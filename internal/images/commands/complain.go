package commands

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"syscall"

	"reconcile/internal/images/unix"
)

// complain says what is wrong, and returns the exit code for it.
func complain(p *unix.Process, format string, args ...any) int {
	fmt.Fprintf(p.Stderr, "%s: %s\n",
		path.Base(p.Args[0]), fmt.Sprintf(format, args...))
	return 1
}

// open opens a file to be read; "-" is the standard input.
func open(p *unix.Process, name string) (io.ReadCloser, error) {
	if name == "-" || name == "/dev/stdin" {
		return io.NopCloser(p.Stdin), nil
	}
	if name == "/dev/null" {
		return io.NopCloser(strings.NewReader("")), nil
	}
	info, err := p.Box.Files.Stat(p.Abs(name))
	if err == nil && info.IsDir() {
		return nil, &os.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	}
	if err != nil {
		return nil, err
	}
	return p.Box.Files.Open(p.Abs(name))
}

// create opens a file to be written; "-" is the standard output.
func create(p *unix.Process, name string) (io.WriteCloser, error) {
	switch name {
	case "-", "/dev/stdout":
		return stays{p.Stdout}, nil
	case "/dev/null":
		return stays{io.Discard}, nil
	}
	return p.Box.Files.Create(p.Abs(name))
}

// stays is a writer that is not closed.
type stays struct{ io.Writer }

// Close implements io.Closer.
func (stays) Close() error { return nil }

// each calls f with each of these files, or with the standard input if names is
// empty. It returns 1 if one of them could not be opened.
func each(
	p *unix.Process, names []string, f func(name string, r io.Reader) error,
) int {
	if len(names) == 0 {
		names = []string{"-"}
	}
	code := 0
	for _, name := range names {
		r, err := open(p, name)
		if err != nil {
			code = complain(p, "%s: %s", name, unix.Reason(err))
			continue
		}
		err = f(name, r)
		r.Close()
		switch {
		case errors.Is(err, syscall.ENOSPC):
			return complain(p, "write error: %s", unix.Reason(err))
		case err != nil:
			return 1
		}
	}
	return code
}
