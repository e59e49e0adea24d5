package conformance_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/kubectl"
	"reconcile/internal/lab/up"
	"reconcile/internal/openexercises"
)

// limit is how long a command may take. It is there to be seen failing, not to
// be waited for.
const limit = time.Minute

// shared is the lab that most tests use.
var shared *running

func TestMain(m *testing.M) { os.Exit(openexercises.Run(withLab{m})) }

// withLab runs tests beside a lab.
type withLab struct{ *testing.M }

func (m withLab) Run() int {
	folder, err := os.MkdirTemp("", "conformance")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	prepareEnvironment(folder)
	shared = start(up.Options{Nodes: 3, Address: "127.0.0.1", Seed: 1}, folder)
	defer shared.stop()
	return m.M.Run()
}

// prepareEnvironment keeps the settings of this machine's user away from
// kubectl, and gives it an editor: it replaces the word OLD by NEW.
func prepareEnvironment(folder string) {
	editor := filepath.Join(folder, "editor")
	script := "#!/bin/sh\nsed s/OLD/NEW/ \"$1\" > \"$1.new\" && mv \"$1.new\" \"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o755); err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": folder, "KUBECONFIG": "", "KUBERC": "off",
		"KUBE_EDITOR": editor, "KUBECTL_EXTERNAL_DIFF": "",
	} {
		os.Setenv(name, value)
	}
}

// running is a lab that runs.
type running struct {
	kubeconfig string
	cache      string
	stop       func()
}

// start returns when the lab has said that it is up.
func start(opts up.Options, folder string) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{
		kubeconfig: filepath.Join(folder, "kubeconfig"),
		cache:      filepath.Join(folder, "cache"),
	}
	opts.Kubeconfig = r.kubeconfig
	out := &output{}
	opts.Out, opts.Err = out, out
	done := make(chan error, 1)
	go func() { done <- up.Run(ctx, opts) }()
	r.stop = func() {
		cancel()
		if err := <-done; err != nil {
			panic(err)
		}
	}
	if !out.has("Events, as they happen", limit) {
		panic("the lab did not start: " + out.String())
	}
	return r
}

// user has a kubectl and a namespace.
type user struct {
	t         *testing.T
	lab       *running
	namespace string
	folder    string
}

var namespaces atomic.Int32

// newUser makes a test run beside the others, in a namespace of its own.
func newUser(t *testing.T) *user {
	t.Helper()
	t.Parallel()
	u := &user{
		t: t, lab: shared, folder: t.TempDir(),
		namespace: fmt.Sprintf("test-%d", namespaces.Add(1)),
	}
	u.ok("create", "namespace", u.namespace)
	return u
}

// ofOwn makes a lab for a test alone, with these controllers or all.
func ofOwn(t *testing.T, nodes int, controllers ...string) *user {
	t.Helper()
	t.Parallel()
	folder := t.TempDir()
	r := start(up.Options{
		Nodes: nodes, Address: "127.0.0.1", Seed: 1, Controllers: controllers,
	}, folder)
	t.Cleanup(r.stop)
	return &user{t: t, lab: r, folder: folder, namespace: "default"}
}

// result holds the output of a command, and its exit code.
type result struct {
	out, err string
	code     int
}

// kubectl runs a command to its end, in the user's namespace.
func (u *user) kubectl(args ...string) result { return u.feed("", args...) }

// feed does the same with something to read.
func (u *user) feed(input string, args ...string) result {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), limit)
	defer cancel()
	var out, errs bytes.Buffer
	code := u.run(ctx, strings.NewReader(input), &out, &errs, args)
	require.NoError(u.t, ctx.Err(), "kubectl %s has printed %q %q until now",
		strings.Join(args, " "), &out, &errs)
	return result{out.String(), errs.String(), code}
}

func (u *user) run(
	ctx context.Context, in io.Reader, out, errs io.Writer, args []string,
) int {
	if installed := os.Getenv("CONFORMANCE_KUBECTL"); installed != "" {
		return u.runInstalled(ctx, installed, in, out, errs, args)
	}
	return kubectl.Run(ctx, kubectl.Command{
		Args:       append([]string{"--namespace", u.namespace}, args...),
		Kubeconfig: u.lab.kubeconfig, CacheDir: u.lab.cache,
		In: in, Out: out, Err: errs,
	})
}

// runInstalled runs a kubectl of another version.
func (u *user) runInstalled(
	ctx context.Context, program string, in io.Reader, out, errs io.Writer, args []string,
) int {
	command := exec.CommandContext(ctx, program, append([]string{
		"--kubeconfig", u.lab.kubeconfig, "--cache-dir", u.lab.cache,
		"--namespace", u.namespace}, args...)...)
	command.Stdout, command.Stderr = out, errs
	stdin, err := command.StdinPipe()
	if err != nil {
		panic(err)
	}
	go func() { // by itself, for it may have to wait for an end that never comes
		io.Copy(stdin, in)
		stdin.Close()
	}()
	_ = command.Run() // its exit code is the answer
	return command.ProcessState.ExitCode()
}

// ok runs a command that must succeed, and returns its output.
func (u *user) ok(args ...string) string {
	u.t.Helper()
	r := u.kubectl(args...)
	require.Zero(u.t, r.code, "kubectl %s: %s%s", strings.Join(args, " "), r.out, r.err)
	return r.out
}

// says runs a command that must print exactly this, besides its line's end.
func (u *user) says(want string, args ...string) {
	u.t.Helper()
	assert.Equal(u.t, want, strings.TrimSuffix(u.ok(args...), "\n"),
		"kubectl "+strings.Join(args, " "))
}

// refused runs a command that must fail, and returns its complaint.
func (u *user) refused(args ...string) string {
	u.t.Helper()
	r := u.kubectl(args...)
	require.Equal(u.t, 1, r.code, "kubectl %s: %s%s", strings.Join(args, " "), r.out, r.err)
	return strings.TrimSuffix(r.err, "\n")
}

// file writes a manifest and returns its path.
func (u *user) file(text string) string {
	u.t.Helper()
	file, err := os.CreateTemp(u.folder, "*.yaml")
	require.NoError(u.t, err)
	_, err = file.WriteString(strings.ReplaceAll(text, "\t", "  "))
	require.NoError(u.t, err)
	require.NoError(u.t, file.Close())
	return file.Name()
}

// apply applies a manifest.
func (u *user) apply(text string) {
	u.t.Helper()
	u.ok("apply", "-f", u.file(text))
}
