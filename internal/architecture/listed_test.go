package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var fileName = regexp.MustCompile(`[\w*]+\.go\b`)

// listed returns the files that a package's comment lists, nil without a list: what it names
// behind "in reading order" or, without such words, what it names if that is three
// files of the package or more. A name with a * stands for several.
func listed(comment string, files []string) []string {
	lower := strings.ToLower(comment)
	if at := strings.Index(lower, "reading order"); at >= 0 {
		return append([]string{}, fileName.FindAllString(comment[at:], -1)...)
	}
	names := fileName.FindAllString(comment, -1)
	own := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(files, name) })
	slices.Sort(own)
	if len(slices.Compact(own)) < 3 {
		return nil
	}
	return names
}

// unlisted returns what is wrong with a list. Files belong together that have the
// first word of their names in common: store.go stands for store_watch.go,
// lock_unix.go for lock_windows.go.
func unlisted(list, files []string) (wrong []string) {
	word := func(file string) string {
		first, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
		return strings.TrimSuffix(first, "*")
	}
	named := map[string]bool{}
	for _, name := range list {
		named[word(name)] = true
		if !slices.ContainsFunc(files, func(file string) bool { is, _ := path.Match(name, file); return is }) {
			wrong = append(wrong, name+" is listed and not there")
		}
	}
	for _, file := range files {
		if file != "doc.go" && !named[word(file)] {
			wrong = append(wrong, file+" is not listed")
		}
	}
	return wrong
}

// comment returns the comment of a package, and its files; its tests are among
// them if it has nothing else.
func comment(t *testing.T, folder string) (text string, files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	var tests []string
	for _, file := range all {
		name := filepath.Base(file)
		if strings.HasSuffix(name, "_test.go") {
			tests = append(tests, name)
			continue
		}
		files = append(files, name)
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		require.NoError(t, err)
		text += textOf(syntax.Doc)
	}
	if slices.Equal(files, []string{"doc.go"}) {
		files = append(files, tests...)
	}
	return text, files
}

func textOf(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	return doc.Text()
}

func TestTheListsOfFilesAreWhole(t *testing.T) {
	lists := 0
	err := filepath.WalkDir("../..", func(folder string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); name == "testdata" || strings.HasPrefix(name, ".") && name != ".." {
			return filepath.SkipDir
		}
		text, files := comment(t, folder)
		if list := listed(text, files); list != nil {
			lists++
			assert.Empty(t, unlisted(list, files), "the comment of the package in %s", filepath.ToSlash(folder[len("../.."):]))
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, lists, 40)
}

func TestListsAreRead(t *testing.T) {
	files := []string{"doc.go", "a.go", "b_unix.go", "b_windows.go", "c.go", "c_more.go"}
	assert.Equal(t, []string{"a.go", "b*.go"}, listed("Like x.go. In reading order: a.go (what), b*.go.", files))
	assert.Nil(t, listed("What a.go has, c.go has not; x.go is another's.", files))
	assert.Equal(t, []string{"a.go", "c.go", "b_unix.go"}, listed("a.go is it; c.go and b_unix.go.", files))
	assert.Empty(t, unlisted([]string{"a.go", "b_unix.go", "c.go"}, files))
	assert.Empty(t, unlisted([]string{"a.go", "b*.go", "c*.go"}, files))
	assert.Equal(t, []string{"d.go is listed and not there", "a.go is not listed"}, unlisted([]string{"b_unix.go", "c.go", "d.go"}, files))
}
