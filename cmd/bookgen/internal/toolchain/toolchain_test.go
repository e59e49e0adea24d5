package toolchain_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/engine"
	"reconcile/cmd/bookgen/internal/toolchain"
	"reconcile/internal/exercise"
	"reconcile/internal/exercise/cut"
	"reconcile/internal/gowork"
	"reconcile/internal/slow"
	"reconcile/internal/source"
)

const root = "../../../.."

// A try is an exercise with an answer, or its stub, and what was said of it.
type try struct {
	Number  string            `json:"number"`
	Name    string            `json:"name"`
	Changes map[string]string `json:"changes"` // files, from the book's root
	Printed string            `json:"printed"`
	Code    int               `json:"code"`
	Seconds float64           `json:"seconds"`
	Memory  int               `json:"megabytes"`
}

// Every exercise that a page offers, with nothing written, the book's answer and a wrong
// one, or whatever RECONCILE_TRIES matches of all that are recorded: the page's worker says
// the same as lab, to the letter, but for the step in which two runs part, which a page
// doesn't look for, the order in which a table's rows fail, which is a map's, and that in
// which tests end that run side by side.
func TestAPageSaysOfAnAnswerWhatTheRealLabSays(t *testing.T) {
	slow.Deep(t, "toolchain", "it compiles a compiler, and answers of each exercise twice")
	var tries []try
	for _, chapter := range toolchain.Chapters {
		tries = append(tries, triesOf(t, chapter)...)
	}
	// "^1b 2", or "." for all
	tries = matching(tries, regexp.MustCompile(cmp.Or(os.Getenv("RECONCILE_TRIES"), `^\w+ [123] `)))
	lab, same := labIn(t), 0
	for page := range judgedInPage(t, tries) {
		native := lab.judge(t, tries[same])
		for again := 0; again < 3 && unordered(native.Printed) != unordered(page.Printed); again++ {
			native = lab.judge(t, tries[same]) // it names the row that a map has first
		}
		assert.Equal(t, unordered(native.Printed), unordered(page.Printed), "%s %q", page.Number, page.Name)
		assert.Equal(t, native.Code, page.Code, "%s %q", page.Number, page.Name)
		t.Logf("%s %q: exit code %d, %.1f s, %d MB", page.Number, page.Name, page.Code, page.Seconds, page.Memory)
		same++
	}
	assert.Len(t, tries, same)
}

// matching returns those of which a pattern matches the number of the exercise, their
// own in it, and what they are called: "1b 2 the book's answer".
func matching(tries []try, pattern *regexp.Regexp) (kept []try) {
	of := map[string]int{}
	for _, tr := range tries {
		of[tr.Number]++
		if pattern.MatchString(fmt.Sprintf("%s %d %s", tr.Number, of[tr.Number], tr.Name)) {
			kept = append(kept, tr)
		}
	}
	return kept
}

// triesOf returns all that is recorded of the exercises of a chapter.
func triesOf(t *testing.T, chapter string) (tries []try) {
	dir := filepath.Join(root, "chapters", chapter)
	exercises, err := exercise.Load(os.DirFS(dir), dir)
	require.NoError(t, err)
	for _, e := range exercises {
		if !toolchain.Offers(e) {
			continue
		}
		var answers []exercise.Answer
		for _, wrong := range e.Wrong {
			if e.Kind != exercise.Debug { // there it is what one begins with
				answers = append(answers, wrong.Answer)
			}
		}
		answers = slices.Concat(answers, e.Right, e.Nameless)
		code, err := source.Load(os.DirFS(filepath.Join(root, e.Path(""))), e.Path(""))
		require.NoError(t, err)
		tries = append(tries, try{Number: e.Number, Name: "nothing is written"},
			try{Number: e.Number, Name: "the book's answer", Changes: written(t, e, code, nil)})
		for _, answer := range answers {
			tries = append(tries, try{Number: e.Number, Name: answer.Name, Changes: written(t, e, code, answer.Code)})
		}
	}
	return tries
}

// written returns the files of an exercise with an answer in them, or with the book's.
func written(t *testing.T, e *exercise.Exercise, code *source.Package, answer []byte) map[string]string {
	declared, err := cut.Declared(answer)
	require.NoError(t, err)
	changes := map[string]string{}
	for _, file := range code.Files {
		var names []string
		own := false
		for _, decl := range file.Decls {
			for _, name := range declared {
				if decl.Name == name {
					names = append(names, name)
				}
			}
			for _, fn := range e.Functions {
				own = own || fn.File.Name == file.Name
			}
		}
		text := file.Content
		if len(names) > 0 {
			text, err = cut.Replace(text, answer, names)
			require.NoError(t, err)
		}
		if own || len(names) > 0 {
			changes[e.Path(file.Name)] = string(text)
		}
	}
	return changes
}

