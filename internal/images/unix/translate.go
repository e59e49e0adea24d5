package unix

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Names that stand in a script for what its interpreter would answer of this
// machine, or does not tell.
const (
	ownPID    = "__pid"
	parentPID = "__ppid"
	cats      = "__cat"     // cat, of $(<file)
	readPiped = "__read"    // the builtin read, of a line that is there
	counted   = "__shift"   // shift, with how many parameters there are
	tracing   = "__trace"   // what follows is to be traced
	returned  = "__return"  // return, where there is nothing to return from
	lenient   = "__lenient" // set +e, with the status that is to stay
	ended     = "__ended"   // a status
)

// errorsFirst begins the path to which a command of a script first redirects its
// standard error; the line follows. Opening it, its shell looks at the memory that it
// holds, and from then on hears what is wrong.
const errorsFirst = "/dev/.errors:"

// parse reads a script, and translates it. With an error it returns what stands above:
// a shell runs that before it reads on.
func (s *shell) parse(source io.Reader, name string) (*syntax.File, error) {
	text, err := io.ReadAll(source)
	if err != nil {
		return nil, err
	}
	script := &syntax.File{Name: name}
	lines := uint(strings.Count(strings.TrimSuffix(string(text), "\n"), "\n")) + 2
	for stmt, err := range s.parser().StmtsSeq(bytes.NewReader(text)) {
		if err == nil {
			script.Stmts = append(script.Stmts, stmt)
			err = s.adapt(stmt)
		} else {
			err = s.understood(err, lines)
		}
		if err != nil {
			return s.above(script, stmt, err)
		}
	}
	if err := s.translate(script); err != nil {
		return &syntax.File{}, err // before anything runs
	}
	return script, nil
}

// above returns the statements of a script that stand in lines above a mistake.
func (s *shell) above(script *syntax.File, wrong *syntax.Stmt, mistake error) (*syntax.File, error) {
	if len(script.Stmts) == 0 {
		return script, mistake
	}
	last := script.Stmts[len(script.Stmts)-1]
	if wrong == last {
		line := wrong.Pos().Line()
		script.Stmts = slices.DeleteFunc(script.Stmts, func(stmt *syntax.Stmt) bool { return stmt.End().Line() >= line })
	}
	return script, cmp.Or(s.translate(script), mistake)
}

// renameReturns gives each return another name that stands where there is nothing to
// return from: in no function, or in a shell of its own, as a pipe's parts and a
// substitution have.
func renameReturns(script syntax.Node, name string) {
	syntax.Walk(script, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if ok && len(call.Args) > 0 && call.Args[0].Lit() == "return" {
			call.Args[0].Parts = []syntax.WordPart{&syntax.Lit{Value: name}}
		}
		_, function := node.(*syntax.FuncDecl)
		return !function
	})
}

// translation is of a script whose commands are each to look at the memory of
// their shell, whose streams wait for nothing outside of a bubble's time, and whose
// numbers are those of this shell.
type translation struct {
	dialect
	own    map[syntax.Node]bool // made here, and to be left as they are
	forked map[*syntax.Stmt]bool
	traced map[*syntax.Stmt]bool
	pipes  []*syntax.BinaryCmd
	keyed  []string // the associative arrays
	keeps  int      // how many commands in conditions there are
	err    error
}

// translate changes a script as translation says.
func (s *shell) translate(script syntax.Node) error {
	t := &translation{dialect: s.dialect, own: map[syntax.Node]bool{}, forked: map[*syntax.Stmt]bool{}, traced: map[*syntax.Stmt]bool{}}
	syntax.Walk(script, t.visit)
	for _, pipe := range t.pipes {
		asProcess(pipe)
		asFollow(pipe)
	}
	return t.err
}

func (t *translation) visit(node syntax.Node) bool {
	if node == nil || t.own[node] {
		return false
	}
	switch node := node.(type) {
	case *syntax.BinaryCmd:
		if node.Op == syntax.Pipe || node.Op == syntax.PipeAll {
			renameReturns(node, "exit")
		}
		if node.Op == syntax.Pipe {
			t.pipes = append(t.pipes, node)
		}
	case *syntax.Stmt:
		if node.Background && !isPosted(node) {
			t.asJob(node)
		}
		t.asFork(node)
		asList(node)
		t.asTraced(node)
		ask(node)
	case *syntax.CallExpr:
		asCounted(node)
		if len(node.Args) == 1 && node.Args[0].Lit() == "return" {
			node.Args = append(node.Args, &syntax.Word{Parts: []syntax.WordPart{
				&syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: "?"}},
			}})
		}
		for _, assign := range node.Assigns {
			if assign.Value == nil && assign.Array == nil && !assign.Naked {
				assign.Value = &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{}}} // x= would not be traced
			}
		}
	case *syntax.Subshell:
		renameReturns(node, "exit")
		node.Stmts = within(inner, node.Lparen, node.Stmts)
	case *syntax.CmdSubst:
		renameReturns(node, "exit")
		asCat(node)
		t.asLenient(node)
		t.asNested(node)
	case *syntax.Redirect:
		t.inReach(node)
		asPath(node)
	case *syntax.ParamExp:
		own := map[string]string{"$": ownPID, "PPID": parentPID, "!": lastJob}
		if node.Param != nil && own[node.Param.Value] != "" {
			node.Param, node.Short = &syntax.Lit{Value: own[node.Param.Value]}, false
		}
		unescape(node.Repl)
	}
	t.possible(node)
	return t.err == nil
}

