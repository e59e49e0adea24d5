//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/slow"
)

// A reader types what README says, in the book's folder or, where that would change it,
// in a copy.
type reader struct {
	t    *testing.T
	env  []string
	copy string
}

func newReader(t *testing.T) reader {
	t.Helper()
	home, folder := t.TempDir(), filepath.Join(t.TempDir(), "reconcile")
	for _, part := range []string{"chapters", "cmd", "internal", "site", "workshop"} {
		require.NoError(t, os.CopyFS(filepath.Join(folder, part), os.DirFS(filepath.Join(tree, part))))
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(tree, file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), text, 0o644))
	}
	for _, opener := range []string{"xdg-open", "open"} { // of a browser
		require.NoError(t, os.WriteFile(filepath.Join(home, opener), []byte("#!/bin/sh\n"), 0o755))
	}
	env := append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home, "KUBECONFIG=", "PATH="+home+":"+os.Getenv("PATH"))
	for _, name := range []string{"GOCACHE", "GOENV", "GOMODCACHE", "GOPATH"} { // as they are, though home is another
		value, err := exec.Command("go", "env", name).Output()
		require.NoError(t, err)
		env = append(env, name+"="+strings.TrimSpace(string(value)))
	}
	return reader{t, env, folder}
}

// types returns a command line that ends when it is told to, with all that it starts.
func (r reader) types(line string) *exec.Cmd {
	command := exec.CommandContext(r.t.Context(), "sh", "-c", line)
	command.Dir, command.Env = tree, r.env
	if strings.Contains(line, "lab exercise") || strings.Contains(line, "bookgen serve") {
		command.Dir = r.copy
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGINT) }
	return command
}

// ends runs a line to its end, and returns what it prints.
func (r reader) ends(line string, code int) string {
	r.t.Helper()
	command := r.types(line)
	out, _ := command.CombinedOutput() // its error is the code
	assert.Equal(r.t, code, command.ProcessState.ExitCode(), "%s\n%s", line, out)
	return string(out)
}

var served = regexp.MustCompile(`http://127\.0\.0\.1:\d+/(?:lab/look/\?token=\w+)?`)

// serves runs a line until the test has ended, and asks for the page that it names.
func (r reader) serves(line string) {
	r.t.Helper()
	command := r.types(line)
	out, err := command.StdoutPipe()
	require.NoError(r.t, err)
	require.NoError(r.t, command.Start())
	r.t.Cleanup(func() {
		_ = command.Cancel()
		_, _ = io.Copy(io.Discard, out)
		_ = command.Wait()
	})
	address, said := "", ""
	for lines := bufio.NewScanner(out); address == "" && lines.Scan(); said += lines.Text() + "\n" {
		address = served.FindString(lines.Text())
	}
	require.NotEmpty(r.t, address, "%s\n%s", line, said)
	jar, err := cookiejar.New(nil)
	require.NoError(r.t, err)
	response, err := (&http.Client{Jar: jar}).Get(address)
	require.NoError(r.t, err)
	page, err := io.ReadAll(response.Body)
	require.NoError(r.t, err)
	assert.Equal(r.t, http.StatusOK, response.StatusCode, line)
	assert.Contains(r.t, string(page), "<title>", line)
}

func TestTheCommandsOfREADMEWork(t *testing.T) {
	slow.Test(t, "it compiles and starts what README names")
	r := newReader(t)
	lines := markdown(t, "README.md").commands
	require.Greater(t, len(lines), 8)
	for _, line := range lines {
		switch line {
		case "go test ./...": // the first step of .ci/run
		case "go run ./cmd/bookgen serve":
			r.serves(line + " --port 0")
		case "go run ./cmd/lab up --open":
			r.serves(line)
		case "go run ./cmd/bookgen serve --live", "go run ./cmd/lab workshop pack --for windows,darwin,linux -o ../usb":
			r.ends(line+" --help", 0) // they compile for minutes
		case "go run ./cmd/lab exercise test":
			assert.Contains(r.t, r.ends(line, 1), "still to be written")
		default:
			r.ends(line, 0)
		}
	}
}
