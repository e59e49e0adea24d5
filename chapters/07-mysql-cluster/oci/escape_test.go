//go:build linux

package oci_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencontainers/runtime-spec/specs-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"reconcile/chapters/01-control-loop/kubelet"
)

func TestOCIContainerSeesNothingOfTheMachine(t *testing.T) {
	r := newOCIRig(t)
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("mine"), 0o644))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	go func() {
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			conn.Close()
		}
	}()
	port := listener.Addr().(*net.TCPAddr).Port
	for name, c := range map[string]struct {
		script string
		here   bool // what it tries is possible outside
	}{
		"the reader's files":   {"cat " + secret, true},
		"the root above":       {"cat ../../../../../../../.." + secret, true},
		"by a process's root":  {"cat /proc/1/root" + secret, false},
		"by a process's files": {"cat /proc/*/root" + secret, false},
		"the home folders":     {"ls -d /home", true},
		"the machine's port":   {fmt.Sprintf("nc -w 1 127.0.0.1 %d < /dev/null", port), true},
		"another process":      {fmt.Sprintf("kill -0 %d", os.Getpid()), true},
		"a kernel setting":     {"echo > /proc/sys/kernel/domainname", false},
		"a control group":      {"ls /sys/fs/cgroup/* | grep .", false},
		"a device": {"mknod /dev/own b $(awk 'NR==3 {print $1, $2}' /proc/partitions) && " +
			"head -c 1 /dev/own > /dev/null", false},
		"what it does": {"grep -q . /proc/interrupts", true},
		"a mount":      {"mkdir -p /tmp/m && mount -t proc proc /tmp/m", false},
		"a host name":  {"hostname other", false},
		"more power":   {"grep -q NoNewPrivs:.0 /proc/self/status", true},
	} {
		t.Run(name, func(t *testing.T) {
			script := "(" + c.script + ") && echo ESCAPED"
			out := r.runs(script)
			assert.NotContains(t, out, "ESCAPED", out)
			assert.NotContains(t, out, "mine")
			if c.here && os.Getenv("OCI_INIT") == "" { // rootless, there is less to see
				out, _ := exec.Command("busybox", "sh", "-c", script).Output()
				assert.Contains(t, string(out), "ESCAPED", "then it says nothing")
			}
		})
	}
	assert.Equal(t, "1\n", r.runs("ls -d /proc/[0-9]* | grep -c -x /proc/1"))
	few := r.runs("ls -d /proc/[0-9]* | wc -l")
	assert.LessOrEqual(t, len(strings.TrimSpace(few)), 1, few)
}

func TestOCIVolumeIsNoWayOut(t *testing.T) {
	r := newOCIRig(t)
	volume, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("mine"), 0o644))
	require.NoError(t, os.Symlink(filepath.Dir(secret), filepath.Join(volume, "link")))
	require.NoError(t, os.Symlink("../../../../../..", filepath.Join(volume, "up")))
	for _, way := range []string{"link", "up" + filepath.Dir(secret), "../" + volume, "link/secret"} {
		pod := sandbox("way", "cat /data/* /data")
		_, err := r.Sandbox(t.Context(), pod)
		require.NoError(t, err)
		err = r.Start(t.Context(), pod, &pod.Spec.Containers[0], []kubelet.Mount{
			{Source: volume, Within: []string{way}, Path: "/data"},
		})
		require.Error(t, err, way)
		require.NoError(t, r.Remove(t.Context(), pod.UID))
	}
	// In the container, a link leads to where it leads there.
	out := r.runs("cat /data/link/secret || echo no", kubelet.Mount{
		Source: volume, Path: "/data",
	})
	assert.Contains(t, out, "no\n")
	assert.NotContains(t, out, "mine")
	// A link in the image, too, where a volume is to be mounted.
	before := r.image.Root
	outside := t.TempDir()
	r.image.Root = func(dir string) ([]specs.Mount, error) {
		mounts, err := before(dir)
		require.NoError(t, os.Symlink(outside, filepath.Join(dir, "data")))
		return mounts, err
	}
	pod := sandbox("deep", "echo x > /data/x")
	_, err := r.Sandbox(t.Context(), pod)
	require.NoError(t, err)
	err = r.Start(t.Context(), pod, &pod.Spec.Containers[0],
		[]kubelet.Mount{{Source: t.TempDir(), Path: "/data/deep"}})
	if err == nil {
		r.end(pod)
	} else { // runc makes the folder inside; crun follows no link at all
		require.ErrorContains(t, err, "openat2")
	}
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestOCIMountsAreWhatTheyWereWhenTheyWereOpened(t *testing.T) {
	r := newOCIRig(t)
	volume := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(volume, "part"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(volume, "part", "file"), []byte("1"), 0o644))
	out := r.runs("cat /a/file /b; echo 2 > /a/new && echo wrote; exec 2>&1; echo 3 > /b || echo refused",
		kubelet.Mount{Source: volume, Within: []string{"part", "file"}, Path: "/b", ReadOnly: true},
		kubelet.Mount{Source: volume, Within: []string{"part"}, Path: "/a"},
	)
	assert.Equal(t, "11wrote\nsh: can't create /b: Read-only file system\nrefused\n", out)
	text, err := os.ReadFile(filepath.Join(volume, "part", "new"))
	require.NoError(t, err)
	assert.Equal(t, "2\n", string(text))
}

