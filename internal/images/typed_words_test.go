//go:build !js

package images

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
	"sigs.k8s.io/yaml"
)

// typed are commands that were found where somebody types them, and what agnhost is
// told to be, behind its name.
type typed map[string]bool

// before are commands that run the one behind their own arguments.
var before = []string{"busybox", "env", "exec", "timeout", "xargs"}

// argument matches what may stand before that one.
var argument = regexp.MustCompile(`^(-.*|\w+=.*|[\d.]+s?)$`)

// line takes the words of a command.
func (f typed) line(words []string) {
	if len(words) == 0 {
		return
	}
	name, rest := path.Base(words[0]), words[1:]
	f[name] = true
	switch {
	case name == "kubectl":
		f.kubectl(rest)
	case name == "agnhost" && len(rest) > 0:
		f["agnhost "+rest[0]] = true
	case slices.Contains(before, name):
		if i := slices.IndexFunc(rest, func(w string) bool { return !argument.MatchString(w) }); i >= 0 {
			f.line(rest[i:])
		}
	case name == "sh" || name == "bash":
		for i, word := range rest[:max(0, len(rest)-1)] {
			if strings.HasPrefix(word, "-") && strings.HasSuffix(word, "c") {
				f.script(rest[i+1])
			}
		}
	}
}

// kubectl takes what kubectl is to run in a container.
func (f typed) kubectl(args []string) {
	at := slices.Index(args, "--")
	if at < 0 {
		return
	}
	ofAgnhost := func(arg string) bool { return strings.HasPrefix(arg, "--image=") && strings.Contains(arg, "agnhost") }
	if slices.ContainsFunc(args[:at], ofAgnhost) && at+1 < len(args) {
		f["agnhost "+args[at+1]] = true
	}
	f.line(args[at+1:])
}

// script takes the commands of a shell script; what is none has none.
func (f typed) script(text string) {
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok {
			var words []string
			for _, word := range call.Args {
				words = append(words, literal(word.Parts))
			}
			f.line(words)
		}
		return true
	})
}

// literal returns what of a word is no substitution.
func literal(parts []syntax.WordPart) (text string) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text += part.Value
		case *syntax.SglQuoted:
			text += part.Value
		case *syntax.DblQuoted:
			text += literal(part.Parts)
		}
	}
	return text
}

var document = regexp.MustCompile(`(?m)^---.*$`)

// manifest takes commands of containers, probes and hooks, and the scripts of
// ConfigMaps.
func (f typed) manifest(text []byte) {
	for _, one := range document.Split(string(text), -1) {
		var object any
		if yaml.Unmarshal([]byte(one), &object) == nil {
			f.value(object)
		}
	}
}

func (f typed) value(of any) {
	switch of := of.(type) {
	case map[string]any:
		words := slices.Concat(wordsOf(of["command"]), wordsOf(of["args"]))
		if image, _ := of["image"].(string); strings.Contains(image, "agnhost") && of["command"] == nil {
			words = append([]string{"agnhost"}, words...)
		}
		f.line(words)
		for _, value := range of {
			f.value(value)
		}
	case []any:
		for _, value := range of {
			f.value(value)
		}
	case string:
		if strings.Contains(of, "\n") {
			f.script(of)
		}
	}
}

func wordsOf(list any) (words []string) {
	values, _ := list.([]any)
	for _, value := range values {
		word, _ := value.(string)
		words = append(words, word)
	}
	return words
}

var (
	fenced = regexp.MustCompile("(?ms)^```(?:sh|yaml)?\n(.*?)^```")
	inline = regexp.MustCompile("`([^`\n]+)`")
)

// page takes the commands of a page: what stands in it as a line of code. A word
// alone is a name.
func (f typed) page(text string) {
	for _, block := range fenced.FindAllStringSubmatch(text, -1) {
		f.script(block[1])
		f.manifest([]byte(block[1]))
	}
	for _, code := range inline.FindAllStringSubmatch(text, -1) {
		f.sentence(code[1])
	}
}

