package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// aModule has a package whose tests meet the world, and one whose tests don't.
const aModule = `
-- go.mod --
module reconcile

go 1.26
-- .ci/world --
# Those that meet it.
./outside/...
-- .ci/deep --
race() { true; }
-- .ci/judges --
go -C judged test -timeout 20m ./...
-- judged/go.mod --
module reconcile/judged

go 1.26
-- judged/judged_test.go --
package judged

import "testing"

func TestOfAModuleThatDeepTestsWhole(t *testing.T) {}
-- inside/inside_test.go --
package inside

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestPasses(t *testing.T) {}

func TestSlow(t *testing.T) {
	if os.Getenv("SLOW") == "" {
		t.Skip("left out: it waits. To run it: go test ./inside -run '^TestSlow$'")
	}
	if err := os.WriteFile("../slow-was-here", nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOneInTwo(t *testing.T) {
	t.Run("one", func(t *testing.T) {})
	t.Run("two", func(t *testing.T) {
		if os.Getenv("SLOW") == "" {
			t.Skip("left out: one is enough. To run it: go test ./inside -run '^TestOneInTwo$/^two$'")
		}
	})
}

func TestForHours(t *testing.T) { t.Skip("left out: hours. ` + "`.ci/deep race`" + ` runs it") }

func TestThatOthersStart(t *testing.T) { t.Skip("it is a fixture of other tests") }

func TestAsksGo(t *testing.T) {
	said, err := exec.Command("go", "list", "-f", "{{.Name}}").CombinedOutput()
	if err != nil || strings.TrimSpace(string(said)) != "inside" {
		t.Fatalf("%s: %v", said, err)
	}
}

func TestFailsAtFirst(t *testing.T) { failAtFirst(t, "INSIDE") }

func failAtFirst(t *testing.T, what string) {
	if os.Getenv(what) == "" {
		return
	}
	if _, err := os.Stat("../" + what); err != nil {
		if err := os.WriteFile("../"+what, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatal("the first time it fails")
	}
}
-- outside/below/below_test.go --
package below

import (
	"os"
	"testing"
)

func TestFailsAtFirst(t *testing.T) {
	if os.Getenv("OUTSIDE") == "" {
		return
	}
	if _, err := os.Stat("../../again"); err != nil {
		if err := os.WriteFile("../../again", nil, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatal("the first time it fails")
	}
}
-- takeover/go.mod --
module reconcile/takeover

go 1.26
-- takeover/takeover_test.go --
package takeover

import "testing"

func TestOfTheOtherModule(t *testing.T) {}
`

// enter makes files of a txtar archive the working folder, and returns a gate there.
func enter(t *testing.T, archive string) gate {
	t.Helper()
	folder := t.TempDir()
	for _, file := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(folder, filepath.FromSlash(file.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, file.Data, 0o644))
	}
	t.Chdir(folder)
	return gate{record: filepath.Join(t.TempDir(), "outcomes")}
}

// said returns what a function prints.
func said(t *testing.T, f func() error) (string, error) {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	stdout := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = stdout }()
	failed := f()
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	text, err := io.ReadAll(file)
	require.NoError(t, err)
	return string(text), failed
}

var readers = []string{"go", "test", "./..."}

// results returns what became of each test, by name.
func (g gate) results(t *testing.T) map[string]string {
	t.Helper()
	all, err := g.kept()
	require.NoError(t, err)
	results := map[string]string{}
	for _, o := range all {
		results[strings.TrimPrefix(o.Package, "reconcile/")+" "+o.Test] = o.Result
	}
	return results
}

