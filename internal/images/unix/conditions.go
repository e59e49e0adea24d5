package unix

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// asList turns [[ a && b ]] into { [[ a ]] && [[ b ]]; }, and so on. By itself the
// interpreter would evaluate both sides, whatever the first one says.
func asList(stmt *syntax.Stmt) {
	if test, ok := stmt.Cmd.(*syntax.TestClause); ok && isJoined(test.X) {
		stmt.Cmd = &syntax.Block{Stmts: []*syntax.Stmt{tested(test.X)}}
	}
}

// isJoined reports whether a condition has && or || in it.
func isJoined(x syntax.TestExpr) bool {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		return x.Op == syntax.AndTest || x.Op == syntax.OrTest
	case *syntax.UnaryTest:
		return x.Op == syntax.TsNot && isJoined(x.X)
	case *syntax.ParenTest:
		return isJoined(x.X)
	}
	return false
}

// tested returns the statement that evaluates a condition, from left to right.
func tested(x syntax.TestExpr) *syntax.Stmt {
	if !isJoined(x) {
		return &syntax.Stmt{Position: x.Pos(), Cmd: &syntax.TestClause{Left: x.Pos(), X: x}}
	}
	switch x := x.(type) {
	case *syntax.UnaryTest:
		stmt := &syntax.Stmt{Position: x.Pos(), Cmd: &syntax.Block{Stmts: []*syntax.Stmt{tested(x.X)}}}
		stmt.Negated = true
		return stmt
	case *syntax.ParenTest:
		return &syntax.Stmt{Position: x.Pos(), Cmd: &syntax.Block{Stmts: []*syntax.Stmt{tested(x.X)}}}
	}
	both := x.(*syntax.BinaryTest)
	op := syntax.AndStmt
	if both.Op == syntax.OrTest {
		op = syntax.OrStmt
	}
	return &syntax.Stmt{Position: x.Pos(), Cmd: &syntax.BinaryCmd{Op: op, X: tested(both.X), Y: tested(both.Y)}}
}

// asTraced makes a condition of bash's traced, because the interpreter doesn't trace one.
// It keeps what commands in the condition print, so that they run once. A condition with
// $? isn't traced: keeping would change it.
func (t *translation) asTraced(stmt *syntax.Stmt) {
	test, ok := stmt.Cmd.(*syntax.TestClause)
	if !ok || t.dialect != bash || t.traced[stmt] || changes(test) {
		return
	}
	kept := t.kept(test)
	shown := []token{word("[[")}
	if _, alone := test.X.(*syntax.Word); alone {
		shown = append(shown, word("-n"))
	}
	call := &syntax.CallExpr{Args: []*syntax.Word{word(tracing).word}}
	for _, one := range append(append(shown, tokens(test.X)...), word("]]")) {
		if one.word == nil {
			one = word(one.op)
		}
		call.Args = append(call.Args, quoted(one.word))
	}
	inner := &syntax.Stmt{Position: stmt.Position, Cmd: test}
	t.traced[inner] = true
	stmt.Cmd = &syntax.Block{Stmts: append(kept, &syntax.Stmt{Position: stmt.Position, Cmd: call}, inner)}
}

// keeps are the variables that keep what commands in a condition print.
const keeps = "__kept"

// kept returns the statements that keep what the commands in a condition print, and puts
// that in their place.
func (t *translation) kept(test *syntax.TestClause) (stmts []*syntax.Stmt) {
	keep := func(parts []syntax.WordPart) {
		for i, part := range parts {
			if command, ok := part.(*syntax.CmdSubst); ok {
				t.keeps++
				name := &syntax.Lit{Value: keeps + strconv.Itoa(t.keeps)}
				value := &syntax.Word{Parts: []syntax.WordPart{command}}
				set := &syntax.CallExpr{Assigns: []*syntax.Assign{{Name: name, Value: value}}}
				whatever := &syntax.CallExpr{Args: []*syntax.Word{word(ended).word, word("0").word}}
				stmts = append(stmts, &syntax.Stmt{Position: test.Left, Cmd: &syntax.BinaryCmd{
					Op: syntax.OrStmt,
					X:  &syntax.Stmt{Position: test.Left, Cmd: set}, Y: &syntax.Stmt{Position: test.Left, Cmd: whatever},
				}})
				parts[i] = &syntax.ParamExp{Param: name}
			}
		}
	}
	syntax.Walk(test, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.Word:
			keep(node.Parts)
		case *syntax.DblQuoted:
			keep(node.Parts)
		}
		return true
	})
	return stmts
}

// quoted returns a word of which nothing is split, nor a pattern.
func quoted(word *syntax.Word) *syntax.Word {
	whole := &syntax.Word{}
	for _, part := range word.Parts {
		switch text := part.(type) {
		case *syntax.Lit:
			part = &syntax.SglQuoted{Value: text.Value}
		case *syntax.ParamExp:
			part = &syntax.DblQuoted{Parts: []syntax.WordPart{text}}
		}
		whole.Parts = append(whole.Parts, part)
	}
	return whole
}

// changes reports whether a condition can't be asked twice.
func changes(test *syntax.TestClause) (found bool) {
	syntax.Walk(test, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ParenTest:
			found = true
		case *syntax.ParamExp:
			found = found || node.Exp != nil || node.Param == nil || node.Param.Value == "?"
		}
		return !found
	})
	return found
}
