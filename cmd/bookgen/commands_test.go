package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/source"
)

const (
	bookText    = "---\ntitle: Small\ndescription: A book in a test.\nedition: 1\ndate: 2026-01-02\nchapters:\n- {slug: 01-loop, title: Loop}\n---\nBegin.\n"
	chapterText = "---\nnumber: 1\ntitle: Loop\ncore: [loop.go]\nparts: [in-kubernetes.md]\n---\n# Loop\n\nRound and round.\n\n[loop.go](loop.go)\n"
)

// inBook makes a small book the current folder.
func inBook(t *testing.T) {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":                            "module reconcile\n\ngo 1.26\n",
		"chapters/book.md":                  bookText,
		"chapters/01-loop/chapter.md":       chapterText,
		"chapters/01-loop/in-kubernetes.md": "---\ntitle: There\nsummary: The same.\n---\n# There\n",
		"chapters/01-loop/loop.go":          "package loop\n",
	} {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(root)
}

func run(args ...string) (output string, err error) {
	var out bytes.Buffer
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	err = root.ExecuteContext(context.Background())
	return out.String(), err
}

func TestHelpSaysWhatEachCommandDoes(t *testing.T) {
	for command, says := range map[string][]string{
		"":        {"build", "serve", "check", "voice", "Start with"},
		"build":   {"file:line", "same bytes", "go run ./cmd/bookgen build"},
		"publish": {"public/", "listing of every file", "Chromium", "--books=false"},
		"serve":   {"--port", "--open", "Ctrl-C", "8080"},
		"check":   {"exit code", "exercises", "not what build would write now"},
	} {
		output, err := run(strings.Fields(command + " --help")...)
		require.NoError(t, err)
		for _, want := range says {
			assert.Contains(t, output, want, command)
		}
	}
}

func TestBuildSaysWhatItDid(t *testing.T) {
	inBook(t)
	output, err := run("build")
	require.NoError(t, err)
	assert.Regexp(t, `^site: \d+ pages, 5 words, 1 lines of code woven in 1 pieces, \d+ files changed, \d+ ms\n$`, output)
}

func TestPublishSaysWhatItDid(t *testing.T) {
	inBook(t)
	output, err := run("publish", "--books=false")
	require.NoError(t, err)
	assert.Regexp(t, `^public: \d+ pages, `, output)
	assert.FileExists(t, "public/01-loop/loop.go.html")
	assert.NoFileExists(t, "public/small.pdf")
}

func TestPublishDemandsAWholeAddress(t *testing.T) {
	inBook(t)
	_, err := run("publish", "--books=false", "--url", "book.example")
	assert.EqualError(t, err, `--url: "book.example" is no whole address, such as https://book.example/`)
	_, err = run("publish", "--books=false", "--url", "https://book.example")
	require.NoError(t, err)
	assert.FileExists(t, "public/sitemap.xml")
	assert.NoDirExists(t, "site")
}

func TestPublishWithoutABrowserSaysWhatToDo(t *testing.T) {
	inBook(t)
	t.Setenv("PATH", t.TempDir())
	_, err := run("publish")
	assert.ErrorContains(t, err, "install it (Debian: apt-get install chromium); or publish the pages alone: --books=false")
	assert.NoDirExists(t, "public")
}

func TestItCanBeStartedInAnyFolderOfTheBook(t *testing.T) {
	inBook(t)
	t.Chdir("chapters/01-loop")
	output, err := run("build")
	require.NoError(t, err)
	assert.Contains(t, output, "../../site: ")
}

func TestOutsideOfABookItSaysWhatItLookedFor(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := run("build")
	assert.ErrorContains(t, err, "there is no chapters/book.md in ")
}

// closing is the end of a chapter, and before it enough to read for a line of code.
const closing = "\nCompare what is with what should be, take one step, look again.\n\n## What you can now explain\n\nIt.\n"

