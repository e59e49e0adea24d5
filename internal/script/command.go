package script

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Command is a line that a user types.
type Command struct {
	Args       []string // behind the word kubectl
	Background bool     // "&" behind it
	Job        int      // its number among those in the background, from 1
	Input      string   // "<<< text"
	To         string   // "> FILE"; "": the terminal
	Then       *Command // "&& kubectl …": typed with it, run if it succeeds
}

// Does returns what kubectl is to do: get, delete; "" if it is not told.
func (c *Command) Does() string {
	if len(c.Args) == 0 {
		return ""
	}
	return c.Args[0]
}

var errGrammar = errors.New(`a command is kubectl with its arguments, then perhaps ` +
	`"<<< input", "> FILE", and "&" or "&& kubectl …"`)

// parseCommand reads what stands behind "$ ".
func parseCommand(text string) (*Command, error) {
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	var wrong syntax.ParseError
	if errors.As(err, &wrong) {
		return nil, errors.New(wrong.Text)
	}
	if err != nil {
		return nil, err
	}
	if len(file.Stmts) != 1 {
		return nil, errGrammar
	}
	return commandOf(file.Stmts[0])
}

func commandOf(statement *syntax.Stmt) (*Command, error) {
	if both, ok := statement.Cmd.(*syntax.BinaryCmd); ok {
		return inOrder(statement, both)
	}
	call, ok := statement.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || statement.Negated || statement.Coprocess {
		return nil, errGrammar
	}
	c := &Command{Background: statement.Background}
	for _, word := range call.Args {
		args, err := fields(word)
		if err != nil {
			return nil, err
		}
		c.Args = append(c.Args, args...)
	}
	if len(c.Args) == 0 || c.Args[0] != "kubectl" {
		return nil, errGrammar
	}
	c.Args = c.Args[1:]
	return c, c.redirect(statement.Redirs)
}

// inOrder reads two commands, of which neither runs in the background.
func inOrder(whole *syntax.Stmt, both *syntax.BinaryCmd) (*Command, error) {
	if both.Op != syntax.AndStmt || whole.Background || whole.Negated {
		return nil, errGrammar
	}
	first, err := commandOf(both.X)
	if err != nil {
		return nil, err
	}
	last := first
	for last.Then != nil {
		last = last.Then
	}
	last.Then, err = commandOf(both.Y)
	return first, err
}

func (c *Command) redirect(redirects []*syntax.Redirect) error {
	for _, r := range redirects {
		words, err := fields(r.Word)
		if err != nil {
			return err
		}
		switch {
		case r.N != nil || len(words) != 1:
			return errGrammar
		case r.Op == syntax.RdrOut && c.To == "":
			c.To = words[0]
		case r.Op == syntax.WordHdoc && c.Input == "":
			c.Input = words[0] + "\n"
		default:
			return errGrammar
		}
	}
	return nil
}

// fields returns what a shell makes of a word: its braces are expanded, its quotes and
// backslashes are gone. A scene has no variables and runs no other programs, so nothing
// in a word depends on anything.
func fields(word *syntax.Word) ([]string, error) {
	var odd error
	syntax.Walk(word, func(node syntax.Node) bool {
		switch node.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst, *syntax.ExtGlob:
			odd = fmt.Errorf("a scene has no variables and substitutions: quote %s with '…'",
				strings.TrimSpace(printed(word)))
		}
		return odd == nil
	})
	if odd != nil {
		return nil, odd
	}
	return expand.Fields(nil, word) // expand.Literal keeps the backslashes outside of quotes
}

func printed(word *syntax.Word) string {
	var b strings.Builder
	syntax.NewPrinter().Print(&b, word)
	return b.String()
}