// asCounted makes shift tell how many parameters there are: it fails if there are
// fewer than it's to take.
func asCounted(call *syntax.CallExpr) {
	if len(call.Args) > 0 && call.Args[0].Lit() == "shift" {
		count := &syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: "#"}}
		call.Args = slices.Insert(call.Args, 1, &syntax.Word{Parts: []syntax.WordPart{count}})
		call.Args[0].Parts = []syntax.WordPart{&syntax.Lit{Value: counted}}
	}
}

// asLenient has a command substitution go on behind a command that fails, as bash and
// ash do, with set -e or not.
func (t *translation) asLenient(in *syntax.CmdSubst) {
	if t.dialect == dash || len(in.Stmts) < 2 {
		return
	}
	status := &syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: "?"}}
	call := &syntax.CallExpr{Args: []*syntax.Word{word(lenient).word, {Parts: []syntax.WordPart{status}}}}
	in.Stmts = slices.Insert(in.Stmts, 0, &syntax.Stmt{Position: in.Pos(), Cmd: call})
}

// unescape takes the backslashes before quotes out of what is put in a pattern's place:
// the interpreter would leave them there.
func unescape(in *syntax.Replace) {
	if in == nil || in.With == nil {
		return
	}
	for _, part := range in.With.Parts {
		if text, ok := part.(*syntax.Lit); ok {
			text.Value = strings.ReplaceAll(text.Value, `\'`, `'`)
		}
	}
}

// again translates a text that eval or source is about to parse once more.
func (s *shell) again(source io.Reader) (string, error) {
	script, err := s.parse(source, s.name)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = syntax.NewPrinter().Print(&out, script)
	return out.String(), err
}

// ask makes a command open errorsFirst before it expands anything, and
// ownOutput.
func ask(stmt *syntax.Stmt) {
	switch command := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		if len(command.Args) == 1 && command.Args[0].Lit() == "exec" {
			return // what it opens stays open
		}
	case *syntax.DeclClause, *syntax.ForClause, *syntax.CaseClause, *syntax.TestClause:
	default:
		return
	}
	errors := to("2", fmt.Sprint(errorsFirst, stmt.Pos().Line(), ":"))
	errors.Word.Parts = append(errors.Word.Parts, spelled(header(stmt.Cmd)))
	stmt.Redirs = append([]*syntax.Redirect{errors, to("1", ownOutput)}, stmt.Redirs...)
}

// header returns the beginning of a loop or a choice, as it was written.
func header(cmd syntax.Command) string {
	var b strings.Builder
	printer := syntax.NewPrinter()
	switch cmd := cmd.(type) {
	case *syntax.CaseClause:
		b.WriteString("case ")
		_ = printer.Print(&b, cmd.Word) // it writes into memory
		b.WriteString(" in")
	case *syntax.ForClause:
		words, ok := cmd.Loop.(*syntax.WordIter)
		if !ok {
			return ""
		}
		b.WriteString("for " + words.Name.Value + " in")
		for _, item := range words.Items {
			b.WriteByte(' ')
			_ = printer.Print(&b, item)
		}
		if !words.InPos.IsValid() {
			b.WriteString(` "$@"`)
		}
	}
	return b.String()
}

// spelled returns a text as a part of a path.
func spelled(text string) syntax.WordPart { return &syntax.Lit{Value: url.QueryEscape(text)} }

// read returns the text that is spelled so.
func read(path string) string {
	text, _ := url.QueryUnescape(path) // spelled wrote it
	return text
}

// to returns the redirection of a stream to a path.
func to(stream, path string) *syntax.Redirect {
	return &syntax.Redirect{
		Op: syntax.RdrOut, N: &syntax.Lit{Value: stream},
		Word: &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: path}}},
	}
}