var (
	ofGo = regexp.MustCompile("(?ms)^```go\n(.*?)^```")
	raw  = regexp.MustCompile("`([^`]*)`")
)

// answer takes the commands of an answer to an exercise that returns a script.
func (f typed) answer(text string) {
	for _, block := range ofGo.FindAllStringSubmatch(text, -1) {
		for _, script := range raw.FindAllStringSubmatch(block[1], -1) {
			f.script(script[1])
		}
	}
}

// prose matches what a shell would take, and is a sentence or a name.
var prose = regexp.MustCompile(`[,:] [a-z]|^[^-+/|;&<>$=\d]*$|^\S*$`)

// sentence takes the commands of a text that may be none. In a Pod's command $$ is a $.
func (f typed) sentence(text string) {
	if !prose.MatchString(text) {
		f.script(strings.ReplaceAll(text, "$$(", "$("))
	}
}

// test takes the commands of a test's source: words in a list or in a call. What
// only tests without the mark of conformance do is left out, and a file that has no
// others unless it has no tests at all.
func (f typed) test(t *testing.T, file string, marked bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	if !marked && strings.Contains(string(text), ".It(") {
		return
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(syntax, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CompositeLit:
			f.words(node.Elts, 1)
		case *ast.CallExpr:
			called, ok := node.Fun.(*ast.SelectorExpr)
			if ok && (called.Sel.Name == "It" || speaks(called)) {
				return false
			}
			f.words(node.Args, 2)
		case *ast.BasicLit:
			if text, err := strconv.Unquote(node.Value); err == nil {
				f.sentence(text)
			}
		}
		return true
	})
}

// speaks reports whether a call only says something, or runs a program of the
// machine that tests.
func speaks(called *ast.SelectorExpr) bool {
	of, _ := called.X.(*ast.Ident)
	return of != nil && (of.Name == "gomega" || of.Name == "errors" || of.Name == "exec" ||
		called.Sel.Name == "By" || strings.HasSuffix(called.Sel.Name, "f") && called.Sel.Name != "Sprintf")
}

// words takes each run of so many literals as a command, and each of them as a mode.
func (f typed) words(list []ast.Expr, least int) {
	var run []string
	end := func() {
		if len(run) >= least {
			f.line(run)
		}
		run = nil
	}
	for _, element := range list {
		literal, ok := element.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			end()
			continue
		}
		word, _ := strconv.Unquote(literal.Value)
		run = append(run, word)
		f["agnhost "+word] = true
	}
	end()
}

func TestWhatIsTypedIsFound(t *testing.T) {
	f := typed{}
	f.line([]string{"kubectl", "run", "x", "--image=agnhost:2", "--", "netexec"})
	f.line([]string{"kubectl", "exec", "x", "--", "/bin/sh", "-ec", `timeout 3s cat "$(date)" | env A=1 wc; a && b`})
	f.manifest([]byte("a: {image: agnhost, args: [pause]}\n---\nb: {command: [ls], args: [x]}\nc: |\n  one\n  two\n"))
	f.page("Say `sort -r x`, not `kill the server`, and not `uniq`.\n```\nrm x\n```\n```go\nmv(x)\n```\n")
	f.answer("# A title\n\n```go\nfunc Script() string {\n\treturn `set -e\nchown a b\n`\n}\n```\n")
	for _, name := range []string{"netexec", "pause"} {
		assert.True(t, f["agnhost "+name], name)
	}
	for _, name := range []string{"sh", "timeout", "cat", "date", "env", "wc", "a", "b", "ls", "one", "two", "sort", "rm", "chown"} {
		assert.True(t, f[name], name)
	}
	for _, name := range []string{"uniq", "kill", "mv", "x", "3s"} {
		assert.False(t, f[name], name)
	}
}
