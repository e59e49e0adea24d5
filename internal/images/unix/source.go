package unix

import (
	"fmt"
	"io"
	"io/fs"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

// which prints what type and command -v say.
func (s *shell) which(hc interp.HandlerContext, how string, names []string) error {
	p := s.Child()
	p.Env, p.Dir = exported(hc.Env), hc.Dir
	var failed error
	for _, name := range names {
		file, err := p.Which(name)
		switch {
		case interp.IsBuiltin(name) && how == "-v":
			fmt.Fprintln(hc.Stdout, name)
		case interp.IsBuiltin(name):
			fmt.Fprintf(hc.Stdout, "%s is a shell builtin\n", name)
		case err == nil && how == "-v":
			fmt.Fprintln(hc.Stdout, file)
		case err == nil:
			fmt.Fprintf(hc.Stdout, "%s is %s\n", name, file)
		default:
			failed = s.unknown(hc, how, name)
		}
	}
	return failed
}

// unknown says that there is no command of a name.
func (s *shell) unknown(hc interp.HandlerContext, how, name string) error {
	switch {
	case how == "-v" && s.isBash():
		return interp.ExitStatus(1)
	case how == "-v":
		return interp.ExitStatus(127)
	case s.isBash():
		fmt.Fprintf(hc.Stderr, "%s: %s: not found\n", s.where(hc, "type"), name)
		return interp.ExitStatus(1)
	}
	fmt.Fprintf(hc.Stdout, "%s: not found\n", name)
	return interp.ExitStatus(127)
}

// sourced is the path at which a script that is to be sourced is opened.
const sourced = "/dev/.source"

// source returns a script that is to be sourced, translated.
func (s *shell) source(name string) (io.ReadWriteCloser, error) {
	if name == "/dev/null" {
		return device{strings.NewReader(""), io.Discard}, nil
	}
	file, err := s.Box.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := s.again(file)
	if err != nil {
		return nil, &fs.PathError{Op: "source", Path: name, Err: err}
	}
	return device{strings.NewReader(text), io.Discard}, nil
}

// eval returns the command that evaluates arguments, translated.
func (s *shell) eval(hc interp.HandlerContext, args []string) []string {
	text, err := s.again(strings.NewReader(strings.Join(args[1:], " ")))
	switch {
	case err == nil:
		return []string{"eval", text}
	case s.isBash():
		fmt.Fprintf(hc.Stderr, "%s: %v\n", s.where(hc, "eval"), err)
	default:
		text = strings.TrimLeft(err.Error(), "0123456789: ")
		s.giveUp(2, func() { fmt.Fprintf(hc.Stderr, "%s: %s\n", s.where(hc, "eval"), text) })
	}
	return []string{failed}
}

// dot returns the command that sources a script, if that is there.
func (s *shell) dot(hc interp.HandlerContext, args []string) []string {
	if len(args) == 1 {
		return args
	}
	_, err := s.Box.Files.Stat(Abs(hc.Dir, args[1]))
	if err == nil || args[1] == "/dev/null" {
		return append([]string{args[0], sourced + Abs(hc.Dir, args[1])}, args[2:]...)
	}
	switch s.dialect {
	case bash:
		fmt.Fprintf(hc.Stderr, "%s: %s\n", s.where(hc, args[1]), Reason(err))
	case ash:
		s.giveUp(2, func() {
			fmt.Fprintf(hc.Stderr, "%s: can't open '%s': %s\n", s.inBuiltin(hc, args[0]), args[1], Reason(err))
		})
	case dash:
		s.giveUp(2, func() { fmt.Fprintf(hc.Stderr, "%s: cannot open %s: No such file\n", s.where(hc, "."), args[1]) })
	}
	return []string{"false"}
}
