package commands

import (
	"context"
	"fmt"
	"path"
	"strings"
	"syscall"

	"reconcile/internal/images/unix"
)

// ln makes symbolic links. The files of a container have no others.
func ln(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "sfnv")
	switch {
	case err != nil:
		return complain(p, "%v", err)
	case len(o.args) == 0:
		return complain(p, "usage: ln [-sfnv] TARGET... LINK|DIR")
	case len(o.args) == 1:
		o.args = append(o.args, path.Base(o.args[0]))
	}
	targets, to := o.args[:len(o.args)-1], o.args[len(o.args)-1]
	into := isDir(p, to) && !(o.has('n') && isLink(p, to))
	code := 0
	for _, target := range targets {
		at := to
		if into {
			at = path.Join(to, path.Base(target))
		}
		if err := link(p, o, target, at); err != nil {
			code = complain(p, "%v", err)
		} else if o.has('v') {
			fmt.Fprintf(p.Stdout, "'%s' -> '%s'\n", at, target)
		}
	}
	return code
}

func link(p *unix.Process, o options, target, at string) error {
	files := p.Box.Files
	if !o.has('s') {
		if _, err := files.Lstat(p.Abs(target)); err != nil {
			return fmt.Errorf("%s: %s", target, unix.Reason(err))
		}
		return fmt.Errorf("%s: %s", at, unix.Reason(syscall.EPERM))
	}
	if _, err := files.Lstat(p.Abs(at)); err == nil && o.has('f') {
		if err := files.Remove(p.Abs(at)); err != nil {
			return fmt.Errorf("%s: %s", at, unix.Reason(err))
		}
	}
	if err := files.Symlink(target, p.Abs(at)); err != nil {
		return fmt.Errorf("%s: %s", at, unix.Reason(err))
	}
	return nil
}

func isLink(p *unix.Process, name string) bool {
	_, err := p.Box.Files.Readlink(p.Abs(name))
	return err == nil
}

// arrow returns what ls and others show behind the name of a link.
func arrow(p *unix.Process, name string) string {
	target, err := p.Box.Files.Readlink(p.Abs(strings.TrimSuffix(name, "/")))
	if err != nil {
		return ""
	}
	return " -> " + target
}