// inWholeBook makes a small book the current folder, in which check finds
// nothing wrong.
func inWholeBook(t *testing.T) {
	t.Helper()
	inBook(t)
	require.NoError(t, os.WriteFile("chapters/01-loop/chapter.md", []byte(chapterText+closing), 0o644))
}

func TestCheckSaysWhatItProved(t *testing.T) {
	inWholeBook(t)
	_, err := run("build")
	require.NoError(t, err)
	output, err := run("check")
	require.NoError(t, err)
	for _, want := range []string{
		"woven     1 lines of code in 1 pieces, every line of a core once; 0 lines are given",
		"proven    0 exercises",
		"fresh     ",
		"words  running  code of 1,000  output of 1,000  longest listing  to look at  pixels, about  part\n" +
			"     22       16             62                0                1           0           2440  01-loop\n",
		"core  of at most  files  chapter\n     1           0      1  01-loop\n",
	} {
		assert.Contains(t, output, want)
	}
}

func TestCheckNamesPartsOverTheirMeasure(t *testing.T) {
	inWholeBook(t)
	text := chapterText + strings.Repeat("\nCompare what is with what should be.\n", 150) + closing
	require.NoError(t, os.WriteFile("chapters/01-loop/chapter.md", []byte(text), 0o644))
	_, err := run("build")
	require.NoError(t, err)
	_, err = run("check")
	assert.ErrorContains(t, err,
		"chapters/01-loop/chapter.md:9: 1,071 words without a figure, a transcript, a table or a run, to line 317: more than 900")
}

func TestCheckDemandsTheQuestionsAtTheEnd(t *testing.T) {
	inBook(t)
	_, err := run("build")
	require.NoError(t, err)
	_, err = run("check")
	assert.ErrorContains(t, err, "chapters/01-loop/chapter.md:7: the chapter does not close with a section `## What you can now explain`")
}

func TestVoiceCountsByChapter(t *testing.T) {
	inBook(t)
	output, err := run("voice")
	require.NoError(t, err)
	assert.Regexp(t, `per 1,000 words +chapter 1 *\n`, output)
	assert.Regexp(t, `words +3 *\n`, output)
}

func TestCheckNamesStaleFiles(t *testing.T) {
	inWholeBook(t)
	_, err := run("build")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("site/01-loop/index.html", nil, 0o644))
	require.NoError(t, os.Remove("site/contents.html"))
	_, err = run("check")
	var got []string
	for _, e := range source.Flatten(err) {
		got = append(got, e.Error())
	}
	assert.Equal(t, []string{
		"site/01-loop/index.html:1: stale: run go run ./cmd/bookgen build",
		"site/contents.html:1: stale: run go run ./cmd/bookgen build",
	}, got)
}

// TestProblemsArePrintedInOrderAndTheExitCodeIsOne runs the program itself.
func TestProblemsArePrintedInOrderAndTheExitCodeIsOne(t *testing.T) {
	if os.Getenv("BOOKGEN_MAIN") != "" {
		os.Args = []string{"bookgen", "check"}
		main()
		return
	}
	inBook(t)
	require.NoError(t, os.WriteFile("chapters/01-loop/chapter.md", []byte(chapterText+"\n[a](a.go)\n\n[b](#b)\n"), 0o644))
	program := exec.Command(os.Args[0], "-test.run=^TestProblemsArePrintedInOrderAndTheExitCodeIsOne$")
	program.Env = append(os.Environ(), "BOOKGEN_MAIN=1")
	output, err := program.CombinedOutput()
	require.Error(t, err)
	assert.Equal(t, 1, program.ProcessState.ExitCode())
	assert.Equal(t, `chapters/01-loop/chapter.md:13: there is no file a.go in 01-loop
chapters/01-loop/chapter.md:15: dead link: nothing on 01-loop has the id "b"
bookgen: 2 problems; the site is as it was
`, string(output))
}
