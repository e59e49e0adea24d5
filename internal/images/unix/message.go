package unix

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
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
	case errors.Is(err, ErrPermission) && s.isBash() && s.isDir(hc, command):
		fmt.Fprintf(hc.Stderr, "%s: Is a directory\n", s.where(hc, command))
		return 126
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

func (s *shell) isDir(hc interp.HandlerContext, name string) bool {
	info, err := s.Box.Files.Stat(Abs(hc.Dir, name))
	return err == nil && info.IsDir()
}

// where returns the beginning of an error message.
func (s *shell) where(hc interp.HandlerContext, command string) string {
	switch {
	case s.isBash() && s.Terminal == nil:
		return fmt.Sprintf("%s: line %s: %s", s.name, line(hc), command)
	case s.dialect == dash:
		return fmt.Sprintf("%s: %s: %s", s.name, line(hc), command)
	}
	return s.name + ": " + command
}

// inBuiltin returns the beginning of an error message of a builtin's. Ash's have a line
// in it, if nobody types.
func (s *shell) inBuiltin(hc interp.HandlerContext, command string) string {
	if s.dialect == ash && s.Terminal == nil {
		return fmt.Sprintf("%s: line %d", s.where(hc, command), hc.Pos.Line()-s.before)
	}
	return s.where(hc, command)
}

// line returns the line of a call, also of its redirections, whose place is unknown.
func line(hc interp.HandlerContext) string {
	if stream, ok := hc.Stderr.(*errorStream); ok && hc.Pos.Line() == 0 {
		return stream.line
	}
	return strconv.Itoa(int(hc.Pos.Line()))
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
	if s.dialect == dash {
		fmt.Fprintf(hc.Stderr, "%s: can't cd to %s\n", s.where(hc, "cd"), to)
		return []string{failed}
	}
	fmt.Fprintf(hc.Stderr, "%s: can't cd to %s: %s\n", s.inBuiltin(hc, "cd"), to, Reason(err))
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
	line  string      // of the script
	begun atomic.Bool // the command is: it says what follows
	trace bool        // the call that follows is to be traced

	before, clause string // a line of a trace; the loop or choice that is traced
}

// beneath returns a standard error without what listens to another command's.
func beneath(stderr io.Writer) io.Writer {
	if before, ok := stderr.(*errorStream); ok {
		return before.Writer
	}
	return stderr
}

// Write implements io.Writer. An error of the interpreter's is put in the shell's
// words, and ends the script, or the line.
func (e *errorStream) Write(p []byte) (int, error) {
	said, s := string(p), e.shell
	switch {
	case strings.HasPrefix(said, "+ "):
		return len(p), e.hear(said)
	case e.begun.Load() && badOption.MatchString(said):
		return len(p), e.say(badOption.ReplaceAllString(said, s.say("illegal option -- $1", "Illegal option -$1", "Illegal option -$1")))
	case e.begun.Load() || strings.HasPrefix(said, s.name+": "):
		return e.device.Write(p)
	}
	code := int32(2)
	switch {
	case s.isBash() && endsAs127.MatchString(said) && !strings.Contains(said, "readonly"):
		code = 127
	case s.isBash():
		code = 1
	}
	var err error
	say := func() {
		said = strings.TrimPrefix(said, never+": ")
		_, err = fmt.Fprintf(e.device, "%s%s", s.at(e.line), words[s.dialect].Replace(said))
	}
	if isInner(e.Writer) {
		say() // it ends alone, by itself
	} else {
		s.giveUp(code, say)
	}
	return len(p), err
}

// endsAs127 are the errors with which bash ends a script of -c as if it had not found
// a command.
var endsAs127 = regexp.MustCompile(`: unbound variable\n|^\w+: [^:]*\n$`)

// badOption is what the interpreter's getopts says.
var badOption = regexp.MustCompile(`illegal option -- "(.)"`)

func (e *errorStream) say(text string) error {
	_, err := io.WriteString(e.device, text)
	return err
}

// at returns what a complaint of a shell's begins with.
func (s *shell) at(line string) string {
	return s.say(s.name+": line "+line+": ", s.name+": ", s.name+": "+line+": ")
}

// giveUp ends the script, or the line, when it has said why, which it does once: of
// several processes of the shell's the first says it.
func (s *shell) giveUp(code int32, say func()) {
	said := make(chan struct{})
	if s.wrong.CompareAndSwap(nil, &said) {
		s.given.Store(code)
		say()
		close(said)
	} else if first := s.wrong.Load(); first != nil {
		select {
		case <-*first:
		default:
			return // the first ends it
		}
	}
	if end := s.end.Load(); end != nil {
		(*end)()
	}
}

// words are those in which each shell says what the interpreter says.
var words = [...]*strings.Replacer{
	bash: strings.NewReplacer(),
	ash: strings.NewReplacer(
		"division by zero\n", "divide by zero\n",
		": readonly variable\n", ": is read only\n",
		": unbound variable\n", ": parameter not set\n",
	),
	dash: strings.NewReplacer(
		"division by zero\n", "arithmetic expression: division by zero\n",
		": readonly variable\n", ": is read only\n",
		": unbound variable\n", ": parameter not set\n",
	),
}

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
	if s.dialect == dash {
		return s.notOpenedByDash(hc, name, flag, number, text)
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

func (s *shell) notOpenedByDash(
	hc interp.HandlerContext, name string, flag int, number syscall.Errno, text string,
) error {
	s.unopened.Store(true)
	op := "cannot open"
	if flag != os.O_RDONLY {
		op = "cannot create"
	}
	switch {
	case number == syscall.ENOENT && flag == os.O_RDONLY:
		text = "No such file"
	case number == syscall.ENOENT:
		text = "Directory nonexistent"
	}
	return &fs.PathError{Op: s.where(hc, op), Path: name, Err: errors.New(text)}
}
