package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"reconcile/internal/source"
)

// write unpacks files in txtar form into a folder.
// loadFolder loads a folder on disk.
func loadFolder(dir string) (*source.Package, error) { return source.Load(os.DirFS(dir), dir) }

func write(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range txtar.Parse([]byte(archive)).Files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file.Name), file.Data, 0o644))
	}
	return dir
}

const queue = `
-- queue.go --
// Package queue is small.
package queue

import "sync"

// Limits of a queue.
const (
	Small = 1
	Large = 2 // more is not needed
)

// --- the queue ---

// Queue hands out keys.
type Queue[T any] struct {
	mu sync.Mutex
}

// Add adds.
//
//book:exercise 1c
func (q *Queue[T]) Add(key T) {
	q.mu.Lock()
	//book:region unlock
	defer q.mu.Unlock()
	//book:end
}

func (q Queue[T]) Len() int { return 0 }
-- queue_test.go --
package queue_test

import "testing"

// TestAdd adds.
//
//book:exercise 1c
func TestAdd(t *testing.T) {}
`

func load(t *testing.T, archive string) *source.Package {
	t.Helper()
	pkg, err := loadFolder(write(t, archive))
	require.NoError(t, err)
	return pkg
}

func TestLoadFindsEveryDeclarationWithItsDocComment(t *testing.T) {
	pkg := load(t, queue)
	assert.Equal(t, "queue", pkg.Name)
	file := pkg.File("queue.go")
	require.Len(t, file.Decls, 4)

	add, err := pkg.Lookup("queue.go", "Queue.Add")
	require.NoError(t, err)
	assert.Equal(t, source.Method, add.Kind)
	assert.Equal(t, "Add adds.\n", add.Doc)
	text := string(file.Content[add.Start:add.End])
	assert.True(t, strings.HasPrefix(text, "// Add adds."), text)
	assert.True(t, strings.HasSuffix(text, "}"), text)
	assert.Equal(t, []int{19, 27}, []int{add.Line, add.EndLine})
}

func TestAGroupIsFoundByAnyOfItsNames(t *testing.T) {
	pkg := load(t, queue)
	small, err := pkg.Lookup("queue.go", "Small")
	require.NoError(t, err)
	large, err := pkg.Lookup("queue.go", "Large")
	require.NoError(t, err)
	assert.Same(t, small, large)
	assert.Equal(t, source.Const, small.Kind)
}

func TestACommentBehindADeclarationBelongsToIt(t *testing.T) {
	pkg := load(t, "-- a.go --\npackage a\n\nvar A = 1 // one\n")
	decl, err := pkg.Lookup("a.go", "A")
	require.NoError(t, err)
	assert.Equal(t, "var A = 1 // one", string(decl.File.Content[decl.Start:decl.End]))
}

func TestHeadIsWhatBelongsToNoDeclaration(t *testing.T) {
	assert.Equal(t, []int{1, 2, 4, 12}, load(t, queue).File("queue.go").Head())
}

func TestARegionLeavesItsMarksOut(t *testing.T) {
	file := load(t, queue).File("queue.go")
	region := file.Region("unlock")
	require.NotNil(t, region)
	assert.Equal(t, "\tdefer q.mu.Unlock()", string(file.Content[region.Start:region.End]))
	assert.Equal(t, "Queue.Add", file.Enclosing(region.Line, region.EndLine).Name)
	assert.False(t, file.Owes(region.Line-1), "a directive is owed to no page")
}

func TestExerciseGathersFunctionsAndTests(t *testing.T) {
	pkg := load(t, queue)
	functions, tests := pkg.Exercise("1c")
	require.Len(t, functions, 1)
	require.Len(t, tests, 1)
	assert.Equal(t, "Queue.Add", functions[0].Name)
	assert.Equal(t, "TestAdd", tests[0].Name)
	assert.Equal(t, []string{"1c"}, pkg.Exercises())
}