// judgedInPage has node judge them as a page does, one after the other.
func judgedInPage(t *testing.T, tries []try) iter.Seq[try] {
	cache, err := build.DefaultCache()
	require.NoError(t, err)
	made, err := toolchain.Make(t.Context(), root, cache, engine.Plain, toolchain.Chapters)
	require.NoError(t, err)
	files := map[string][]byte{}
	require.NoError(t, made.AddTo(files))
	dir := t.TempDir()
	text, err := json.Marshal(tries)
	require.NoError(t, err)
	files["assets/cases.json"] = text
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	goroot, err := gowork.Env(t.Context(), "GOROOT")
	require.NoError(t, err)
	assets := filepath.Join(dir, "assets")
	command := exec.CommandContext(t.Context(), "node", "--stack-size=8192", "--liftoff-only", "testdata/prove.mjs", assets,
		"../engine/web/files.js", filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"), filepath.Join(assets, "cases.json"))
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	return func(yield func(try) bool) {
		for judged := json.NewDecoder(out); ; {
			var one try
			err := judged.Decode(&one)
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			if !yield(one) {
				return
			}
		}
		assert.NoError(t, command.Wait())
	}
}

// A nativeLab judges in a copy of the book.
type nativeLab struct{ program, book string }

func labIn(t *testing.T) nativeLab {
	dir := t.TempDir()
	l := nativeLab{filepath.Join(dir, "lab"), filepath.Join(dir, "book")}
	build := gowork.Command(t.Context(), "build", "-o", l.program, "./cmd/lab")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, part := range []string{"chapters", "internal", "cmd", "workshop"} {
		require.NoError(t, os.CopyFS(filepath.Join(l.book, part), os.DirFS(filepath.Join(root, part))))
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(l.book, file), text, 0o644))
	}
	return l
}

// own is what lab alone says: that it takes its time, and the step in which two runs part.
var own = regexp.MustCompile(`lab: (Go compiles|it still does)[^\n]*\n|(?s)\n?[^\n]*, your run beside the book's:\n.*?\nTo look into both: [^\n]*\n`)

// A row is one that fails, with what was given; said are those of a test.
var (
	row  = regexp.MustCompile(`(?m)^ {6}\S.*\n(?:^ {10}.*\n)*`)
	said = regexp.MustCompile(`(?m)(?:^ {6}\S.*\n(?:^ {10}.*\n)*)+`)

	ended = regexp.MustCompile(`(?m)^  [✓✗] .*\n(?:^(?: {6}|\d).*\n)*`)
	tests = regexp.MustCompile(`(?m)(?:^  [✓✗] .*\n(?:^(?: {6}|\d).*\n)*)+`)
)

// unordered sorts the rows of each test; of more than are shown any may be, and their
// number counts. It sorts the tests, too: those that run side by side end in any order.
func unordered(printed string) string {
	printed = said.ReplaceAllStringFunc(printed, func(text string) string {
		rows := row.FindAllString(text, -1)
		if last := rows[len(rows)-1]; strings.HasPrefix(last, "      … and ") {
			return fmt.Sprint(len(rows), last)
		}
		slices.Sort(rows)
		return strings.Join(rows, "")
	})
	return tests.ReplaceAllStringFunc(printed, func(text string) string {
		each := ended.FindAllString(text, -1)
		slices.Sort(each)
		return strings.Join(each, "")
	})
}

func (l nativeLab) judge(t *testing.T, tr try) try {
	book := func() { // a wrong answer that stays fails a later chapter's tests
		for name, text := range chapterFiles(t, tr.Number) {
			require.NoError(t, os.WriteFile(filepath.Join(l.book, name), text, 0o644))
		}
	}
	book()
	defer book()
	require.NoError(t, os.RemoveAll(filepath.Join(l.book, ".reconcile")))
	said, code := l.run(t.Context(), "start", tr.Number)
	require.Zero(t, code, said)
	for name, text := range tr.Changes {
		require.NoError(t, os.WriteFile(filepath.Join(l.book, name), []byte(text), 0o644))
	}
	tr.Printed, tr.Code = l.run(t.Context(), "test", tr.Number)
	tr.Printed = own.ReplaceAllString(tr.Printed, "")
	return tr
}

// chapterFiles returns the Go files of an exercise's chapter.
func chapterFiles(t *testing.T, number string) map[string][]byte {
	found := map[string][]byte{}
	chapter, err := filepath.Glob(filepath.Join(root, "chapters", "0"+number[:1]+"-*"))
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir(chapter[0], func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" {
			return err
		}
		name, err := filepath.Rel(root, file)
		require.NoError(t, err)
		found[name], err = os.ReadFile(file)
		return err
	}))
	return found
}

func (l nativeLab) run(ctx context.Context, arguments ...string) (printed string, code int) {
	command := exec.CommandContext(ctx, l.program, append([]string{"exercise"}, arguments...)...)
	command.Dir = l.book
	out, err := command.CombinedOutput()
	if err != nil {
		code = command.ProcessState.ExitCode()
	}
	return string(out), code
}
