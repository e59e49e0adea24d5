package unix

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

// assignment is how the interpreter traces one: as every shell does.
var assignment = regexp.MustCompile(`^\+ \w+\+?=`)

// between is a value that is traced between quotes. Dash has none.
var between = regexp.MustCompile(`='([^']*)'`)

// hear gets a line that the interpreter traces. It quotes all arguments of a call as
// one; so calls are traced here, when they come.
func (e *errorStream) hear(said string) error {
	switch {
	case assignment.MatchString(said), strings.HasPrefix(said, "+ for ") && e.shell.isBash():
		said = strings.Replace(said, "=''\n", "=\n", 1)
		if e.shell.dialect == dash {
			said = between.ReplaceAllString(said, "=$1")
		}
		_, err := io.WriteString(e.device, e.shell.prompted(said[2:]))
		return err
	case strings.HasPrefix(said, "+ for "):
		return nil // that is bash's alone
	}
	e.trace = true
	return nil
}

// prompted returns a line of a trace with what stands before it.
func (s *shell) prompted(line string) string {
	return cmp.Or(s.Getenv("PS4"), "+ ") + line
}

// traced traces a call, if the shell is to.
func (s *shell) traced(hc interp.HandlerContext, args []string) {
	stream, ok := hc.Stderr.(*errorStream)
	if !ok || !stream.trace {
		return
	}
	stream.trace = false
	before := cmp.Or(hc.Env.Get("PS4").String(), "+ ")
	switch args[0] {
	case cats:
		return // $(<file)
	case tracing:
		fmt.Fprintln(stream.device, before+strings.Join(args[1:], " "))
		return
	case readPiped, lenient:
		return // nobody wrote that
	case counted:
		args = append([]string{"shift"}, args[2:]...)
	case absentName:
		args = args[1:]
	}
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = s.shown(arg)
	}
	fmt.Fprintln(stream.device, before+strings.Join(words, " "))
}

var (
	plainInBash = regexp.MustCompile(`^[\w@%+=:,./-]+$`)
	plainInAsh  = regexp.MustCompile(`^[\w@%+:,./\]-]+$`)
)

// shown returns a word as a trace has it.
func (s *shell) shown(word string) string {
	switch {
	case s.dialect == dash, s.dialect == ash && word == "",
		s.isBash() && plainInBash.MatchString(word),
		s.dialect == ash && plainInAsh.MatchString(word) && word != "in":
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
