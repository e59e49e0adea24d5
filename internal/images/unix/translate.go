package unix

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Names that stand in a script for what its interpreter would answer of this
// machine, or does not tell.
const (
	ownPID    = "__pid"
	parentPID = "__ppid"
	inJob     = "__job"  // set in what runs in the background
	readPiped = "__read" // the builtin read, of a line that is there
)

// askFirst is where a command of a script first writes to, as it were: the
// variables that it is going to expand are the rest of the path. An asterisk
// multiplies, where sums are not enough: /a/b*c.
const askFirst = "/dev/.expand/"

// maxWords is how many words braces may make of one.
const maxWords = 100_000

// parse reads a script, and translates it.
func (s *shell) parse(source io.Reader, name string) (*syntax.File, error) {
	script, err := s.parser().Parse(guarded{source}, name)
	if err != nil {
		return nil, err
	}
	return script, s.translate(script)
}

// guarded is a source that ends where it is nested too deeply: its parser reads
// on in the depth.
type guarded struct{ io.Reader }

// Read implements io.Reader.
func (g guarded) Read(p []byte) (int, error) {
	if tooDeep() {
		return 0, errTooDeep
	}
	return g.Reader.Read(p)
}

// translate changes a script so that each of its commands asks for the memory
// that it will need, its streams wait for nothing outside of a bubble's time,
// and its numbers are those of this shell.
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
			own := map[string]string{"$": ownPID, "PPID": parentPID}[nameOf(node)]
			if own != "" {
				node.Param, node.Short = &syntax.Lit{Value: own}, false
			}
		case *syntax.Word:
			if words(node) > maxWords {
				err = errors.New("argument list too long")
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

func nameOf(node *syntax.ParamExp) string {
	if node.Param == nil {
		return ""
	}
	return strings.Replace(node.Param.Value, "*", "@", 1)
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

// asJob makes a statement that runs in the background note so in its variables,
// and its shell ask for the process before it begins.
func asJob(stmt *syntax.Stmt) {
	job := *stmt
	job.Background, job.Comments = false, nil
	note := &syntax.Stmt{Cmd: &syntax.CallExpr{Assigns: []*syntax.Assign{{
		Name:  &syntax.Lit{Value: inJob},
		Value: &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "1"}}},
	}}}}
	post := &syntax.Stmt{
		Cmd:        &syntax.Block{Stmts: []*syntax.Stmt{note, &job}},
		Redirs:     []*syntax.Redirect{to("2", takes)},
		Background: true,
	}
	stmt.Cmd = &syntax.Block{Stmts: []*syntax.Stmt{post}}
	stmt.Redirs = []*syntax.Redirect{to("2", posts)}
	stmt.Background, stmt.Negated = false, false
}

// ask makes a command ask before it expands anything, and write to ownOutput.
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
		to("2", askFirst+strings.Join(expanded(stmt), "/")), to("1", ownOutput),
	}, stmt.Redirs...)
}

// to returns the redirection of a stream to a path.
func to(stream, path string) *syntax.Redirect {
	return &syntax.Redirect{
		Op: syntax.RdrOut, N: &syntax.Lit{Value: stream},
		Word: &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: path}}},
	}
}

// expanded returns the names of the variables that a statement expands, but not
// those of the statements in it.
func expanded(stmt *syntax.Stmt) (names []string) {
	syntax.Walk(stmt, func(node syntax.Node) bool {
		if inner, ok := node.(*syntax.Stmt); ok && inner != stmt {
			return false
		}
		parameter, ok := node.(*syntax.ParamExp)
		if !ok || nameOf(parameter) == "" {
			return true
		}
		names = append(names, nameOf(parameter))
		if parameter.Excl {
			names = append(names, "!") // the name of another
		}
		if parameter.Repl != nil && parameter.Repl.With != nil {
			syntax.Walk(parameter.Repl.With, func(node syntax.Node) bool {
				switch node := node.(type) {
				case *syntax.ParamExp:
					names = append(names, nameOf(parameter)+"*"+nameOf(node))
				case *syntax.Lit:
					names = append(names, nameOf(parameter)+"*="+
						strconv.Itoa(len(node.Value)))
				}
				return true
			})
		}
		return true
	})
	return names
}

// sequence is {1..5}.
var sequence = regexp.MustCompile(`\{(-?\d+)\.\.(-?\d+)(\.\.-?\d+)?\}`)

// words returns the most words that braces can make of one.
func words(word *syntax.Word) float64 {
	n := 1.0
	for _, part := range word.Parts {
		text, ok := part.(*syntax.Lit)
		if !ok || !strings.Contains(text.Value, "{") {
			continue
		}
		for _, ends := range sequence.FindAllStringSubmatch(text.Value, -1) {
			first, _ := strconv.ParseFloat(ends[1], 64)
			last, _ := strconv.ParseFloat(ends[2], 64)
			n *= max(first-last, last-first) + 1
		}
		for _, group := range strings.Split(text.Value, "{")[1:] {
			n *= float64(strings.Count(group, ",") + 1)
		}
	}
	return n
}
