package unix

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// commandJob comes before the text of a job that is a single command.
const commandJob = "\x01"

// asJob makes a shell ask for the process of a background statement before the
// statement begins, and note the process's number.
func (t *translation) asJob(stmt *syntax.Stmt) {
	job := *stmt
	job.Background, job.Comments = false, nil
	text := inALine(&job)
	if _, ok := job.Cmd.(*syntax.CallExpr); ok {
		text = commandJob + text
	}
	post := &syntax.Stmt{
		Position: stmt.Position,
		Cmd:      &syntax.Block{Stmts: []*syntax.Stmt{t.reads(thisJob, &syntax.Lit{Value: jobSelf}), &job}},
		Redirs:   []*syntax.Redirect{to("2", takes)}, Background: true,
	}
	id := &syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: "!"}}
	t.own[id] = true
	stmt.Cmd = &syntax.Block{Stmts: []*syntax.Stmt{
		post, t.reads(lastJob, &syntax.Lit{Value: jobBegun}, id),
	}}
	from := to("2", posts)
	from.Word.Parts = append(from.Word.Parts, spelled(text))
	stmt.Redirs = []*syntax.Redirect{from}
	stmt.Background, stmt.Negated = false, false
}

// reads returns the statement that sets a variable to what stands in a file.
func (t *translation) reads(name string, file ...syntax.WordPart) *syntax.Stmt {
	word := func(text string) *syntax.Word {
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text}}}
	}
	stmt := &syntax.Stmt{
		Cmd:    &syntax.CallExpr{Args: []*syntax.Word{word(readPiped), word("-r"), word(name)}},
		Redirs: []*syntax.Redirect{{Op: syntax.RdrIn, Word: &syntax.Word{Parts: file}}},
	}
	t.own[stmt] = true
	ask(stmt)
	return stmt
}

// inALine returns a statement as it was written, in a line.
func inALine(stmt *syntax.Stmt) string {
	var b strings.Builder
	_ = syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, stmt) // it writes into memory
	return strings.TrimSpace(b.String())
}
