package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"strings"

	"reconcile/internal/images/unix"
)

var errOperand = errors.New("extra operand")

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func basename(_ context.Context, p *unix.Process) int {
	if len(p.Args) < 2 {
		return complain(p, "missing operand")
	}
	name := path.Base(p.Args[1])
	if len(p.Args) > 2 && name != p.Args[2] {
		name = strings.TrimSuffix(name, p.Args[2])
	}
	fmt.Fprintln(p.Stdout, name)
	return 0
}

func dirname(_ context.Context, p *unix.Process) int {
	if len(p.Args) < 2 {
		return complain(p, "missing operand")
	}
	fmt.Fprintln(p.Stdout, path.Dir(p.Args[1]))
	return 0
}

func readlink(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "f")
	if err != nil || len(o.args) != 1 {
		return complain(p, "%v", firstOf(err, errOperand))
	}
	to, err := p.Box.Files.Readlink(p.Abs(o.args[0]))
	if o.has('f') {
		to, err = p.Box.Files.Real(p.Abs(o.args[0]))
	}
	if err != nil {
		return 1
	}
	fmt.Fprintln(p.Stdout, to)
	return 0
}

// mktemp makes a file, or a folder with -d, whose name nobody has.
func mktemp(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "dp:t")
	if err != nil {
		return complain(p, "%v", err)
	}
	template := path.Join(o.value('p', "/tmp"), "tmp.XXXXXXXXXX")
	if len(o.args) > 0 {
		template = o.args[0]
	}
	stem := strings.TrimRight(template, "X")
	if len(template)-len(stem) < 3 {
		return complain(p, "too few X's in template '%s'", template)
	}
	for range 100 {
		name := stem
		for len(name) < len(template) {
			const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			name += string(letters[rand.IntN(len(letters))])
		}
		make := func() error {
			f, err := p.Box.Files.OpenFile(p.Abs(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if err == nil {
				err = f.Close()
			}
			return err
		}
		if o.has('d') {
			make = func() error { return p.Box.Files.Mkdir(p.Abs(name), 0o700) }
		}
		if err = make(); err == nil {
			fmt.Fprintln(p.Stdout, name)
			return 0
		}
		if !os.IsExist(err) {
			break
		}
	}
	return complain(p, "failed to create file via template '%s': %s", template, unix.Reason(err))
}

func tee(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "a")
	if err != nil {
		return complain(p, "%v", err)
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if o.has('a') {
		flags = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	all, code := []io.Writer{p.Stdout}, 0
	for _, name := range o.args {
		f, err := p.Box.Files.OpenFile(p.Abs(name), flags, 0o644)
		if err != nil {
			code = complain(p, "%s: %s", name, unix.Reason(err))
			continue
		}
		defer f.Close()
		all = append(all, f)
	}
	if _, err := io.Copy(io.MultiWriter(all...), p.Stdin); err != nil {
		return 1
	}
	return code
}
