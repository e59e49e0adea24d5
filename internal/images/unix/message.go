package unix

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"syscall"

	"mvdan.cc/sh/v3/interp"
)

// result returns the exit code of a command, also of one that did not run.
func (s *shell) result(
	hc interp.HandlerContext, command string, code int, err error,
) int {
	switch {
	case errors.Is(err, ErrPermission):
		fmt.Fprintf(hc.Stderr, "%s: Permission denied\n", s.where(hc, command))
		return 126
	case err != nil && s.isBash():
		fmt.Fprintf(hc.Stderr, "%s: command not found\n", s.where(hc, command))
		return 127
	case err != nil:
		fmt.Fprintf(hc.Stderr, "%s: not found\n", s.where(hc, command))
		return 127
	}
	return code
}

// where returns the beginning of an error message.
func (s *shell) where(hc interp.HandlerContext, command string) string {
	if s.isBash() && s.Terminal == nil {
		return fmt.Sprintf("bash: line %d: %s", hc.Pos.Line(), command)
	}
	return s.name + ": " + command
}

// cd returns the rest of the builtin for the interpreter, which by itself would
// say in its own words that a directory does not exist.
func (s *shell) cd(hc interp.HandlerContext, args []string) []string {
	for len(args) > 1 && (args[1] == "-L" || args[1] == "-P") {
		args = args[1:]
	}
	to := hc.Env.Get("HOME").String()
	if len(args) > 1 {
		to = args[1]
	}
	switch {
	case to == "":
		return []string{"true"}
	case to == "-" && hc.Env.Get("OLDPWD").String() == "":
		return []string{"pwd"}
	case to == "-":
		return []string{"cd", "-"}
	}
	info, err := s.Box.Files.Stat(Abs(hc.Dir, to))
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err == nil {
		return []string{"cd", to}
	}
	if s.isBash() {
		fmt.Fprintf(hc.Stderr, "%s: %s: %s\n", s.where(hc, "cd"), to, Reason(err))
		return []string{"false"}
	}
	line := ""
	if s.Terminal == nil {
		line = fmt.Sprintf("line %d: ", hc.Pos.Line()-s.before)
	}
	fmt.Fprintf(hc.Stderr, "%s: %scan't cd to %s: %s\n",
		s.where(hc, "cd"), line, to, Reason(err))
	return []string{failed}
}

// Reason returns an error of the files' in the C library's words.
func Reason(err error) string {
	var number syscall.Errno
	if !errors.As(err, &number) {
		return err.Error()
	}
	text := number.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// errorStream is the standard error of a command. Before that begins, the
// interpreter says here what is wrong with its words.
type errorStream struct {
	device
	shell *shell
	begun atomic.Bool // the command is: it says what follows
}

// beneath returns a standard error without what listens to another command's.
func beneath(stderr io.Writer) io.Writer {
	if before, ok := stderr.(*errorStream); ok {
		return before.Writer
	}
	return stderr
}

// Write implements io.Writer. An error of the interpreter's is put in ash's
// words, and ends the script, or the line. (In ash a subshell would end alone.)
func (e *errorStream) Write(p []byte) (int, error) {
	said, name := string(p), e.shell.name
	if e.begun.Load() || e.shell.isBash() || strings.HasPrefix(said, "+") ||
		strings.HasPrefix(said, name+": ") {
		return e.device.Write(p)
	}
	var err error
	e.shell.giveUp(func() {
		_, err = fmt.Fprintf(e.device, "%s: %s", name, inAsh.Replace(said))
	})
	return len(p), err
}

// giveUp ends the script, or the line, when it has said why, which it does once.
func (s *shell) giveUp(say func()) {
	if !s.wrong.Swap(true) {
		say()
	}
	if end := s.end.Load(); end != nil {
		(*end)()
	}
}

var inAsh = strings.NewReplacer(
	"division by zero\n", "divide by zero\n",
	": readonly variable\n", ": is read only\n",
	": unbound variable\n", ": parameter not set\n",
)

// notOpened returns an error of a redirection in the shell's words.
func (s *shell) notOpened(
	hc interp.HandlerContext, name string, flag int, err error,
) error {
	var number syscall.Errno
	if !errors.As(err, &number) {
		return err
	}
	text := Reason(err)
	if s.isBash() {
		return &fs.PathError{Op: strings.TrimSpace(s.where(hc, "")),
			Path: name, Err: errors.New(text)}
	}
	op := "can't open"
	if flag != os.O_RDONLY {
		op = "can't create"
	}
	switch {
	case number == syscall.ENOENT && flag == os.O_RDONLY:
		text = "no such file"
	case number == syscall.ENOENT:
		text = "nonexistent directory"
	}
	return &fs.PathError{Op: s.name + ": " + op, Path: name, Err: errors.New(text)}
}