func TestWhatAStepSkippedIsRunAndNothingElse(t *testing.T) {
	g := enter(t, aModule)
	text, err := said(t, func() error { return g.step(readers) })
	require.NoError(t, err, text)
	assert.Contains(t, text, "$ go test ./...\n")
	assert.Equal(t, map[string]string{
		"inside TestPasses": "pass", "inside TestSlow": "skip", "inside TestForHours": "skip", "inside TestThatOthersStart": "skip",
		"inside TestAsksGo": "pass", "inside TestFailsAtFirst": "pass", "outside/below TestFailsAtFirst": "pass",
		"inside TestOneInTwo": "pass", "inside TestOneInTwo/one": "pass", "inside TestOneInTwo/two": "skip",
	}, g.results(t))

	before, err := g.kept()
	require.NoError(t, err)
	t.Setenv("SLOW", "1")
	text, err = said(t, func() error { return g.leftOut([]string{"go", "test", "-short"}) })
	require.NoError(t, err, text)
	assert.FileExists(t, "slow-was-here")
	after, err := g.kept()
	require.NoError(t, err)
	var again []string
	for _, o := range after[len(before):] {
		again = append(again, o.Test+" "+o.Result)
	}
	assert.ElementsMatch(t, []string{"TestSlow pass", "TestOneInTwo pass", "TestOneInTwo/two pass"}, again)
}

func TestATestThatNoStepRanIsNamed(t *testing.T) {
	g := enter(t, aModule)
	_, err := said(t, func() error { return g.step(readers) })
	require.NoError(t, err)
	t.Setenv("SLOW", "1")
	_, err = said(t, func() error { return g.leftOut([]string{"go", "test"}) })
	require.NoError(t, err)
	text, err := said(t, g.end)
	require.EqualError(t, err, "1 tests are run by no step, and no part of .ci/deep is named for them", text)
	assert.Equal(t, "run by no step: reconcile/takeover TestOfTheOtherModule. \n", text)

	_, err = said(t, func() error { return g.step([]string{"go", "-C", "takeover", "test", "./..."}) })
	require.NoError(t, err)
	text, err = said(t, g.end)
	require.NoError(t, err, text)

	require.NoError(t, os.WriteFile("inside/new_test.go", []byte("//go:build never\n\npackage inside\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {}\n"), 0o644))
	require.NoError(t, os.WriteFile(".ci/deep", []byte("embrace() { true; }\n"), 0o644))
	text, err = said(t, g.end)
	require.Error(t, err)
	assert.Contains(t, text, "run by no step: reconcile/inside TestNew. \n")
	assert.Contains(t, text, "run by no step: reconcile/inside TestForHours. .ci/deep has no part race\n")
}

func TestATestIsTriedAgainIfItMeetsTheWorld(t *testing.T) {
	g := enter(t, aModule)
	t.Setenv("OUTSIDE", "1")
	text, err := said(t, func() error { return g.step(readers) })
	require.NoError(t, err, text)
	text, err = said(t, g.unsteady)
	require.NoError(t, err)
	assert.Equal(t, "unsteady: TestFailsAtFirst of reconcile/outside/below\n", text)

	t.Setenv("INSIDE", "1")
	text, err = said(t, func() error { return g.step(readers) })
	require.Error(t, err, text)
	assert.NotContains(t, text, "once more")
	assert.Contains(t, text, "the first time it fails")
}

func TestWhatDoesNotCompileFailsItsStep(t *testing.T) {
	g := enter(t, aModule)
	require.NoError(t, os.WriteFile("inside/wrong_test.go", []byte("package inside\n\nfunc wrong() int {}\n"), 0o644))
	text, err := said(t, func() error { return g.step(readers) })
	require.Error(t, err)
	assert.Contains(t, text, "missing return")
}

func TestTestsInWhichGoroutinesRunAreFound(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "", `package p

func TestGo(t *testing.T) { go func() {}() }
func TestGroup(t *testing.T) { var wg sync.WaitGroup; wg.Go(f) }
func TestRun(t *testing.T) { c.Run(ctx) }
func TestParts(t *testing.T) { t.Run("a part", func(t *testing.T) {}) }
func TestByAnother(t *testing.T) { begins() }
func TestByAMethod(t *testing.T) { f.starts() }
func begins() { f.starts() }
func (fixture) starts() { go f() }
func TestSteps(t *testing.T) { c.Settle() }
func TestMain(m *testing.M) { go f() }
`, parser.SkipObjectResolution)
	require.NoError(t, err)
	var functions []*ast.FuncDecl
	for _, decl := range file.Decls {
		functions = append(functions, decl.(*ast.FuncDecl))
	}
	assert.Equal(t, []string{"TestGo", "TestGroup", "TestRun", "TestByAnother", "TestByAMethod"}, concurrent(functions))
}
