package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/lab/program"
)

func TestReadServesTheBookUntilItIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	printed, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- program.Run(ctx, newRoot(), []string{"read"}, out, io.Discard)
		out.Close()
	}()
	line, err := bufio.NewReader(printed).ReadString('\n')
	require.NoError(t, err)
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(line)
	require.NotEmpty(t, address, line)
	assert.Contains(t, body(t, address), "<title>Reconcile")
	assert.Contains(t, body(t, address+"chapters/01-control-loop/naive.go"), "package controlloop", "its pages lead there")
	interrupt()
	assert.Equal(t, 0, <-code)
}

// Every user of the machine may read what is served.
func TestNoLinkLeadsOutOfTheBook(t *testing.T) {
	newBook(t)
	root := filepath.Join("..", "..")
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("a secret"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "site"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "site", "index.html"), []byte("the book"), 0o644))
	for _, folder := range []string{"site", "chapters"} {
		require.NoError(t, os.Symlink(secret, filepath.Join(root, folder, "link.txt")))
		require.NoError(t, os.Symlink(filepath.Dir(secret), filepath.Join(root, folder, "folder")))
	}
	require.NoError(t, os.Symlink("index.html", filepath.Join(root, "site", "inside.html")))
	book, err := theBook()
	require.NoError(t, err)
	answer := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		book.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	for _, path := range []string{
		"/link.txt", "/folder/secret", "/folder/", "/chapters/link.txt", "/chapters/folder/secret",
	} {
		assert.GreaterOrEqual(t, answer(path).Code, 400, path)
		assert.NotContains(t, answer(path).Body.String(), "secret", path)
	}
	assert.Equal(t, "the book", answer("/inside.html").Body.String(), "a link that stays inside is one")
	assert.Contains(t, answer("/chapters/01-counting/plan.go").Body.String(), "package ")
}

// Only who asks for it lets others in.
func TestReadLetsAnotherAddressIn(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	printed, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- program.Run(ctx, newRoot(), []string{"read", "--address", "::1"}, out, io.Discard)
		out.Close()
	}()
	line, err := bufio.NewReader(printed).ReadString('\n')
	if err != nil {
		t.Skip("this machine has no IPv6")
	}
	address := regexp.MustCompile(`http://\[::1\]:\d+/`).FindString(line)
	require.NotEmpty(t, address, line)
	assert.Contains(t, body(t, address), "<title>Reconcile")
	interrupt()
	assert.Equal(t, 0, <-code)
}

// Whoever serves to a room reads out what it is to type.
func TestReadAtAllAddressesNamesThoseThatOthersReach(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	printed, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- program.Run(ctx, newRoot(), []string{"read", "--address", "0.0.0.0"}, out, io.Discard)
		out.Close()
	}()
	line, err := bufio.NewReader(printed).ReadString('\n')
	require.NoError(t, err)
	address := regexp.MustCompile(`http://[1-9]\d*\.\d+\.\d+\.\d+:\d+/`).FindString(line)
	require.NotEmpty(t, address, line)
	assert.Contains(t, body(t, address), "<title>Reconcile")
	interrupt()
	assert.Equal(t, 0, <-code)
}

func TestAPortAndAnAddressThatCannotBeTakenNameTheirFlags(t *testing.T) {
	taken := httptest.NewServer(http.NotFoundHandler())
	defer taken.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(taken.URL, "http://"), ":")
	assert.Contains(t, runLab(t, 1, "read", "--port", port), "; --port 0 takes a free one")
	assert.Contains(t, runLab(t, 1, "read", "--address", "192.0.2.1"), "; --address takes one of this machine's")
}

func body(t *testing.T, address string) string {
	t.Helper()
	answer, err := http.Get(address)
	require.NoError(t, err)
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(page)
}
