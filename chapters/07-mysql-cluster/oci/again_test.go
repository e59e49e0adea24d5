//go:build linux

package oci_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/07-mysql-cluster/oci"
	"reconcile/internal/kubetest"
)

// ociAgain is this program once more, to run some of the tests.
func ociAgain(run string, env ...string) *exec.Cmd {
	again := exec.Command("/proc/self/exe", "-test.run", run, "-test.v")
	again.Env = append(os.Environ(), env...)
	again.SysProcAttr = &syscall.SysProcAttr{}
	return again
}

// The tests of the runtime, by somebody who is root nowhere but in a namespace.
func TestOCIRootless(t *testing.T) {
	kubetest.Real(t)
	if os.Getenv("OCI_INIT") != "" {
		t.Skip("we are there already")
	}
	if _, err := exec.LookPath(ociCommand()); err != nil {
		kubetest.Lacks(t, err)
	}
	uid, gid, home := os.Getuid(), os.Getgid(), t.TempDir()
	init := ociInit(t, home)
	if uid == 0 {
		uid, gid = 65534, 65534
		for dir := home; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			require.NoError(t, os.Chmod(dir, 0o755))
		}
		require.NoError(t, os.Chown(home, uid, gid))
	}
	again := ociAgain("^TestOCI", "TMPDIR="+home, "HOME="+home, "OCI_INIT="+init)
	one := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
	}
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET |
			unix.CLONE_NEWIPC,
		UidMappings: one(uid), GidMappings: one(gid),
		Credential: &syscall.Credential{NoSetGroups: true},
	}
	out, err := again.CombinedOutput()
	if os.IsPermission(err) {
		kubetest.Lacks(t, "user namespaces are not allowed here: ", err)
	}
	assert.NoError(t, err, string(out))
	assert.Contains(t, string(out), "--- PASS: TestOCIExec/on_a_terminal")
	assert.Contains(t, string(out), "--- SKIP: TestOCIMemoryLimitKills")
}

func TestOCIWhatAKilledRunHasLeftIsSwept(t *testing.T) {
	if dir := os.Getenv("OCI_HELD"); dir != "" {
		ociHold(t, dir)
	}
	r := newOCIRig(t)
	dir := t.TempDir()
	holder := ociAgain("^TestOCIWhatAKilledRunHasLeftIsSwept$", "OCI_HELD="+dir, "TMPDIR="+t.TempDir())
	require.NoError(t, holder.Start())
	t.Cleanup(func() { holder.Process.Kill() })
	name, sleep := ociHeld(holder.Process.Pid)
	ours := func() []string { return ociProcesses(t, name, sleep) }
	ociEventually(t, func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "up"))
		return string(text) == "up" && len(ours()) == 3 // pause, podinit, and sleep: runc has ended
	})
	require.NoError(t, holder.Process.Kill())
	_ = holder.Wait()
	ociEventually(t, func() bool { return len(ours()) == 0 })

	next, err := oci.New(t.Context(), oci.Config{
		State: filepath.Join(dir, "state"), Images: r,
		Network: ociNetwork{}, Init: ociInit(t, t.TempDir()), Command: ociCommand(),
	})
	require.NoError(t, err)
	assert.Empty(t, next.Sandboxes())
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	assert.NotContains(t, string(mounts), dir)
	left, err := os.ReadDir(filepath.Join(dir, "state"))
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.FileExists(t, filepath.Join(dir, "volume", "kept"),
		"what was mounted is somebody's data")
	cgroups, err := filepath.Glob("/sys/fs/cgroup/*/reconcile-*uid-" + name + "*")
	require.NoError(t, err)
	assert.Empty(t, cgroups)
}

// A lab that was killed may never be begun again in the same folder.
func TestOCISweepsTheEmptyGroupsOfOthersToo(t *testing.T) {
	ociNeeds(t)
	root, state := t.TempDir(), t.TempDir()
	r, err := oci.New(t.Context(), oci.Config{
		State: state, Network: ociNetwork{}, Init: "unused", Command: ociCommand(),
	})
	require.NoError(t, err)
	own := oci.Cgroups(r) + "young"
	old := time.Now().Add(-2 * time.Minute)
	for name, is := range map[string]time.Time{
		own: time.Now(), "memory/" + own: time.Now(),
		"reconcile-00000000-old": old, "memory/reconcile-00000000-old": old,
		"reconcile-00000000-young": time.Now(), "system-old": old,
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, name), 0o755))
		require.NoError(t, os.Chtimes(filepath.Join(root, name), is, is))
	}
	oci.SweepGroups(r, root)
	assert.NoDirExists(t, filepath.Join(root, own))
	assert.NoDirExists(t, filepath.Join(root, "memory", own))
	assert.NoDirExists(t, filepath.Join(root, "reconcile-00000000-old"))
	assert.NoDirExists(t, filepath.Join(root, "memory", "reconcile-00000000-old"))
	assert.DirExists(t, filepath.Join(root, "reconcile-00000000-young"))
	assert.DirExists(t, filepath.Join(root, "system-old"))
	require.NoError(t, r.Close())
}

// ociHold runs a container until it is killed.
func ociHold(t *testing.T, dir string) {
	r := &ociRig{t: t, state: filepath.Join(dir, "state"), runc: ociCommand(), image: ociBusybox(t),
		exits: make(chan controlloop.Key, 1)}
	volume := filepath.Join(dir, "volume")
	require.NoError(t, os.Mkdir(volume, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(volume, "kept"), nil, 0o644))
	r.open()
	name, sleep := ociHeld(os.Getpid())
	pod := sandbox(name, "printf up > /up/up; exec "+sleep)
	r.start(pod, kubelet.Mount{Source: volume, Path: "/volume"},
		kubelet.Mount{Source: dir, Path: "/up"})
	select {}
}

// ociHeld are a Pod and a command that no other process runs.
func ociHeld(pid int) (name, sleep string) {
	return fmt.Sprint("held-", pid), fmt.Sprint("sleep ", 1_000_000+pid)
}

// ociProcesses are the numbers of those that have one of the words in their
// command line.
func ociProcesses(t *testing.T, words ...string) (all []string) {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, line := range lines {
		text, _ := os.ReadFile(line) // it may have ended
		said := strings.ReplaceAll(string(text), "\x00", " ")
		for _, word := range words {
			if strings.Contains(said, word) {
				all = append(all, fmt.Sprint(filepath.Base(filepath.Dir(line)), " ", said))
				break
			}
		}
	}
	return all
}

// ociEventually waits for what the kernel does when it comes to it.
func ociEventually(t *testing.T, is func() bool) {
	for range 2000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	require.Fail(t, "it did not come")
}
