package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/afero"

	"reconcile/internal/images/unix"
)

// finder is a find that runs.
type finder struct {
	ctx  context.Context
	p    *unix.Process
	min  int // how deep a file must be to be tested
	max  int
	acts bool // it does something else than to print
	left []string
	test test
	last []func() int // what it does when it has found all
}

// found is a file, and the name that it is found by.
type found struct {
	name, file string
	info       fs.FileInfo
}

// test reports whether further tests shall look at a file, and may act on it.
type test func(f found) bool

// find prints what is below directories and passes tests, or acts on it.
func find(ctx context.Context, p *unix.Process) int {
	args, roots := p.Args[1:], []string(nil)
	for len(args) > 0 && strings.IndexByte("-!", (args[0] + " ")[0]) < 0 {
		roots, args = append(roots, args[0]), args[1:]
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	f := &finder{ctx: ctx, p: p, max: 1 << 30, left: args}
	if err := f.parse(); err != nil {
		return complain(p, "%v", err)
	}
	code := 0
	for _, root := range roots {
		info, err := p.Box.Files.Lstat(p.Abs(root))
		if err == nil {
			err = f.walk(found{root, p.Abs(root), info}, 0)
		}
		if err != nil {
			code = complain(p, "%s: %s", root, unix.Reason(err))
		}
	}
	for _, act := range f.last {
		if act() != 0 {
			code = 1
		}
	}
	return code
}

// walk tests a file, and those below it if it is a directory.
func (f *finder) walk(at found, depth int) error {
	if f.ctx.Err() != nil {
		return nil
	}
	if depth >= f.min && f.test(at) && !f.acts {
		fmt.Fprintln(f.p.Stdout, at.name)
	}
	if !at.info.IsDir() || depth >= f.max {
		return nil
	}
	infos, err := afero.ReadDir(f.p.Box.Files, at.file)
	if err != nil {
		return err
	}
	for _, info := range infos {
		name := path.Base(info.Name())
		err := f.walk(found{strings.TrimSuffix(at.name, "/") + "/" + name,
			path.Join(at.file, name), info}, depth+1)
		if err != nil {
			return err
		}
	}
	return nil
}

// parse reads the tests and actions, all of which a file has to pass.
func (f *finder) parse() error {
	var all []test
	for len(f.left) > 0 {
		unless := f.left[0] == "!"
		if unless {
			f.left = f.left[1:]
		}
		one, err := f.primary()
		if err != nil {
			return err
		}
		all = append(all, func(at found) bool { return one(at) != unless })
	}
	f.test = func(at found) bool {
		return !slices.ContainsFunc(all, func(one test) bool { return !one(at) })
	}
	return nil
}

// primary reads one test or action.
func (f *finder) primary() (test, error) {
	if len(f.left) == 0 {
		return nil, errors.New("bare !")
	}
	name := f.left[0]
	f.left = f.left[1:]
	switch name {
	case "-print":
		f.acts = true
		return func(at found) bool {
			fmt.Fprintln(f.p.Stdout, at.name)
			return true
		}, nil
	case "-delete":
		f.acts = true
		return func(at found) bool { return f.p.Box.Files.Remove(at.file) == nil }, nil
	case "-exec":
		return f.exec()
	case "-name", "-type", "-mindepth", "-maxdepth":
	default:
		return nil, fmt.Errorf("unrecognized: %s", name)
	}
	if len(f.left) == 0 {
		return nil, fmt.Errorf("%s requires an argument", name)
	}
	value := f.left[0]
	f.left = f.left[1:]
	return f.about(name, value)
}

// about returns a test with a value.
func (f *finder) about(name, value string) (test, error) {
	switch name {
	case "-name":
		return func(at found) bool {
			ok, err := path.Match(value, path.Base(at.name))
			return ok && err == nil
		}, nil
	case "-type":
		return ofType(value)
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return nil, fmt.Errorf("invalid number '%s'", value)
	}
	if name == "-mindepth" {
		f.min = n
	} else {
		f.max = n
	}
	return func(found) bool { return true }, nil
}

func ofType(letter string) (test, error) {
	bits, known := map[string]fs.FileMode{
		"f": 0, "d": fs.ModeDir, "l": fs.ModeSymlink, "b": fs.ModeDevice,
		"c": fs.ModeCharDevice, "s": fs.ModeSocket, "p": fs.ModeNamedPipe,
	}[letter]
	if !known {
		return nil, fmt.Errorf("invalid argument '%s' to '-type'", letter)
	}
	return func(at found) bool { return at.info.Mode().Type() == bits }, nil
}

// exec reads -exec: a command for each file, up to a semicolon, or for all of
// them, up to a plus behind "{}".
func (f *finder) exec() (test, error) {
	end := slices.IndexFunc(f.left, func(arg string) bool { return arg == ";" || arg == "+" })
	if end < 1 {
		return nil, errors.New("-exec requires an argument")
	}
	command, all := f.left[:end], f.left[end] == "+"
	f.left, f.acts = f.left[end+1:], true
	if all {
		return f.execAll(command)
	}
	return func(at found) bool {
		var args []string
		for _, arg := range command {
			args = append(args, strings.ReplaceAll(arg, "{}", at.name))
		}
		return run(f.ctx, f.p, f.p.Child(args...)) == 0
	}, nil
}

// execAll has a command run at the end, with the names of all files behind it.
func (f *finder) execAll(command []string) (test, error) {
	last := len(command) - 1
	if last < 1 || command[last] != "{}" {
		return nil, errors.New("-exec ... + needs {} before the +")
	}
	args := slices.Clone(command[:last])
	f.last = append(f.last, func() int {
		if len(args) == last {
			return 0
		}
		return run(f.ctx, f.p, f.p.Child(args...))
	})
	return func(at found) bool {
		args = append(args, at.name)
		return true
	}, nil
}
