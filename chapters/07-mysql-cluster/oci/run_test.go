//go:build linux

package oci_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"reconcile/chapters/07-mysql-cluster/oci/stdio"
	"reconcile/internal/kubetest"
)

// ociPage is what a page shows of containers: commands, where they were run, and
// what they printed. Numbers that differ from run to run have names there.
type ociPage struct {
	*ociRig
	bytes.Buffer
	names *strings.Replacer
	known map[string]string // the name of a namespace
}

// newOCIPage skips where there are no cgroups, which a page is to show.
func newOCIPage(t *testing.T) *ociPage {
	if os.Geteuid() != 0 || !ociCgroups() {
		t.Skip("recorded by root only: it has cgroups to divide")
	}
	return &ociPage{
		ociRig: newOCIRig(t), names: strings.NewReplacer(),
		known: map[string]string{},
	}
}

func (p *ociPage) part(name string) { fmt.Fprintf(p, "# part: %s\n", name) }

// ran notes that a command was run somewhere, and what it printed.
func (p *ociPage) ran(where, command, out string) {
	fmt.Fprintf(p, "%-8s $ %s\n%s", where, p.names.Replace(command),
		p.named(p.names.Replace(out)))
}

// on runs a command on the machine.
func (p *ociPage) on(command string) string {
	out, _ := exec.Command("busybox", "sh", "-c", command).CombinedOutput()
	p.ran("machine", command, string(out))
	return string(out)
}

// in runs a command in a container.
func (p *ociPage) in(pod *corev1.Pod, container, command string) {
	out, _, err := p.Exec(p.t.Context(), pod.UID, container,
		[]string{"sh", "-c", command})
	require.NoError(p.t, err)
	p.ran(container, command, out)
}

var ociNamespace = regexp.MustCompile(`\w+:\[\d+\]`)

// named calls namespaces A, B, C in the order in which they are seen.
func (p *ociPage) named(text string) string {
	return ociNamespace.ReplaceAllStringFunc(text, func(ns string) string {
		kind, _, _ := strings.Cut(ns, ":")
		if p.known[ns] == "" {
			p.known[ns] = fmt.Sprintf("%s:[%c]", kind, 'A'+len(p.known))
		}
		return p.known[ns]
	})
}

// A process, one namespace at a time.
func TestRunOfAProcessWithOtherNamespaces(t *testing.T) {
	p := newOCIPage(t)
	const look = "ls -l /proc/self/ns | grep -oE '(pid|uts|net) -> .*'"
	p.part("machine")
	p.on(look)
	for _, step := range []struct {
		part, script string
		flags        uintptr
	}{
		{"numbers", "echo $$", unix.CLONE_NEWPID},
		{"name", "hostname mysql-0; hostname", unix.CLONE_NEWPID | unix.CLONE_NEWUTS},
		{"network", look,
			unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWNET},
	} {
		p.part(step.part)
		p.begin(step.script, step.flags)
	}
	kubetest.Recorded(t, "../../testdata/namespaces.txt", p.Bytes())
}

// begin runs a script in new namespaces, and shows its two numbers while it is
// there.
func (p *ociPage) begin(script string, namespaces uintptr) {
	inside := exec.Command("busybox", "sh", "-c", script+"; echo; read wait")
	inside.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces}
	stdin, err := inside.StdinPipe()
	require.NoError(p.t, err)
	stdout, err := inside.StdoutPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, inside.Start())
	out := ""
	for part := make([]byte, 1); !strings.HasSuffix("\n"+out, "\n\n"); {
		_, err := stdout.Read(part)
		require.NoError(p.t, err, out)
		out += string(part)
	}
	p.ran("inside", script, strings.TrimSuffix(out, "\n"))
	p.names = strings.NewReplacer(fmt.Sprint(inside.Process.Pid), "4711")
	p.on(fmt.Sprintf("grep NSpid /proc/%d/status", inside.Process.Pid))
	stdin.Close()
	_, _ = io.Copy(io.Discard, stdout)
	_ = inside.Wait()
}

// A root of its own, by the runtime.
func TestRunOfARootOfItsOwn(t *testing.T) {
	p := newOCIPage(t)
	pod := sandbox("root", "sleep 100")
	p.start(pod)
	root := filepath.Join(p.state, "pods", "uid-root", "main", "0", "rootfs")
	p.names = strings.NewReplacer(root, "rootfs")
	p.part("image")
	p.on("ls " + root)
	p.part("inside")
	p.in(pod, "main", "ls /")
	p.in(pod, "main", "ls ../../../../..")
	p.in(pod, "main", "ls /home /root")
	p.part("written")
	p.in(pod, "main", "echo mine > /new; cat /new")
	p.on("cat " + filepath.Join(root, "new"))
	p.part("again")
	p.Stop(pod.UID, "main", 0)
	p.end(pod)
	p.start(pod)
	p.in(pod, "main", "cat /new")
	kubetest.Recorded(t, "../../testdata/root.txt", p.Bytes())
}