// Who else has the volume is quick: before runc mounts it, a part of the way is a
// link.
func TestOCIMountIsNoRace(t *testing.T) {
	r := newOCIRig(t)
	volume, secret := t.TempDir(), t.TempDir()
	part := filepath.Join(volume, "part")
	require.NoError(t, os.Mkdir(part, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(part, "file"), []byte("theirs"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(secret, "file"), []byte("mine"), 0o644))
	r.through(fmt.Sprintf(`case "$*" in *" run "*)
	mv %[1]s %[1]s-gone; ln -s %[2]s %[1]s
esac
exec "$runc" "$@"`, part, secret))
	out := r.runs("cat /data/file", kubelet.Mount{
		Source: volume, Within: []string{"part"}, Path: "/data",
	})
	link, err := os.Readlink(part)
	require.NoError(t, err)
	assert.Equal(t, secret, link)
	assert.Equal(t, "theirs", out)
}

func TestOCIMemoryLimitKills(t *testing.T) {
	r := newOCIRig(t)
	if !ociCgroups() {
		t.Skip("no cgroups to divide: root in a user namespace")
	}
	pod := sandbox("big", "tail /dev/zero")
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
		corev1.ResourceMemory: resource.MustParse("64Mi"),
	}
	r.start(pod)
	end := r.end(pod)
	assert.EqualValues(t, 137, end.ExitCode)
	assert.Equal(t, "OOMKilled", end.Reason)
}

// What runc says of it differs by the version of control groups.
func TestOCIContainerThatItsLimitCantHoldDoesNotStart(t *testing.T) {
	r := newOCIRig(t)
	if !ociCgroups() {
		t.Skip("no cgroups to divide: root in a user namespace")
	}
	pod := sandbox("tiny", "sleep 1000")
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
		corev1.ResourceMemory: resource.MustParse("128m"),
	}
	_, err := r.Sandbox(t.Context(), pod)
	require.NoError(t, err)
	err = r.Start(t.Context(), pod, &pod.Spec.Containers[0], nil)
	assert.Regexp(t, "^failed to create containerd task: .*: runc create failed: "+
		"unable to start container process: .*memory limit.*: unknown$", err)
	end := r.end(pod)
	assert.EqualValues(t, 128, end.ExitCode)
	assert.Equal(t, "StartError", end.Reason)
}

func TestOCIProcessorLimitHolds(t *testing.T) {
	r := newOCIRig(t)
	if !ociCgroups() {
		t.Skip("no cgroups to divide: root in a user namespace")
	}
	pod := sandbox("slow", `read from rest < /proc/uptime
i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done
times > /tmp/times; read to rest < /proc/uptime
head -1 /tmp/times; echo $from $to`)
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("100m"),
	}
	r.start(pod)
	r.end(pod)
	var minutes, used, more, system, from, to float64
	_, err := fmt.Sscanf(r.logs(pod, corev1.PodLogOptions{}), "%fm%fs %fm%fs\n%f %f",
		&minutes, &used, &more, &system, &from, &to)
	require.NoError(t, err)
	assert.Less(t, used+system, (to-from)/10+0.07, "a tenth of %g seconds", to-from)
}

// ociCgroups reports whether a process here can be given a limit.
func ociCgroups() bool {
	text, _ := os.ReadFile("/proc/self/uid_map")
	return strings.Contains(string(text), "4294967295")
}
