package unix

import (
	"fmt"
	"io"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Names that stand in a script for what its interpreter would answer of this
// machine, or does not tell.
const (
	ownPID    = "__pid"
	parentPID = "__ppid"
	readPiped = "__read" // the builtin read, of a line that is there
)

// errorsFirst is where a command of a script first writes its errors to, as it
// were: its shell looks at the memory that it holds, and hears what is wrong.
const errorsFirst = "/dev/.errors"

// parse reads a script, and translates it.
func (s *shell) parse(source io.Reader, name string) (*syntax.File, error) {
	script, err := s.parser().Parse(source, name)
	if err != nil {
		return nil, err
	}
	return script, s.translate(script)
}

// translate changes a script so that each of its commands looks at the memory of
// its shell, its streams wait for nothing outside of a bubble's time, and its
// numbers are those of this shell.
func (s *shell) translate(script syntax.Node) (err error) {
	var pipes []*syntax.BinaryCmd
	syntax.Walk(script, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.BinaryCmd:
			if node.Op == syntax.Pipe {
				pipes = append(pipes, node)
			}
		case *syntax.Stmt:
			if node.Background && !isPosted(node) {
				asJob(node)
			}
			asFork(node)
			ask(node)
		case *syntax.CmdSubst:
			asCat(node)
		case *syntax.Redirect:
			asPath(node)
		case *syntax.ParamExp:
			own := map[string]string{"$": ownPID, "PPID": parentPID}
			if node.Param != nil && own[node.Param.Value] != "" {
				node.Param, node.Short = &syntax.Lit{Value: own[node.Param.Value]}, false
			}
		case *syntax.ProcSubst:
			err = fmt.Errorf("%v: process substitution is not supported", node.Pos())
		case *syntax.CoprocClause:
			err = fmt.Errorf("%v: coproc is not supported", node.Pos())
		}
		return err == nil
	})
	for _, pipe := range pipes {
		asFollow(pipe)
	}
	return err
}

// again translates a text that eval or source is about to parse once more.
func (s *shell) again(source io.Reader) (string, error) {
	script, err := s.parse(source, s.name)
	if err != nil {
		return "", understood(err)
	}
	var out strings.Builder
	err = syntax.NewPrinter().Print(&out, script)
	return out.String(), err
}

// ask makes a command write to errorsFirst before it expands anything, and to
// ownOutput.
func ask(stmt *syntax.Stmt) {
	switch command := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		if len(command.Args) > 0 && command.Args[0].Lit() == "exec" {
			return // what it opens stays open
		}
	case *syntax.DeclClause, *syntax.ForClause, *syntax.CaseClause, *syntax.TestClause:
	default:
		return
	}
	stmt.Redirs = append([]*syntax.Redirect{
		to("2", errorsFirst), to("1", ownOutput),
	}, stmt.Redirs...)
}

// to returns the redirection of a stream to a path.
func to(stream, path string) *syntax.Redirect {
	return &syntax.Redirect{
		Op: syntax.RdrOut, N: &syntax.Lit{Value: stream},
		Word: &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: path}}},
	}
}