// A limit, and what comes of it.
func TestRunOfALimit(t *testing.T) {
	p := newOCIPage(t)
	pod := sandbox("limit", "read go; tail /dev/zero")
	c := &pod.Spec.Containers[0]
	c.Stdin = true
	c.Resources.Limits = corev1.ResourceList{
		corev1.ResourceMemory: resource.MustParse("64Mi"),
		corev1.ResourceCPU:    resource.MustParse("500m"),
	}
	p.start(pod)
	for _, file := range []struct{ name, group, v1, v2 string }{
		{"memory", "memory", "memory.limit_in_bytes", "memory.max"},
		{"cpu", "cpu", "cpu.cfs_quota_us", "cpu.max"},
	} {
		group := p.group(file.group, file.v1, file.v2)
		p.names = strings.NewReplacer(group, "/sys/fs/cgroup/"+file.name+"/…")
		text, err := os.ReadFile(group)
		require.NoError(t, err)
		p.part(file.name)
		fmt.Fprintf(p, "%s limit: %s\n", file.name, strings.Fields(string(text))[0])
	}
	p.part("killed")
	_, err := p.Attach(t.Context(), pod.UID, "main",
		stdio.Streams{Stdin: strings.NewReader("\n")})
	require.NoError(t, err)
	end := p.Runtime.Containers(pod.UID)["main"].State.Terminated
	fmt.Fprintf(p, "tail /dev/zero: exit code %d, %s\n", end.ExitCode, end.Reason)
	kubetest.Recorded(t, "../../testdata/limit.txt", p.Bytes())
}

// group is the file of the container's cgroup that there is, of either version.
func (p *ociPage) group(kind, v1, v2 string) string {
	for _, pattern := range []string{
		"/sys/fs/cgroup/" + kind + "/reconcile-*uid-limit*/" + v1,
		"/sys/fs/cgroup/reconcile-*uid-limit*/" + v2,
	} {
		if found, _ := filepath.Glob(pattern); len(found) == 1 {
			return found[0]
		}
	}
	require.Fail(p.t, "no cgroup", kind)
	return ""
}

// What a Pod's containers share, and what a restart leaves of it: without a
// pause, and with it.
func TestRunOfAPause(t *testing.T) {
	p := newOCIPage(t)
	p.part("without")
	for _, script := range []string{
		"ip addr add 10.244.1.7/32 dev lo; ip addr show lo | grep inet",
		"ip addr show lo | grep inet || echo no address",
	} {
		alone := exec.Command("busybox", "sh", "-c", script)
		alone.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET}
		out, err := alone.Output()
		require.NoError(t, err)
		p.ran("main", script, string(out))
	}
	name, sleep := ociHeld(os.Getpid())
	pod := sandbox(name, sleep)
	other := pod.Spec.Containers[0].DeepCopy()
	other.Name = "sidecar"
	p.start(pod)
	require.NoError(t, p.Start(t.Context(), pod, other, nil))
	const look = "ls -l /proc/self/ns | grep -oE '(net|uts|ipc|pid|mnt) -> .*'"
	p.part("shared")
	p.in(pod, "main", look)
	p.in(pod, "sidecar", look)
	p.in(pod, "main", "ip addr show lo | grep 10.244")
	p.part("restart")
	for _, ns := range ociNamespacesOf(t, "run sh -c "+sleep) {
		defer ns.Close() // else the next one could have its number
	}
	p.Stop(pod.UID, "main", 0)
	p.end(pod)
	p.start(pod)
	p.in(pod, "main", look)
	p.in(pod, "main", "ip addr show lo | grep 10.244")
	p.part("processes")
	p.names = strings.NewReplacer(name, "pause", sleep, "sleep 100")
	for _, word := range []string{"init pause " + name, "run sh -c " + sleep} {
		for _, line := range ociProcesses(t, word) {
			command := strings.Fields(line)[1:]
			fmt.Fprintln(p, filepath.Base(command[0]),
				p.names.Replace(strings.Join(command[1:], " ")))
		}
	}
	kubetest.Recorded(t, "../../testdata/pause.txt", p.Bytes())

	p.names = strings.NewReplacer()
	all := []any{p.member("pause", ociProcesses(t, "init pause "+name)[0])}
	for i, line := range ociProcesses(t, "run sh -c "+sleep) {
		all = append(all, p.member([]string{"sidecar", "main"}[i], line))
	}
	kubetest.RecordedJSON(t, "../../testdata/pod.json", map[string]any{"processes": all})
}

// member is a process, and the namespaces that it is in.
func (p *ociPage) member(name, line string) map[string]string {
	m := map[string]string{"name": name}
	for _, kind := range []string{"net", "ipc", "uts", "mnt", "pid"} {
		ns, err := os.Readlink("/proc/" + strings.Fields(line)[0] + "/ns/" + kind)
		require.NoError(p.t, err)
		m[kind] = strings.Trim(strings.TrimPrefix(p.named(ns), kind+":"), "[]")
	}
	return m
}

// ociNamespacesOf are the own namespaces of processes, which last while they are
// open.
func ociNamespacesOf(t *testing.T, word string) (all []*os.File) {
	for _, line := range ociProcesses(t, word) {
		for _, kind := range []string{"mnt", "pid"} {
			ns, err := os.Open("/proc/" + strings.Fields(line)[0] + "/ns/" + kind)
			require.NoError(t, err)
			all = append(all, ns)
		}
	}
	return all
}
