package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/lab/program"
	"reconcile/internal/filelock"
	"reconcile/internal/slow"
)

// ofACluster is a test that leaves a record, as one in a cluster does, of what plan
// returns.
const ofACluster = `package counting

import (
	"fmt"
	"os"
	"testing"
)

//book:exercise 1b
func TestTheRightOneIsDeleted(t *testing.T) {
	_, remove := plan(1, []string{"c", "a", "b"})
	if folder := os.Getenv("RECONCILE_LOOK"); folder != "" {
		record := ` + "`" + `{"entries": [{"n": 1, "at": 0, "do": "run", "lane": "counter", "key": "x"}` + "`" + `
		for i, name := range remove {
			record += fmt.Sprintf(` + "`" + `, {"n": %d, "at": 2000000, "do": "write", "lane": "counter", "verb": "deleted", "kind": "Pod", "key": "%s"}` + "`" + `, i+2, name)
		}
		os.WriteFile(folder+"/TestTheRightOneIsDeleted.1.json", []byte(record+"]}"), 0o644)
	}
	if len(remove) != 2 || remove[0] != "b" {
		t.Errorf("deleted %v", remove)
	}
}
`

// newBookWithACluster is a small book in which such a test judges exercise 1b, and no other.
func newBookWithACluster(t *testing.T) {
	t.Helper()
	newBook(t)
	text, err := os.ReadFile("plan_test.go")
	require.NoError(t, err)
	unmarked := strings.ReplaceAll(string(text), "//book:exercise 1b\n", "")
	require.NoError(t, os.WriteFile("plan_test.go", []byte(unmarked), 0o644))
	require.NoError(t, os.WriteFile("cluster_test.go", []byte(ofACluster), 0o644))
}

