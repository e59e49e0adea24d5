package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"reconcile/cmd/lab/program"
	openexercise "reconcile/internal/openexercises"
)

// asLab makes the test's own program be lab: built once, and with the race
// detector where the tests are.
const asLab = "RUN_AS_LAB"

func TestMain(m *testing.M) {
	if os.Getenv(asDialer) != "" {
		dial(os.Args[1], os.Args[2], os.Args[3])
		return
	}
	if os.Getenv(asLab) != "" {
		main()
		return
	}
	flag.Parse()
	// These tests wait more than they work, and more of them than there are
	// processors can do so at a time. Those in the first files begin first: there are
	// the longest.
	if err := flag.Set("test.parallel", strconv.Itoa(max(6, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	shareCache()
	os.Exit(openexercise.Run(m))
}

// shareCache spares users whose home is new the compilation of everything.
func shareCache() {
	if cache, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		os.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
	}
}

// limit is how long anything may take, where real servers start beside other tests.
const limit = 5 * time.Minute

// runLab runs a command line in this process; the exit code must be as expected.
func runLab(t *testing.T, code int, arguments ...string) string {
	t.Helper()
	var out strings.Builder
	got := program.Run(t.Context(), newRoot(), arguments, &out, &out)
	require.Equal(t, code, got, out.String())
	return out.String()
}

// home is the folder of a user of its own.
type home struct {
	t      *testing.T
	folder string
	env    []string             // that its processes have besides
	begun  *syscall.SysProcAttr // how they are; nil: as usual
}

func newHome(t *testing.T, env ...string) home {
	return home{t: t, folder: t.TempDir(), env: env}
}

func (h home) file(name string) string { return filepath.Join(h.folder, name) }

func (h home) command(arguments ...string) *exec.Cmd {
	command := exec.CommandContext(h.t.Context(), os.Args[0], arguments...)
	command.Dir, command.SysProcAttr = h.folder, h.begun
	command.Env = append(os.Environ(), asLab+"=yes", "KUBECONFIG=", "KUBERC=off",
		"HOME="+h.folder, "XDG_CACHE_HOME="+h.folder, "LocalAppData="+h.folder)
	command.Env = append(command.Env, h.env...)
	return command
}

// lab runs lab to its end; its exit code must be as expected.
func (h home) lab(code int, arguments ...string) string {
	h.t.Helper()
	command := h.command(arguments...)
	out, _ := command.CombinedOutput() // its error is the code
	require.Equal(h.t, code, command.ProcessState.ExitCode(), "%s", out)
	return string(out)
}

// process is a lab that runs, or a kubectl.
type process struct {
	t       *testing.T
	command *exec.Cmd
	mu      sync.Mutex
	out     bytes.Buffer
	more    chan struct{} // holds a token when something was printed
	ended   chan struct{} // closed when it has
}

// up starts a lab, and returns when it is up.
func (h home) up(arguments ...string) *process {
	h.t.Helper()
	p := h.start(append([]string{"up"}, arguments...)...)
	p.prints("Events, as they happen:\n")
	return p
}

// start runs lab beside the test.
func (h home) start(arguments ...string) *process {
	h.t.Helper()
	p := &process{
		t: h.t, command: h.command(arguments...),
		more: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	read, write, err := os.Pipe()
	require.NoError(h.t, err)
	p.command.Stdout, p.command.Stderr = write, write
	_, err = p.command.StdinPipe() // a terminal at which nobody types
	require.NoError(h.t, err)
	require.NoError(h.t, p.command.Start())
	write.Close()
	go p.read(read)
	h.t.Cleanup(func() { p.command.Process.Kill() })
	return p
}

// read takes what the process prints until it has ended.
func (p *process) read(from io.ReadCloser) {
	defer close(p.ended)
	defer from.Close()
	part := make([]byte, 4096)
	for {
		n, err := from.Read(part)
		p.mu.Lock()
		p.out.Write(part[:n])
		p.mu.Unlock()
		select {
		case p.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (p *process) printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// prints waits until the process has printed something.
func (p *process) prints(text string) {
	p.t.Helper()
	timeout := time.After(limit)
	for !strings.Contains(p.printed(), text) {
		select {
		case <-p.more:
		case <-p.ended:
			require.Contains(p.t, p.printed(), text, "the lab has ended")
		case <-timeout:
			require.Fail(p.t, "not printed", "%q is not in\n%s", text, p.printed())
		}
	}
}

var address = regexp.MustCompile(`https?://127\.0\.0\.1:(\d+)`)

// port returns the port at which the lab listens.
func (p *process) port() string {
	p.t.Helper()
	found := address.FindStringSubmatch(p.printed())
	require.NotNil(p.t, found, p.printed())
	return found[1]
}

// end sends a signal, and returns the exit code: -1 when the signal killed it.
func (p *process) end(signal syscall.Signal) int {
	p.t.Helper()
	require.NoError(p.t, p.command.Process.Signal(signal))
	select {
	case <-p.ended:
	case <-time.After(limit):
		require.Fail(p.t, "the lab does not end")
	}
	p.command.Wait() // its error is the code
	return p.command.ProcessState.ExitCode()
}

// asDialer makes the test's own program say something to a port of this machine.
const asDialer = "RUN_AS_DIALER"

// dial says a line to a port, and leaves, or says that this was all, or waits; then it
// prints what comes, and how that ends.
func dial(port, line, then string) {
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s\n\n", line)
	switch then {
	case "leave":
		return
	case "half":
		conn.(*net.TCPConn).CloseWrite()
	}
	if _, err := io.Copy(os.Stdout, conn); err != nil {
		fmt.Println("broken off")
		return
	}
	fmt.Println("closed")
}
