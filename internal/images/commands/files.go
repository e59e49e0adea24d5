package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"reconcile/internal/images/unix"
)

func touch(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "c")
	if err != nil {
		return complain(p, "%v", err)
	}
	code := 0
	for _, name := range o.args {
		err := p.Box.Files.Chtimes(p.Abs(name), time.Now(), time.Now())
		if os.IsNotExist(err) && !o.has('c') {
			err = appear(p, name)
		}
		if err != nil && !os.IsNotExist(err) {
			code = complain(p, "%s: %s", name, unix.Reason(err))
		}
	}
	return code
}

// appear makes an empty file. A file that another process has made meanwhile
// stays as it is.
func appear(p *unix.Process, name string) error {
	f, err := p.Box.Files.OpenFile(p.Abs(name), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

func mkdir(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "pm:")
	if err != nil {
		return complain(p, "%v", err)
	}
	code := 0
	for _, name := range o.args {
		make := p.Box.Files.Mkdir
		if o.has('p') {
			make = p.Box.Files.MkdirAll
		}
		if err := make(p.Abs(name), 0o755); err != nil {
			code = complain(p, "can't create directory '%s': %s", name, unix.Reason(err))
		}
	}
	return code
}

func isDir(p *unix.Process, name string) bool {
	info, err := p.Box.Files.Stat(p.Abs(name))
	return err == nil && info.IsDir()
}

func rm(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "rRf")
	if err != nil {
		return complain(p, "%v", err)
	}
	code := 0
	for _, name := range o.args {
		remove := p.Box.Files.Remove
		info, err := p.Box.Files.Lstat(p.Abs(name))
		switch {
		case err != nil && o.has('f'):
			continue
		case err == nil && info.IsDir() && !o.has('r') && !o.has('R'):
			code = complain(p, "'%s' is a directory", name)
			continue
		case err == nil && info.IsDir():
			remove = p.Box.Files.RemoveAll
		}
		if err == nil {
			err = remove(p.Abs(name))
		}
		if err != nil {
			code = complain(p, "can't remove '%s': %s", name, unix.Reason(err))
		}
	}
	return code
}

func cp(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "rRadPfpv")
	if err != nil {
		return complain(p, "%v", err)
	}
	recursive := o.has('r') || o.has('R') || o.has('a')
	links := recursive || o.has('d') || o.has('P')
	return transfer(p, "copy", o, func(from, to string) error {
		if isDir(p, from) && !recursive {
			return fmt.Errorf("omitting directory '%s'", from)
		}
		if leadsInto(p, to, from) {
			return errors.New("it would be copied into itself")
		}
		from = p.Abs(from)
		if !links {
			if from, err = p.Box.Files.Real(from); err != nil {
				return err
			}
		}
		return copyTree(p.Box.Files, from, p.Abs(to))
	})
}

func mv(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "fv")
	if err != nil {
		return complain(p, "%v", err)
	}
	files := p.Box.Files
	return transfer(p, "rename", o, func(from, to string) error {
		if _, err := files.Lstat(p.Abs(from)); err != nil {
			return err
		}
		err := files.Rename(p.Abs(from), p.Abs(to))
		if err == nil || errors.Is(err, syscall.EINVAL) {
			return err
		}
		if err := copyTree(files, p.Abs(from), p.Abs(to)); err != nil {
			return err
		}
		return files.RemoveAll(p.Abs(from))
	})
}

// leadsInto reports whether a name leads to a directory or to something in it,
// whichever links are on the way.
func leadsInto(p *unix.Process, name, dir string) bool {
	if isLink(p, dir) {
		return false // which is copied or followed, and has nothing in it
	}
	dir, err := p.Box.Files.Real(p.Abs(dir))
	if err != nil {
		return false
	}
	name, err = p.Box.Files.Real(p.Abs(name))
	return err == nil &&
		strings.HasPrefix(name+"/", strings.TrimSuffix(dir, "/")+"/")
}

// transfer calls f for each argument but the last, which is where they go, and
// with -v says so.
func transfer(
	p *unix.Process, verb string, o options, f func(from, to string) error,
) int {
	args := o.args
	if len(args) < 2 {
		return complain(p, "missing file operand")
	}
	last := args[len(args)-1]
	into := isDir(p, last)
	if len(args) > 2 && !into {
		return complain(p, "target '%s' is not a directory", last)
	}
	code := 0
	for _, from := range args[:len(args)-1] {
		to := last
		if into {
			to = path.Join(last, path.Base(from))
		}
		if err := f(from, to); err != nil {
			code = complain(p, "can't %s '%s': %s", verb, from, unix.Reason(err))
		} else if o.has('v') {
			fmt.Fprintf(p.Stdout, "'%s' -> '%s'\n", from, to)
		}
	}
	return code
}

// copyTree copies a file or a link, or a directory with all that is in it.
func copyTree(files *unix.Files, from, to string) error {
	info, err := files.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		return copyLink(files, from, to)
	}
	if !info.IsDir() {
		return copyFile(files, from, to, info.Mode())
	}
	if err := files.MkdirAll(to, info.Mode()); err != nil {
		return err
	}
	inside, err := afero.ReadDir(files, from)
	if err != nil {
		return err
	}
	for _, entry := range inside {
		err := copyTree(files, path.Join(from, entry.Name()), path.Join(to, entry.Name()))
		if err != nil {
			return err
		}
	}
	return nil
}

// copyLink copies a link to the name to, in place of whatever was there.
func copyLink(files *unix.Files, from, to string) error {
	target, err := files.Readlink(from)
	if err != nil {
		return err
	}
	if err := files.Remove(to); err != nil && !os.IsNotExist(err) {
		return err
	}
	return files.Symlink(target, to)
}

func copyFile(files afero.Fs, from, to string, mode os.FileMode) error {
	in, err := files.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := files.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

func chmod(_ context.Context, p *unix.Process) int {
	if len(p.Args) < 3 {
		return complain(p, "usage: chmod MODE FILE...")
	}
	code := 0
	for _, name := range p.Args[2:] {
		info, err := p.Box.Files.Stat(p.Abs(name))
		if err != nil {
			code = complain(p, "%s: %s", name, unix.Reason(err))
			continue
		}
		mode, err := modeOf(p.Args[1], info.Mode())
		if err == nil {
			err = p.Box.Files.Chmod(p.Abs(name), mode)
		}
		if err != nil {
			code = complain(p, "%s: %s", name, unix.Reason(err))
		}
	}
	return code
}

// modeOf reads a mode: octal, or +x and its like for all users.
func modeOf(text string, now os.FileMode) (os.FileMode, error) {
	if octal, err := strconv.ParseUint(text, 8, 12); err == nil {
		return os.FileMode(octal), nil
	}
	for len(text) > 0 && (text[0] == 'a' || text[0] == 'u' || text[0] == 'g' || text[0] == 'o') {
		text = text[1:]
	}
	var bits os.FileMode
	for _, c := range text[min(1, len(text)):] {
		bits |= map[rune]os.FileMode{'r': 0o444, 'w': 0o200, 'x': 0o111}[c]
	}
	switch {
	case len(text) > 1 && text[0] == '+':
		return now | bits, nil
	case len(text) > 1 && text[0] == '-':
		return now &^ bits, nil
	}
	return 0, fmt.Errorf("invalid mode '%s'", text)
}
