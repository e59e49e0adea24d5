package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// meeting lists the functions by which a test meets the world: sockets,
// processes and signals. In a bubble a wait for one of them is no wait.
var meeting = []string{
	"net.Listen", "net.ListenPacket", "net.Dial", "net.DialTimeout",
	"httptest.NewServer", "httptest.NewTLSServer", "httptest.NewUnstartedServer",
	"exec.Command", "exec.CommandContext", "signal.Notify",
	"kubetest.Real", "sqltest.Listen", "sqltest.Machine",
}

// worldly returns the tests of a folder that meet the world, by themselves or by
// a function of the same folder's tests.
func worldly(t *testing.T, folder string) []string {
	t.Helper()
	calls := map[string][]string{} // by function
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if function, ok := decl.(*ast.FuncDecl); ok && function.Recv == nil {
				name := function.Name.Name
				calls[name] = append(calls[name], called(function)...)
			}
		}
	}
	meets := slices.Clone(meeting)
	for grown := true; grown; {
		grown = false
		for function, all := range calls {
			in := func(call string) bool { return slices.Contains(meets, call) }
			if !in(function) && slices.ContainsFunc(all, in) {
				meets, grown = append(meets, function), true
			}
		}
	}
	return slices.DeleteFunc(meets, func(name string) bool { return !strings.HasPrefix(name, "Test") })
}

// called returns what a function calls: f, and x.f.
func called(function *ast.FuncDecl) []string {
	var names []string
	ast.Inspect(function, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch of := call.Fun.(type) {
		case *ast.Ident:
			names = append(names, of.Name)
		case *ast.SelectorExpr:
			if pkg, ok := of.X.(*ast.Ident); ok {
				names = append(names, pkg.Name+"."+of.Sel.Name)
			}
		}
		return true
	})
	return names
}

// TestWhatMeetsTheWorldSaysSo holds .ci/world: tests that need sockets or
// processes as they are may be unsteady on a busy machine, and are run apart.
func TestWhatMeetsTheWorldSaysSo(t *testing.T) {
	const root = "../.."
	text, err := os.ReadFile(filepath.Join(root, ".ci/world"))
	require.NoError(t, err)
	var known []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
			known = append(known, path.Clean(line))
		}
	}
	tried := 0
	err = filepath.WalkDir(root, func(folder string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, folder)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil || !d.IsDir():
			return err
		case rel != "." && strings.HasPrefix(d.Name(), "."), d.Name() == "testdata",
			rel == "judges/stories", rel == "judges/onstage", rel == "judges/references",
			rel == "site", rel == "public": // .ci/judges plays these; and no code
			return fs.SkipDir
		case slices.ContainsFunc(known, func(pattern string) bool {
			above, all := strings.CutSuffix(pattern, "/...")
			return rel == above || all && strings.HasPrefix(rel, above+"/")
		}):
			return nil
		}
		tried++
		for _, test := range worldly(t, folder) {
			assert.Contains(t, test, "Real", "%s of %s meets the world: "+
				"have its name say Real, or .ci/world name its package", test, rel)
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, tried, 20, "few packages were looked at")
}
