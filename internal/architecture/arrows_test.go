package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const chapters = "../../chapters"

// imports returns the packages of this module that a chapter's files import, by
// file. Test files count only where tests is set.
func imports(t *testing.T, folder string, tests bool) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		test := strings.HasSuffix(file, "_test.go")
		if err != nil || filepath.Ext(file) != ".go" || test && !tests {
			return err
		}
		paths, err := importedBy(file)
		for _, path := range paths {
			if inside, ours := strings.CutPrefix(path, "reconcile/"); ours {
				found[file] = append(found[file], inside)
			}
		}
		return err
	})
	require.NoError(t, err)
	return found
}

// importedBy returns the paths that a file imports.
func importedBy(file string) (paths []string, err error) {
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, spec := range syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// earlier lists the chapters that a chapter builds on, by their numbers.
var earlier = map[string][]string{
	"01": nil,
	"02": {"01"},
	"03": {"01", "02"},
	"04": {"01", "02"},
	"05": {"01", "02", "04"},
	"06": {"01", "02", "03", "04", "05"},
	"07": {"01", "02", "03", "04", "05", "06"},
}

// wrongArrows returns the imports that a reader of a chapter would trip over.
func wrongArrows(chapter string, of map[string][]string) []string {
	var wrong []string
	for file, paths := range of {
		for _, path := range paths {
			other, isChapter := strings.CutPrefix(path, "chapters/")
			test := strings.HasSuffix(file, "_test.go")
			folder, _, _ := strings.Cut(other, "/") // below it are packages of exercises
			known := folder == chapter || slices.Contains(earlier[chapter[:2]], other[:min(2, len(other))])
			if isChapter && !known || !isChapter && !test {
				wrong = append(wrong, file+" imports "+path)
			}
		}
	}
	return wrong
}

func TestChaptersImportOnlyEarlierOnesAndNothingOfTheHouse(t *testing.T) {
	folders, err := os.ReadDir(chapters)
	require.NoError(t, err)
	checked := 0
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		checked++
		assert.Empty(t, wrongArrows(folder.Name(),
			imports(t, filepath.Join(chapters, folder.Name()), true)),
			"a chapter teaches only with what its reader has met")
	}
	assert.NotZero(t, checked, "no chapter was found")
}

func TestWrongArrowsAreSeen(t *testing.T) {
	wrong := wrongArrows("02-deployment", map[string][]string{
		"fine.go":       {"chapters/01-control-loop"},
		"fine_test.go":  {"internal/kubetest", "chapters/02-deployment"},
		"later.go":      {"chapters/03-rolling-update"},
		"later_test.go": {"chapters/10-later"},
		"house.go":      {"internal/kubetest"},
		"command.go":    {"cmd/lab"},
	})
	assert.ElementsMatch(t, []string{
		"later.go imports chapters/03-rolling-update",
		"later_test.go imports chapters/10-later",
		"house.go imports internal/kubetest",
		"command.go imports cmd/lab",
	}, wrong)
	assert.ElementsMatch(t, []string{
		"services.go imports chapters/03-rolling-update",
	}, wrongArrows("04-statefulset", map[string][]string{
		"claims.go":   {"chapters/01-control-loop", "chapters/02-deployment"},
		"services.go": {"chapters/03-rolling-update"},
	}))
}

// The other direction: packages that make a book out of chapters know none of
// them.
func TestBookAndSourceAreLeaves(t *testing.T) {
	for _, leaf := range []string{"../../cmd/bookgen/internal/book", "../source"} {
		for file, paths := range imports(t, leaf, false) {
			for _, path := range paths {
				assert.False(t, strings.HasPrefix(path, "chapters/"),
					"%s imports %s", file, path)
			}
		}
	}
}
