package unix

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// assignment is how the interpreter traces one: as every shell does.
var assignment = regexp.MustCompile(`^\+ \w+\+?=`)

// between is a value that is traced between quotes. Dash has none.
var between = regexp.MustCompile(`='([^']*)'`)

// hear gets a line that the interpreter traces. It quotes all arguments of a call as
// one; so calls are traced here, when they come.
func (e *errorStream) hear(said string) error {
	switch {
	case strings.HasPrefix(said, "+ "+keeps):
		return nil
	case assignment.MatchString(said):
		said = strings.Replace(said, "=''\n", "=\n", 1)
		if e.shell.dialect == dash {
			said = between.ReplaceAllString(said, "=$1")
		}
		return e.say(e.before + said[2:])
	case e.clause != "" && e.shell.isBash():
		return e.say(e.before + e.clause + "\n")
	case e.clause != "":
		return nil // that is bash's alone
	}
	e.trace = true
	return nil
}

// nests is the path to which commands of a substitution first redirect their standard
// error, so that they are traced with one + more, as bash does.
const nests = "/dev/.nest"

// nested is the standard error of a command substitution.
type nested struct {
	device
	depth int
}

func (s *shell) nest(ctx context.Context, hc interp.HandlerContext, deeper int) *nested {
	err := beneath(hc.Stderr)
	return &nested{device{eof{}, s.through(ctx, err).Writer}, depth(err) + deeper}
}

// inner is the same for a subshell, ( a ).
const inner = "/dev/.inner"

// within returns statements whose errors first go to a path.
func within(path string, at syntax.Pos, stmts []*syntax.Stmt) []*syntax.Stmt {
	return []*syntax.Stmt{{
		Position: at, Cmd: &syntax.Block{Stmts: stmts}, Redirs: []*syntax.Redirect{to("2", path)},
	}}
}

// isInner reports whether a standard error is that of a shell of its own, in another.
func isInner(err io.Writer) bool {
	switch err := err.(type) {
	case *output:
		return isInner(err.Writer)
	case *nested, *forked, posted, right:
		return true
	}
	return false
}

// depth returns how many command substitutions a standard error is in.
func depth(err io.Writer) int {
	switch err := err.(type) {
	case *nested:
		return err.depth
	case *output:
		return depth(err.Writer)
	case *forked:
		return depth(err.Writer)
	case posted:
		return depth(err.Writer)
	case right:
		return depth(err.Writer)
	}
	return 0
}

// asNested makes a command substitution known as a shell of its own, which bash traces
// as one.
func (t *translation) asNested(in *syntax.CmdSubst) {
	if len(in.Stmts) == 0 {
		return
	}
	in.Stmts = within(t.say(nests, inner, inner), in.Pos(), in.Stmts)
}

// prompt returns what stands before a line of a trace.
func (e *errorStream) prompt(hc interp.HandlerContext) string {
	prompt := cmp.Or(hc.Env.Get("PS4").String(), "+ ")
	return strings.Repeat(prompt[:1], depth(e.Writer)) + prompt
}

// traced traces a call, if the shell is to.
func (s *shell) traced(hc interp.HandlerContext, args []string) {
	stream, ok := hc.Stderr.(*errorStream)
	if !ok || !stream.trace {
		return
	}
	stream.trace = false
	switch args[0] {
	case cats:
		return // $(<file)
	case tracing:
		for i := range args {
			args[i] = cmp.Or(args[i], "''")
		}
		fmt.Fprintln(stream.device, stream.before+strings.Join(args[1:], " "))
		return
	case readPiped, lenient, ended:
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
	fmt.Fprintln(stream.device, stream.before+strings.Join(words, " "))
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
