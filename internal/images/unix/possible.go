package unix

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// possible refuses what the interpreter can't do, or would do wrongly: by its name,
// before anything runs.
func (t *translation) possible(node syntax.Node) {
	switch node := node.(type) {
	case *syntax.ProcSubst:
		t.refuse(node, "process substitution")
	case *syntax.CoprocClause:
		t.refuse(node, "coproc")
	case *syntax.Subshell:
		for _, stmt := range node.Stmts {
			if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && isExitTrap(call) {
				t.refuse(call, "an EXIT trap of a subshell")
			}
		}
	case *syntax.ParamExp:
		t.possibleExpansion(node)
	case *syntax.ArithmExp:
		if number := octal(node.X); number != "" {
			t.refuse(node, number+" as a number")
		}
	case *syntax.DeclClause:
		t.noteKeys(node)
	}
}

func (t *translation) refuse(node syntax.Node, what string) {
	t.err = fmt.Errorf("line %d: %s is not supported here", node.Pos().Line(), what)
}

func (t *translation) possibleExpansion(x *syntax.ParamExp) {
	switch {
	case x.Param == nil:
	case x.Param.Value == "PIPESTATUS":
		t.refuse(x, "PIPESTATUS")
	case x.Length && x.Index != nil && slices.Contains(t.keyed, x.Param.Value):
		t.refuse(x, "the length of an associative array")
	case t.dialect == bash && x.Repl != nil && x.Repl.Orig != nil && !x.Repl.All && isAnchored(x.Repl.Orig):
		t.refuse(x, "a replacement at one end (/# and /%)")
	}
}

func isAnchored(word *syntax.Word) bool {
	if len(word.Parts) == 0 {
		return false
	}
	text, ok := word.Parts[0].(*syntax.Lit)
	return ok && text.Value != "" && strings.ContainsAny(text.Value[:1], "#%")
}

func isExitTrap(call *syntax.CallExpr) bool {
	n := len(call.Args)
	return n > 2 && call.Args[0].Lit() == "trap" && call.Args[1].Lit() != "-" &&
		slices.Contains([]string{"EXIT", "0"}, call.Args[n-1].Lit())
}

// octal returns a number of an expression that begins with 0 and isn't octal.
func octal(x syntax.ArithmExpr) (found string) {
	syntax.Walk(x, func(node syntax.Node) bool {
		if text, ok := node.(*syntax.Lit); ok && len(text.Value) > 1 && text.Value[0] == '0' &&
			strings.Trim(text.Value, "0123456789") == "" && strings.ContainsAny(text.Value, "89") {
			found = text.Value
		}
		return true
	})
	return found
}

// noteKeys notes which variables are associative arrays.
func (t *translation) noteKeys(declared *syntax.DeclClause) {
	keyed := false
	for _, arg := range declared.Args {
		switch {
		case arg.Naked && arg.Value != nil && strings.HasPrefix(arg.Value.Lit(), "-"):
			keyed = keyed || strings.Contains(arg.Value.Lit(), "A")
		case keyed && arg.Name != nil:
			t.keyed = append(t.keyed, arg.Name.Value)
		}
	}
}

// inReach refuses streams that the interpreter doesn't have.
func (t *translation) inReach(from *syntax.Redirect) {
	other := from.N != nil && !slices.Contains([]string{"0", "1", "2"}, from.N.Value)
	if from.Op == syntax.DplOut || from.Op == syntax.DplIn {
		other = other || !slices.Contains([]string{"0", "1", "2", "-", ""}, from.Word.Lit())
	}
	if other {
		t.err = fmt.Errorf("line %d: of file descriptors only 0, 1 and 2 are supported here", from.Pos().Line())
	}
}
