//go:build linux

package oci_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"reconcile/internal/kubetest"
)

// How the manifest's sidecar ends, and how the mended one does: each is process 1
// of its namespace, as it would be without an init. What stands for a backup has
// a child that lives a moment longer than itself.
const (
	ociBackup  = `"sleep 0.3 & echo a backup"`
	ociListen  = "ncat --listen --keep-open --send-only --max-conns=1 3307 -c " + ociBackup
	ociExeced  = "exec " + ociListen
	ociStarted = "trap 'exit 143' TERM\n" + ociListen + " &\nwait $!"
)

// ociFirst is a process that is the first of its namespace.
type ociFirst struct {
	*ociPage
	cmd    *exec.Cmd
	errs   bytes.Buffer
	ended  chan struct{}
	atRest int // how many processes it has made when nobody calls
}

func TestRunOfTwoFirstProcesses(t *testing.T) {
	p := newOCIPage(t)
	p.part("exec")
	first := p.first(ociExeced, 0)
	first.kill()
	first.call()
	first.end()
	p.part("mended")
	first = p.first(ociStarted, 1)
	for range 3 {
		first.call()
		first.rest()
	}
	first.kill()
	first.end()
	kubetest.Recorded(t, "../../testdata/first.txt", p.Bytes())
}

// first starts a script as process 1, and waits until it listens.
func (p *ociPage) first(script string, children int) *ociFirst {
	f := &ociFirst{ociPage: p, ended: make(chan struct{}), atRest: children,
		cmd: exec.Command("bash", "-c", "busybox ip link set lo up\n"+script)}
	f.cmd.Stderr = &f.errs
	f.cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNET, Pdeathsig: unix.SIGKILL,
	}
	require.NoError(p.t, f.cmd.Start())
	go func() {
		_ = f.cmd.Wait()
		close(f.ended)
	}()
	p.t.Cleanup(func() { _ = f.cmd.Process.Kill() })
	p.ran("inside", script, "")
	p.names = strings.NewReplacer(fmt.Sprint(f.cmd.Process.Pid), "4711")
	ociEventually(p.t, func() bool {
		sockets, _ := os.ReadFile(f.proc("net/tcp"))
		return bytes.Contains(sockets, fmt.Appendf(nil, ":%04X 00000000:0000 0A", 3307))
	})
	return f
}

func (f *ociFirst) proc(file string) string {
	return fmt.Sprintf("/proc/%d/%s", f.cmd.Process.Pid, file)
}

// kill asks it to end.
func (f *ociFirst) kill() {
	f.on(fmt.Sprintf("kill -TERM %d", f.cmd.Process.Pid))
}

// call asks for a backup.
func (f *ociFirst) call() {
	out, _ := exec.Command("nsenter", "-n", "-t", fmt.Sprint(f.cmd.Process.Pid),
		"ncat", "--recv-only", "127.0.0.1", "3307").Output()
	f.ran("beside", "ncat --recv-only 127.0.0.1 3307", string(out))
}

// rest waits until whatever a call has begun has ended.
func (f *ociFirst) rest() {
	ociEventually(f.t, func() bool { return f.made() == f.atRest })
}

func (f *ociFirst) hasEnded() bool {
	select {
	case <-f.ended:
		return true
	default:
		return false
	}
}

// made counts the other processes of its namespace: those that are its children,
// and theirs.
func (f *ociFirst) made() (n int) {
	own, _ := os.Readlink(f.proc("ns/pid"))
	all, _ := os.ReadDir("/proc")
	for _, process := range all {
		ns, err := os.Readlink("/proc/" + process.Name() + "/ns/pid")
		if err == nil && ns == own && process.Name() != fmt.Sprint(f.cmd.Process.Pid) {
			n++
		}
	}
	return n
}

// end notes how it has ended.
func (f *ociFirst) end() {
	ociEventually(f.t, f.hasEnded)
	fmt.Fprintf(f, "(process 1 has ended: %s%s)\n", f.cmd.ProcessState, f.said())
}

func (f *ociFirst) said() string {
	if said := strings.TrimSpace(f.errs.String()); said != "" {
		return ", and said: " + said
	}
	return ""
}
