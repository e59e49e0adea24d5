package commands

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"reconcile/internal/images/unix"
)

// gzipCommand runs gzip, gunzip and zcat.
func gzipCommand(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "cdkf123456789")
	if err != nil {
		return complain(p, "%v", err)
	}
	called := path.Base(p.Args[0])
	open, show := o.has('d') || called != "gzip", o.has('c') || called == "zcat"
	if len(o.args) == 0 {
		o.args = []string{"-"}
	}
	code := 0
	for _, name := range o.args {
		if err := zip(p, o, name, open, show || name == "-"); err != nil {
			code = complain(p, "%v", err)
		}
	}
	return code
}

// zip compresses a file, or uncompresses it, and puts the result in its place or
// shows it.
func zip(p *unix.Process, o options, name string, unzip, show bool) error {
	in, err := open(p, name)
	if err != nil {
		return fmt.Errorf("%s: %s", name, unix.Reason(err))
	}
	defer in.Close()
	if show {
		return zipTo(p.Stdout, in, unzip)
	}
	to, zipped := strings.CutSuffix(name, ".gz")
	switch {
	case unzip && !zipped:
		return fmt.Errorf("%s: unknown suffix - ignored", name)
	case !unzip:
		to = name + ".gz"
	}
	if _, err := p.Box.Files.Lstat(p.Abs(to)); err == nil && !o.has('f') {
		return fmt.Errorf("can't open '%s': File exists", to)
	}
	out, err := p.Box.Files.Create(p.Abs(to))
	if err != nil {
		return fmt.Errorf("can't open '%s': %s", to, unix.Reason(err))
	}
	err = errors.Join(zipTo(out, in, unzip), out.Close())
	if err != nil {
		return errors.Join(err, p.Box.Files.Remove(p.Abs(to)))
	}
	if o.has('k') {
		return nil
	}
	if err := p.Box.Files.Remove(p.Abs(name)); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("can't remove '%s': %s", name, unix.Reason(err))
	}
	return nil
}

func zipTo(out io.Writer, in io.Reader, unzip bool) error {
	if !unzip {
		w := gzip.NewWriter(out)
		_, err := io.Copy(w, in)
		return errors.Join(err, w.Close())
	}
	r, err := gzip.NewReader(in)
	if err != nil {
		return errors.New("invalid magic")
	}
	if _, err := io.Copy(out, r); err != nil {
		return errors.New("corrupted data")
	}
	return nil
}
