package unix

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hereLast ends the path that stands in a script for a here-document: the text
// is the rest. The interpreter would write it into a pipe at once, and wait
// there for a reader, outside of a bubble's time.
const hereLast = "/dev/.here"

// asPath turns a redirection from a here-document or a here-string into one
// from a path that ends in hereLast.
func asPath(from *syntax.Redirect) {
	switch from.Op {
	default:
		return
	case syntax.WordHdoc:
		end := &syntax.SglQuoted{Value: "\n" + hereLast}
		from.Word = &syntax.Word{Parts: append(from.Word.Parts, end)}
	case syntax.Hdoc, syntax.DashHdoc:
		text := &syntax.DblQuoted{}
		if from.Hdoc != nil {
			text.Parts = document(from.Hdoc.Parts, isQuoted(from.Word), from.Op == syntax.DashHdoc)
		}
		end := &syntax.Lit{Value: hereLast}
		from.Word = &syntax.Word{Parts: []syntax.WordPart{text, end}}
	}
	from.Op, from.Hdoc = syntax.RdrIn, nil
}

// asCat makes $(< file) run a command. By itself the interpreter would give up
// the word around it when there is no such file, with all of a here-string.
func asCat(of *syntax.CmdSubst) {
	if len(of.Stmts) != 1 || of.Stmts[0].Cmd != nil || len(of.Stmts[0].Redirs) != 1 ||
		of.Stmts[0].Redirs[0].Op != syntax.RdrIn {
		return
	}
	cat := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: cats}}}
	of.Stmts[0].Cmd = &syntax.CallExpr{Args: []*syntax.Word{cat}}
}

// isQuoted reports whether a here-document's end word says that its text is
// taken as it is.
func isQuoted(end *syntax.Word) bool {
	for _, part := range end.Parts {
		if text, plain := part.(*syntax.Lit); !plain || strings.Contains(text.Value, `\`) {
			return true
		}
	}
	return false
}

// document returns a here-document's text as it would stand between double
// quotes.
func document(parts []syntax.WordPart, literal, untabbed bool) []syntax.WordPart {
	quoted := make([]syntax.WordPart, len(parts))
	for i, part := range parts {
		text, plain := part.(*syntax.Lit)
		if !plain {
			quoted[i] = part
			continue
		}
		value := text.Value
		if untabbed {
			value = strings.TrimLeft(value, "\t")
			for strings.Contains(value, "\n\t") {
				value = strings.ReplaceAll(value, "\n\t", "\n")
			}
		}
		quoted[i] = &syntax.Lit{
			ValuePos: text.ValuePos, ValueEnd: text.ValueEnd, Value: inQuotes(value, literal),
		}
	}
	return quoted
}

// inQuotes escapes what double quotes would take for something else: the quotes
// and, in a literal text, all else that is special there.
func inQuotes(text string, literal bool) string {
	if literal {
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(text)
	}
	return strings.NewReplacer(`\\`, `\\`, `\"`, `\\\"`, `"`, `\"`).Replace(text)
}
