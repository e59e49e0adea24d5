package unix

import (
	"bytes"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// token is a word of a condition, or && and the like.
type token struct {
	word *syntax.Word
	op   string
}

func word(text string) token {
	return token{word: &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text}}}}
}

// tokens returns what stands between [[ and ]].
func tokens(x syntax.TestExpr) []token {
	switch x := x.(type) {
	case *syntax.Word:
		return []token{{word: x}}
	case *syntax.UnaryTest:
		return append([]token{word(x.Op.String())}, tokens(x.X)...)
	case *syntax.BinaryTest:
		op := word(x.Op.String())
		switch x.Op {
		case syntax.AndTest, syntax.OrTest, syntax.TsBefore, syntax.TsAfter:
			op = token{op: x.Op.String()}
		}
		return append(append(tokens(x.X), op), tokens(x.Y)...)
	}
	return nil // parentheses are refused
}

// brackets makes [[ the name of a command whose arguments end at && and ||, as it is to
// a shell without [[. Ash has such a command, which gets && and || as arguments, too. To
// both shells, < and > are redirections.
func (o *other) brackets(stmt *syntax.Stmt, x syntax.TestExpr) {
	all := append(append([]token{word("[[")}, tokens(x)...), word("]]"))
	first := &syntax.Stmt{Position: stmt.Position}
	var list, last *syntax.Stmt = first, first
	call := &syntax.CallExpr{}
	for i := 0; i < len(all); i++ {
		switch one := all[i]; {
		case one.word != nil:
			call.Args = append(call.Args, one.word)
		case one.op == "<" || one.op == ">":
			op := map[string]syntax.RedirOperator{"<": syntax.RdrIn, ">": syntax.RdrOut}[one.op]
			i++
			last.Redirs = append(last.Redirs, &syntax.Redirect{OpPos: stmt.Position, Op: op, Word: all[i].word})
		case o.dialect == ash:
			call.Args = append(call.Args, &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: one.op}}})
		default:
			last.Cmd = call
			call, last = &syntax.CallExpr{}, &syntax.Stmt{Position: stmt.Position}
			op := map[string]syntax.BinCmdOperator{"&&": syntax.AndStmt, "||": syntax.OrStmt}[one.op]
			list = &syntax.Stmt{Position: stmt.Position, Cmd: &syntax.BinaryCmd{Op: op, X: list, Y: last}}
		}
	}
	last.Cmd = call
	stmt.Cmd, stmt.Redirs = list.Cmd, append(list.Redirs, stmt.Redirs...)
}

// apart makes a command before &> what it is to dash: one in the background, and
// another that only opens a file.
func (o *other) apart(stmt *syntax.Stmt) {
	n := len(stmt.Redirs) - 1
	if o.dialect != dash || n < 0 || stmt.Redirs[n].Op != syntax.RdrAll && stmt.Redirs[n].Op != syntax.AppAll {
		return
	}
	into := stmt.Redirs[n]
	into.Op = map[syntax.RedirOperator]syntax.RedirOperator{syntax.RdrAll: syntax.RdrOut, syntax.AppAll: syntax.AppOut}[into.Op]
	behind := &syntax.Stmt{Position: stmt.Position, Cmd: stmt.Cmd, Redirs: stmt.Redirs[:n], Background: true}
	opens := &syntax.Stmt{Position: stmt.Position, Redirs: []*syntax.Redirect{into}}
	stmt.Cmd, stmt.Redirs = &syntax.Block{Stmts: []*syntax.Stmt{behind, opens}}, nil
}

// notPrimary returns an expression that dash can't read: it has no ++, -- and **.
func (o *other) notPrimary(x syntax.ArithmExpr) string {
	if o.dialect != dash || x == nil {
		return ""
	}
	found := false
	syntax.Walk(x, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.UnaryArithm:
			found = found || node.Op == syntax.Inc || node.Op == syntax.Dec
		case *syntax.BinaryArithm:
			found = found || node.Op == syntax.Pow
		}
		return true
	})
	if !found {
		return ""
	}
	var b bytes.Buffer
	_ = syntax.NewPrinter().Print(&b, &syntax.ArithmCmd{X: x}) // it writes into memory
	return strings.Trim(b.String(), "()\\\n")
}
