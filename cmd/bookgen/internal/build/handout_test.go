package build_test

import (
	"go/ast"
	"html"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/exercise"
	"reconcile/internal/slow"
)

// A room that has the paper in its hands has neither hints nor answers of the
// book. That they would be found is seen where they do stand: on the page with the
// answers, and on that of the exercise.
func TestAHandoutHasNoHintAndNoLineOfAnAnswer(t *testing.T) {
	slow.Test(t, "it weaves the whole book")
	const root = chapters + ".."
	cache, err := build.DefaultCache()
	require.NoError(t, err)
	edition := mustCompose(t, build.Options{Root: root, Cache: cache})
	all := map[string]*exercise.Exercise{}
	chapters, err := filepath.Glob(chapters + "[0-9]*")
	require.NoError(t, err)
	for _, chapter := range chapters {
		exercises, err := exercise.Load(os.DirFS(chapter), chapter)
		require.NoError(t, err)
		for _, e := range exercises {
			all[e.Number] = e
		}
	}
	page := func(name string) string { return bare(visible(string(edition.Files[name]))) }
	compared := 0
	for _, course := range edition.Book.Courses {
		handout, answers := page(course.Path("handout.html")), page(course.Path("answers.html"))
		public := ""
		for _, task := range course.Exercises() {
			public += bare(visible(task.Statement.String()+task.Given.String()+task.Signatures.String())) + " "
		}
		for _, task := range course.Exercises() {
			e := all[task.Number]
			assert.Contains(t, handout, bare(visible(task.Statement.String())), "%s %s: its statement", course.Slug, e.Number)
			own := page(path.Join(e.Chapter, "exercises", e.Number+".md.html"))
			for _, line := range hintLines(e) {
				assert.Contains(t, own, line, "%s: a hint, which is on its own page", e.Number)
				assert.False(t, strings.Contains(handout, line) && !strings.Contains(public, line), "%s, %s: a hint: %s", course.Slug, e.Number, line)
				compared++
			}
			for _, line := range answerLines(e, task) {
				assert.Contains(t, answers, line, "%s %s: an answer, which is on the page that has them", course.Slug, e.Number)
				assert.False(t, strings.Contains(handout, line) && !strings.Contains(public, line), "%s, %s: an answer: %s", course.Slug, e.Number, line)
				compared++
			}
		}
	}
	assert.Greater(t, compared, 150)
}

// hintLines returns the paragraphs of an exercise's hints.
func hintLines(e *exercise.Exercise) []string {
	var lines []string
	for _, hint := range e.Hints {
		for _, paragraph := range strings.Split(fence.ReplaceAllString(hint, ""), "\n\n") {
			lines = append(lines, bare(link.ReplaceAllString(paragraph, "$1")))
		}
	}
	return long(lines)
}

var (
	fence = regexp.MustCompile("(?m)^```.*$")
	link  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	mark  = regexp.MustCompile(`<[^>]*>`)
)

// answerLines returns the lines of an answer: of functions, those of their bodies.
func answerLines(e *exercise.Exercise, task *site.Task) []string {
	var lines []string
	switch e.Kind {
	case exercise.Predict:
		for _, line := range e.Run.Lines[e.Run.Given:] {
			lines = append(lines, bare(line))
		}
	case exercise.Write, exercise.Extend:
		for _, fn := range e.Functions {
			body := fn.Node.(*ast.FuncDecl).Body
			for line := range strings.Lines(string(fn.File.Content[fn.File.Offset(body.Lbrace)+1 : fn.File.Offset(body.Rbrace)])) {
				lines = append(lines, bare(line))
			}
		}
	default:
		for line := range strings.Lines(visible(task.Answer.String())) {
			lines = append(lines, bare(line))
		}
	}
	return long(lines)
}

// long leaves out lines that say nothing.
func long(lines []string) []string {
	var left []string
	for _, line := range lines {
		if len(line) >= 8 {
			left = append(left, line)
		}
	}
	return left
}

func visible(page string) string { return html.UnescapeString(mark.ReplaceAllString(page, "")) }

// bare returns the letters and digits of a text, by which it is known whatever it
// is set in.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
