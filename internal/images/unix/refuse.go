package unix

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Names that stand in a script for what its shell doesn't know: a command that isn't
// there, and a variable that is never set.
const (
	absentName = "__missing"
	never      = "__never"
)

// other walks a script as bash reads it, and finds what another shell takes for a
// mistake, or for something else.
type other struct {
	dialect
	err error
}

// adapt changes a script to what the dialect makes of it. Its error is the first thing
// that the dialect can't read.
func (d dialect) adapt(script syntax.Node) error {
	if d == bash {
		return nil
	}
	o := &other{dialect: d}
	syntax.Walk(script, o.read)
	if o.err == nil {
		syntax.Walk(script, o.visit)
	}
	return o.err
}

// read notes the first thing that the dialect can't read.
func (o *other) read(node syntax.Node) bool {
	if o.err != nil || node == nil {
		return false
	}
	if token := o.mistake(node); token != "" {
		o.err = o.wrong(node.Pos().Line(), token)
	}
	return o.err == nil
}

func (o *other) visit(node syntax.Node) bool {
	switch node := node.(type) {
	case *syntax.Stmt:
		o.command(node)
	case *syntax.CallExpr:
		bare(node.Args)
	case *syntax.WordIter:
		bare(node.Items)
	case *syntax.Word:
		node.Parts = o.parts(node.Parts)
	case *syntax.DblQuoted:
		node.Parts = o.parts(node.Parts)
	}
	return true
}

// mistake returns what is said of a node that the dialect can't read.
func (o *other) mistake(node syntax.Node) string {
	switch node := node.(type) {
	case *syntax.ArrayExpr, *syntax.ExtGlob, *syntax.ParenTest:
		return o.unexpected("(")
	case *syntax.BinaryTest:
		if word, ok := node.Y.(*syntax.Word); ok && node.Op == syntax.TsReMatch && hasParen(word) {
			return o.unexpected("(")
		}
	case *syntax.BinaryCmd:
		if node.Op == syntax.PipeAll {
			return o.unexpected("&")
		}
	case *syntax.CaseItem:
		if node.Op != syntax.Break {
			return o.unexpected("&")
		}
	case *syntax.Redirect:
		if node.Op == syntax.WordHdoc || o.dialect == dash && isProcess(node.Word) {
			return o.unexpected("redirection")
		}
	case *syntax.ForClause:
		if _, ok := node.Loop.(*syntax.CStyleLoop); ok {
			return o.say("", "bad for loop variable", "Bad for loop variable")
		}
		if node.Select {
			return o.unexpected("do")
		}
	case *syntax.ProcSubst:
		if o.dialect == dash {
			return o.unexpected("(")
		}
	case *syntax.FuncDecl:
		if o.dialect == dash && node.RsrvWord {
			return o.unexpected("}")
		}
	}
	return ""
}

func isProcess(word *syntax.Word) bool {
	if word == nil || len(word.Parts) == 0 {
		return false
	}
	_, is := word.Parts[0].(*syntax.ProcSubst)
	return is
}

func hasParen(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if text, ok := part.(*syntax.Lit); ok && strings.Contains(text.Value, "(") {
			return true
		}
	}
	return false
}

// command makes a command of bash's the call of a name that isn't there.
func (o *other) command(stmt *syntax.Stmt) {
	o.apart(stmt)
	name := ""
	switch cmd := stmt.Cmd.(type) {
	case *syntax.DeclClause:
		if variant := cmd.Variant.Value; variant == "declare" || variant == "typeset" || variant == "nameref" {
			name = variant
		}
	case *syntax.LetClause:
		if o.dialect == dash {
			name = "let"
		}
	case *syntax.TestClause:
		o.brackets(stmt, cmd.X)
	case *syntax.ArithmCmd:
		name, _, _ = strings.Cut(strings.TrimLeft(inALine(&syntax.Stmt{Cmd: cmd}), "( "), " ")
	case *syntax.CoprocClause:
		name = "coproc"
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 && len(cmd.Assigns) > 0 && (cmd.Assigns[0].Append || cmd.Assigns[0].Index != nil) {
			name = inALine(stmt)
		}
	}
	if name != "" {
		stmt.Cmd = &syntax.CallExpr{Args: []*syntax.Word{
			{Parts: []syntax.WordPart{&syntax.Lit{Value: absentName}}},
			{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: strings.TrimRight(name, ")")}}},
		}}
	}
}

// parts returns a word's parts as the dialect reads them.
func (o *other) parts(parts []syntax.WordPart) (read []syntax.WordPart) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.SglQuoted:
			if part.Dollar && o.dialect == dash {
				part.Dollar = false
				read = append(read, &syntax.Lit{Value: `\$`})
			}
		case *syntax.CmdSubst:
			if len(part.Stmts) == 1 && part.Stmts[0].Cmd == nil {
				part.Stmts[0].Cmd = &syntax.CallExpr{Args: []*syntax.Word{{Parts: []syntax.WordPart{&syntax.Lit{Value: ":"}}}}}
			}
		case *syntax.ParamExp:
			if o.dialect == dash && part.Param != nil && part.Param.Value == "RANDOM" {
				part.Param.Value = never
			}
			if o.isBad(part) {
				read = append(read, o.bad("Bad substitution"))
				continue
			}
		case *syntax.ArithmExp:
			if text := o.notPrimary(part.X); text != "" {
				read = append(read, o.bad(fmt.Sprintf("arithmetic expression: expecting primary: %q", text)))
				continue
			}
		}
		read = append(read, part)
	}
	return read
}

// bare makes braces in words stand for themselves.
func bare(words []*syntax.Word) {
	for _, word := range words {
		for _, part := range word.Parts {
			if text, ok := part.(*syntax.Lit); ok {
				text.Value = noBraces(text.Value)
			}
		}
	}
}

// noBraces returns text in which braces are no list.
func noBraces(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, `\{`, "{"), "{", `\{`)
}

// isBad reports whether the dialect knows no such expansion.
func (o *other) isBad(x *syntax.ParamExp) bool {
	if x.Excl || x.Index != nil || x.Names != 0 {
		return true
	}
	if x.Exp != nil {
		switch x.Exp.Op {
		case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll, syntax.OtherParamOps:
			return true
		}
	}
	return o.dialect == dash && (x.Slice != nil || x.Repl != nil)
}

// bad returns an expansion that ends the script, when it comes to it.
func (o *other) bad(inDash string) *syntax.ParamExp {
	text := o.say("", "syntax error: bad substitution", inDash)
	return &syntax.ParamExp{Param: &syntax.Lit{Value: never}, Exp: &syntax.Expansion{
		Op: syntax.ErrorUnset, Word: &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text}}},
	}}
}

// lacks reports whether a builtin is bash's, and not this shell's.
func (d dialect) lacks(name string) bool {
	switch name {
	case "declare", "typeset", "shopt", "mapfile", "readarray", "pushd", "popd", "dirs", "disown", "enable",
		"caller", "compgen", "complete", "compopt", "bind", "help", "logout", "suspend", "builtin":
		return d != bash
	case "source", "let":
		return d == dash
	}
	return false
}