// looking runs an exercise's test until its page is served, has visit see that, and
// interrupts it then. It returns the exit code and what was said.
func looking(t *testing.T, visit func(address string), arguments ...string) (code int, said string) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	printed, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- program.Run(ctx, newRoot(), append([]string{"exercise", "test"}, arguments...), out, out)
		out.Close()
	}()
	var all strings.Builder
	for lines := bufio.NewReader(printed); ; {
		line, err := lines.ReadString('\n')
		all.WriteString(line)
		if address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/\?token=\w+`).FindString(line); address != "" {
			visit(address)
			interrupt()
		}
		if err != nil {
			return <-ended, all.String()
		}
	}
}

func TestAFailingTestsRunIsShownBesideTheBooks(t *testing.T) {
	newBookWithACluster(t)
	ex(t, 0, "start", "1b")
	replaceInPlan(t, "\treturn 0, nil\n", wrongPlan)
	code, said := looking(t, func(address string) {
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		page := got(t, &http.Client{Jar: jar}, address, http.StatusOK)
		assert.Contains(t, page, "<h1>The right one is deleted</h1>")
		assert.Contains(t, page, `data-record="mine.json" data-at="2"`)
		assert.Contains(t, page, `data-record="book.json" data-at="2"`)
		bare, _, _ := strings.Cut(address, "?")
		browser := &http.Client{Jar: jar}
		assert.Contains(t, got(t, browser, bare+"mine.json", http.StatusOK), `"key": "a"`)
		assert.NotContains(t, got(t, browser, bare+"book.json", http.StatusOK), `"key": "a"`)
		assert.Contains(t, got(t, browser, bare+"look.js", http.StatusOK), "const lookView")
		got(t, browser, bare+"look.css", http.StatusOK)
		got(t, browser, bare+"page.js", http.StatusOK)
		got(t, browser, bare+"page.css", http.StatusOK)
		got(t, browser, bare+"other", http.StatusNotFound)
		assert.Contains(t, got(t, http.DefaultClient, bare, http.StatusUnauthorized), "open the address that lab printed")
	}, "1b", "--look")
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "1 of 1 fail.\n")
	assert.Contains(t, said, "\nThe right one is deleted, your run beside the book's:\n"+
		"They differ first at step 2, 2s in. Yours: counter deletes Pod a. The book's: counter deletes Pod b.\n")
	assert.Regexp(t, `1b .* 1 of 1 fail\n`, ex(t, 0, "list"), "it counts once")
	assert.Regexp(t, `1b +Compare and act +write +about 20 min, a guess +started +1 `, ex(t, 0, "list"))
}

func got(t *testing.T, client *http.Client, address string, code int) string {
	t.Helper()
	answer, err := client.Get(address)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, code, answer.StatusCode, "%s: %s", address, text)
	return string(text)
}

func TestWithoutAClusterThereIsNothingToLookInto(t *testing.T) {
	newBook(t)
	ex(t, 0, "start", "1b")
	replaceInPlan(t, "\treturn 0, nil\n", wrongPlan)
	assert.Contains(t, ex(t, 1, "test", "1b", "--look"), "1 of 2 pass.\n\nThis looks like")
	assert.Contains(t, ex(t, 1, "test", "1b", "--look"), "\nNo test that fails has a cluster to look into, nor has any other of this exercise: "+
		"they call its functions, and compare what these return.\n")
	assert.Contains(t, ex(t, 1, "test", "--all", "--look"), "--look looks into one exercise: give its number")
}

func TestATestThatHasAClusterAndPassesIsNamed(t *testing.T) {
	newBookWithACluster(t)
	ex(t, 0, "start", "1c")
	require.NoError(t, os.WriteFile("exercises/reach.txt", []byte("TestTheRightOneIsDeleted 5 1c\n"), 0o644))
	assert.Contains(t, ex(t, 1, "test", "1c", "--look"), "\nNo test that fails has a cluster to look into; "+
		"of this exercise's tests these have one, and it would be shown if they failed: \"The right one is deleted\".\n")
}

func TestAPredictionIsNotLookedInto(t *testing.T) {
	newBookOfKinds(t)
	ex(t, 0, "start", "1d")
	assert.Contains(t, ex(t, 1, "test", "1d", "--look"), "\nA prediction has no cluster to look into: the run is on its page.\n")
}

func TestWhatIsInterruptedWhileItIsRecordedLeavesNothing(t *testing.T) {
	newBookWithACluster(t)
	ex(t, 0, "start", "1b")
	t.Setenv("TMPDIR", t.TempDir())
	ctx, interrupt := context.WithCancel(t.Context())
	out := &ender{at: "1 of 1 fail.", end: interrupt}
	assert.Equal(t, 130, program.Run(ctx, newRoot(), []string{"exercise", "test", "1b", "--look"}, out, out))
	assert.Contains(t, out.String(), "lab: interrupted; nothing is lost")
	assert.NotContains(t, out.String(), "To look into")
	left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "reconcile-test-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.Regexp(t, `1b .* 1 of 1 fail\n`, ex(t, 0, "list"), "the verdict was known")
}

func TestWhereNoTestFailsNothingIsLookedInto(t *testing.T) {
	newBookWithACluster(t)
	said := ex(t, 0, "test", "1b", "--look")
	assert.Contains(t, said, "1 of 1 pass.\n")
	assert.NotContains(t, said, "look into")
}

// sameFolder returns an empty folder that has the same path each time, so that Go
// compiles what is put there once.
func sameFolder(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	folder := filepath.Join(cache, "reconcile", "test-look")
	require.NoError(t, os.MkdirAll(filepath.Dir(folder), 0o755))
	release, err := filelock.Hold(folder + ".lock")
	if err != nil {
		return t.TempDir() // another run has it
	}
	t.Cleanup(release)
	require.NoError(t, os.RemoveAll(folder))
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(folder)) })
	return folder
}

// The whole way, with the book's own chapter 2 and kubetest.
func TestAWrongRecreateIsLookedInto(t *testing.T) {
	slow.Test(t, "it compiles chapter 2 twice")
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	book := sameFolder(t)
	for _, folder := range []string{"chapters/01-control-loop", "chapters/02-deployment", "internal"} {
		require.NoError(t, os.CopyFS(filepath.Join(book, folder), os.DirFS(filepath.Join(root, folder))))
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(book, file), text, 0o644))
	}
	t.Chdir(filepath.Join(book, "chapters/02-deployment"))
	ex(t, 0, "start", "2f")
	recreate, err := os.ReadFile("recreate.go")
	require.NoError(t, err)
	wrong := strings.Replace(string(recreate), "\treturn Outcome{}, nil\n", "\treturn Outcome{}, r.Start(ctx, 1)\n", 1)
	require.NotEqual(t, string(recreate), wrong)
	require.NoError(t, os.WriteFile("recreate.go", []byte(wrong), 0o644))
	code, said := looking(t, func(address string) {
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		got(t, &http.Client{Jar: jar}, address, http.StatusOK)
	}, "2f", "--look")
	assert.Equal(t, 1, code)
	assert.Regexp(t, `\nRecreate makes the first ReplicaSet at its full size, your run beside the book's:\n`+
		`They differ first at step \d+, 0s in\. In both, deployment creates ReplicaSet shop/web-\w+ \(recreate\.go:\d+\), but with another spec\.replicas: yours is 1, the book's 3\.\n`, said)
}