func TestLookupSaysWhatThereIsInstead(t *testing.T) {
	pkg := load(t, queue+"-- init.go --\npackage queue\nfunc init() {}\nfunc init() {}\n")
	for _, c := range []struct{ name, file, decl, want string }{
		{"misspelt", "queue.go", "Queue.Ad", "queue.go does not declare Queue.Ad; did you mean Queue.Add?"},
		{"elsewhere", "queue.go", "TestAdd", "queue.go does not declare TestAdd; queue_test.go does"},
		{"nothing alike", "queue.go", "Zebra", "queue.go does not declare Zebra"},
		{"ambiguous", "init.go", "init", "init.go declares init 2 times: mark a region instead"},
		{"no file", "stack.go", "Push", "there is no file stack.go in " + pkg.Dir},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := pkg.Lookup(c.file, c.decl)
			assert.EqualError(t, err, c.want)
		})
	}
}

func TestLoadReportsEveryProblemWithItsLine(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want       []string
	}{
		{"syntax", "func {", []string{"a.go:2: expected 'IDENT', found '{'"}},
		{"unknown verb", "//book:lesson 1\nfunc a() {}", []string{"a.go:2: //book:lesson is not known: there are exercise, region and end"}},
		{"bad number", "//book:exercise one\nfunc a() {}", []string{`a.go:2: //book:exercise needs a number such as 1c, not "one"`}},
		{"exercise on a type", "//book:exercise 1b\ntype a int", []string{"a.go:2: //book:exercise 1b is not in the doc comment of a function"}},
		{"exercise in a body", "func a() {\n//book:exercise 1b\n}", []string{"a.go:3: //book:exercise 1b is not in the doc comment of a function"}},
		{"exercise twice", "//book:exercise 1b\n//book:exercise 1c\nfunc a() {}", []string{"a.go:3: a is already marked as exercise 1b"}},
		{"region open", "func a() {\n//book:region r\n}", []string{"a.go:3: region r has no //book:end"}},
		{"end alone", "func a() {\n//book:end\n}", []string{"a.go:3: //book:end closes no region"}},
		{"end named", "//book:region r\nvar a int\n//book:end r", []string{`a.go:4: //book:end takes no name, not "r"`}},
		{"nested", "func a() {\n//book:region r\n//book:region s\nprintln()\n//book:end\n}", []string{"a.go:4: region s begins inside region r"}},
		{"empty", "func a() {\n//book:region r\n//book:end\n}", []string{"a.go:3: region r is empty"}},
		{"unnamed", "func a() {\n//book:region\nprintln()\n//book:end\n}", []string{`a.go:3: //book:region needs a name of one word, not ""`}},
		{"twice", "//book:region r\nvar a int\n//book:end\n//book:region r\nvar b int\n//book:end",
			[]string{"a.go:5: region r is there twice, first at line 3"}},
		{"also declared", "//book:region a\nvar a int\n//book:end", []string{"a.go:2: a is both a declaration and a region"}},
		{"behind code", "var a int //book:end", []string{"a.go:2: //book:end closes no region", "a.go:2: //book:end must stand on a line of its own"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, "-- a.go --\npackage a\n"+c.code+"\n")
			_, err := loadFolder(dir)
			require.Error(t, err)
			var got []string
			for _, e := range source.Flatten(err) {
				got = append(got, strings.TrimPrefix(e.Error(), dir+string(filepath.Separator)))
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestJoinOrdersByFileThenLine(t *testing.T) {
	err := source.Join(
		source.At("b.md", 2, "later file"), assert.AnError,
		source.Join(source.At("a.md", 10, "ten"), source.At("a.md", 9, "nine")),
		source.At("a.md", 9, "nine"), nil)
	assert.EqualError(t, err, "a.md:9: nine\na.md:10: ten\nb.md:2: later file\n"+assert.AnError.Error())
}
