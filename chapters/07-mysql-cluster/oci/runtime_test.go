//go:build linux

package oci_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/opencontainers/runtime-spec/specs-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/07-mysql-cluster/oci"
	"reconcile/chapters/07-mysql-cluster/oci/image"
	"reconcile/chapters/07-mysql-cluster/oci/stdio"
	"reconcile/internal/kubetest"
)

// ociRig is a runtime with one image, busybox, on a folder of the test's.
type ociRig struct {
	t *testing.T
	oci.Runtime
	state string
	runc  string
	exits chan controlloop.Key
	image image.Image
}

// newOCIRig skips the test where there is nothing to run containers with.
func newOCIRig(t *testing.T) *ociRig {
	r := &ociRig{t: t, state: t.TempDir(), runc: ociCommand(),
		exits: make(chan controlloop.Key, 100)}
	ociNeeds(t)
	r.image = ociBusybox(t)
	r.open()
	t.Cleanup(func() { assert.NoError(t, r.Close()) })
	return r
}

// ociCommand is what containers are run with: RECONCILE_RUNTIME may be crun.
func ociCommand() string { return cmp.Or(os.Getenv("RECONCILE_RUNTIME"), "runc") }

func ociNeeds(t *testing.T) {
	kubetest.Real(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root, of the machine or of a user namespace")
	}
	for _, program := range []string{ociCommand(), "busybox"} {
		if _, err := exec.LookPath(program); err != nil {
			kubetest.Lacks(t, err)
		}
	}
}

// ociInit puts podinit, built once for all tests, into a folder.
func ociInit(t *testing.T, dir string) string {
	built, err := ociBuilt()
	require.NoError(t, err)
	path := filepath.Join(dir, "init")
	require.NoError(t, os.WriteFile(path, built, 0o755))
	return path
}

var ociBuilt = sync.OnceValues(func() ([]byte, error) {
	if path := os.Getenv("OCI_INIT"); path != "" {
		return os.ReadFile(path)
	}
	dir, err := os.MkdirTemp("", "oci")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path, err := oci.BuildInit(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func (r *ociRig) open() {
	var err error
	r.Runtime, err = oci.New(r.t.Context(), oci.Config{
		State: r.state, Images: r, Network: ociNetwork{}, Command: r.runc,
		Init: ociInit(r.t, r.t.TempDir()),
	})
	require.NoError(r.t, err)
	r.OnExit(func(key controlloop.Key) { r.exits <- key })
}

// through has runc called by a script, which knows it as $runc.
func (r *ociRig) through(script string) {
	require.NoError(r.t, r.Close())
	script = fmt.Sprintf("#!/bin/sh\nrunc=%s\n%s\n", r.runc, script)
	r.runc = filepath.Join(r.t.TempDir(), "runc")
	require.NoError(r.t, os.WriteFile(r.runc, []byte(script), 0o755))
	r.open()
}

// Pull implements mysqlcluster.Images.
func (r *ociRig) Pull(
	_ context.Context, name string,
) (*image.Image, error) {
	if name != "busybox" {
		return nil, &kubelet.PullError{Image: name, Reason: "not found"}
	}
	image := r.image
	return &image, nil
}

// ociBusybox is an image of one program by many names.
func ociBusybox(t *testing.T) image.Image {
	program, err := exec.LookPath("busybox")
	require.NoError(t, err)
	names, err := exec.Command(program, "--list").Output()
	require.NoError(t, err)
	return image.Image{
		Name: "busybox", ID: "sha256:b0", Cmd: []string{"sh"},
		Env: []string{"FROM=image"},
		Root: func(dir string) ([]specs.Mount, error) {
			bin := filepath.Join(dir, "bin")
			err := errors.Join(os.Mkdir(bin, 0o755),
				os.Mkdir(filepath.Join(dir, "etc"), 0o755),
				os.WriteFile(filepath.Join(bin, "busybox"), nil, 0o755))
			for name := range strings.Lines(string(names)) {
				if name = strings.TrimSpace(name); name != "busybox" {
					err = errors.Join(err,
						os.Symlink("busybox", filepath.Join(bin, name)))
				}
			}
			return []specs.Mount{{
				Type: "bind", Source: program, Destination: "/bin/busybox",
				Options: []string{"bind", "ro"},
			}}, err
		},
	}
}

// ociNetwork gives every Pod the same address, which leads nowhere.
type ociNetwork struct{}

func (ociNetwork) Add(_ context.Context, _ *corev1.Pod, netns string) (string, error) {
	out, err := exec.Command("busybox", "nsenter", "--net="+netns, "busybox", "sh", "-c",
		"ip link set lo up; ip addr add 10.244.1.7/32 dev lo").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return "10.244.1.7", err
}
func (ociNetwork) Remove(types.UID) error        { return nil }
func (ociNetwork) ResolvConf(*corev1.Pod) string { return "nameserver 10.96.0.10\n" }
func (ociNetwork) Dial(context.Context, string, int32) (net.Conn, error) {
	return nil, errors.New("nowhere")
}

// sandbox is a Pod with a container that runs a script.
func sandbox(name, script string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID("uid-" + name),
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Image: "busybox", Command: []string{"sh", "-c", script},
		}}},
	}
}

// start starts the first container of a Pod.
func (r *ociRig) start(pod *corev1.Pod, mounts ...kubelet.Mount) {
	_, err := r.Sandbox(r.t.Context(), pod)
	require.NoError(r.t, err)
	require.NoError(r.t,
		r.Start(r.t.Context(), pod, &pod.Spec.Containers[0], mounts))
}

// end waits for the end of a Pod's container, and returns how that was.
func (r *ociRig) end(pod *corev1.Pod) corev1.ContainerStateTerminated {
	for {
		c := r.Containers(pod.UID)["main"]
		if c.State.Terminated != nil {
			return *c.State.Terminated
		}
		select {
		case <-r.exits:
		case <-time.After(20 * time.Second):
			require.FailNow(r.t, "the container has not ended", pod.Name)
		}
	}
}

// logs is what the attempt has printed that runs, or ran last.
func (r *ociRig) logs(pod *corev1.Pod, opts corev1.PodLogOptions) string {
	opts.Container = "main"
	status := r.Containers(pod.UID)["main"]
	log, err := r.Logs(r.t.Context(), pod.UID, status.ContainerID, &opts)
	require.NoError(r.t, err)
	defer log.Close()
	text, err := io.ReadAll(log)
	require.NoError(r.t, err)
	return string(text)
}

// runs is what a script prints in a container of its own, to its end.
func (r *ociRig) runs(script string, mounts ...kubelet.Mount) string {
	pod := sandbox(fmt.Sprintf("runs-%d", time.Now().UnixNano()), script)
	r.start(pod, mounts...)
	r.end(pod)
	return r.logs(pod, corev1.PodLogOptions{})
}

func TestOCIContainerEndsAsItsProgramDoes(t *testing.T) {
	r := newOCIRig(t)
	pod := sandbox("once", "echo out; echo err >&2; exit 3")
	r.start(pod)
	end := r.end(pod)
	assert.EqualValues(t, 3, end.ExitCode)
	assert.Equal(t, "Error", end.Reason)
	assert.Equal(t, "runc://uid-once_main_0", end.ContainerID)
	for stream, text := range map[string]string{
		corev1.LogStreamStdout: "out\n", corev1.LogStreamStderr: "err\n",
	} {
		assert.Equal(t, text, r.logs(pod, corev1.PodLogOptions{Stream: &stream}))
	}
}

// A runc that takes its time to end, as on a busy machine: for as long nothing of
// what is printed is read.
func TestOCIProgramStartsWhenItsOutputIsRead(t *testing.T) {
	r := newOCIRig(t)
	dir := t.TempDir()
	r.through(fmt.Sprintf(`"$runc" "$@" || exit
case " $* " in *" run "*)
	for _ in $(seq 50); do
		if [ -e %[1]s/up ]; then exec touch %[1]s/early; fi
		sleep 0.01
	done
esac`, dir))
	pod := sandbox("prompt", "echo > /dir/up")
	r.start(pod, kubelet.Mount{Source: dir, Path: "/dir"})
	assert.Zero(t, r.end(pod).ExitCode)
	assert.FileExists(t, filepath.Join(dir, "up"))
	assert.NoFileExists(t, filepath.Join(dir, "early"))
}

func TestOCIPodSharesItsNamespacesAndEachContainerHasItsOwnRoot(t *testing.T) {
	r := newOCIRig(t)
	pod := sandbox("two", "echo $$ > /mine; hostname; sleep 100")
	other := pod.Spec.Containers[0].DeepCopy()
	other.Name = "other"
	r.start(pod)
	require.NoError(t, r.Start(t.Context(), pod, other, nil))
	see := func(container, what string) string {
		out, code, err := r.Exec(t.Context(), pod.UID, container,
			[]string{"sh", "-c", what})
		require.NoError(t, err)
		return fmt.Sprint(strings.TrimSpace(out), " ", code)
	}
	for _, kind := range []string{"net", "uts", "ipc"} {
		link := "readlink /proc/self/ns/" + kind
		assert.Equal(t, see("main", link), see("other", link), kind)
	}
	for _, kind := range []string{"pid", "mnt"} {
		link := "readlink /proc/self/ns/" + kind
		assert.NotEqual(t, see("main", link), see("other", link), kind)
	}
	assert.Equal(t, "two 0", see("other", "hostname"))
	see("main", "echo x > /tmp/x; echo x > /x")
	assert.Equal(t, " 1", see("other", "cat /x /tmp/x 2> /dev/null"))
}

func TestOCIRestartKeepsTheAddressAndTheLastLog(t *testing.T) {
	r := newOCIRig(t)
	pod := sandbox("again", "readlink /proc/self/ns/net; exit 1")
	r.start(pod)
	r.end(pod)
	first := r.logs(pod, corev1.PodLogOptions{})
	firstID := r.Containers(pod.UID)["main"].ContainerID
	r.start(pod)
	r.end(pod)
	status := r.Containers(pod.UID)["main"]
	assert.EqualValues(t, 1, status.RestartCount)
	assert.EqualValues(t, 1, status.LastTerminationState.Terminated.ExitCode)
	assert.Equal(t, first, r.logs(pod, corev1.PodLogOptions{}),
		"the pause process holds the network while nothing else is in it")
	log, err := r.Logs(t.Context(), pod.UID, firstID,
		&corev1.PodLogOptions{Container: "main"})
	require.NoError(t, err)
	text, _ := io.ReadAll(log)
	assert.Equal(t, first, string(text))
	r.start(pod)
	r.end(pod)
	_, err = os.Stat(filepath.Join(r.state, "pods", "uid-again", "main", "0.log"))
	assert.ErrorIs(t, err, os.ErrNotExist, "of two before, the log goes")
}

// A lab that was killed has left nothing but what the store has heard.
func TestOCIContainerThatWasLostCountsOn(t *testing.T) {
	r := newOCIRig(t)
	pod := sandbox("lost", "exit 1")
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "main", RestartCount: 2, ContainerID: "runc://uid-lost_main_2",
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
	}}
	r.start(pod)
	r.end(pod)
	status := r.Containers(pod.UID)["main"]
	assert.EqualValues(t, 3, status.RestartCount)
	assert.Equal(t, "runc://uid-lost_main_3", status.ContainerID)
	assert.EqualValues(t, 137, status.LastTerminationState.Terminated.ExitCode)
	r.start(pod)
	r.end(pod)
	status = r.Containers(pod.UID)["main"]
	assert.EqualValues(t, 4, status.RestartCount, "what it knows itself goes before")
	assert.EqualValues(t, 1, status.LastTerminationState.Terminated.ExitCode)
}

func TestOCIStopAsksFirst(t *testing.T) {
	r := newOCIRig(t)
	for name, c := range map[string]struct {
		script string
		grace  int64
		code   int32
	}{
		"obeys":         {"trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done", 30, 7},
		"knows nothing": {"echo up; exec sleep 100", 30, 143},
		"will not":      {"trap '' TERM; echo up; while :; do sleep 0.05; done", 1, 137},
		"gets no time":  {"trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done", 0, 137},
	} {
		t.Run(name, func(t *testing.T) {
			pod := sandbox(strings.ReplaceAll(name, " ", "-"), c.script)
			r.start(pod)
			r.until(pod, "up")
			r.Stop(pod.UID, "main", c.grace)
			assert.Equal(t, c.code, r.end(pod).ExitCode)
		})
	}
}

// until waits until a container has printed something.
func (r *ociRig) until(pod *corev1.Pod, text string) {
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	log, err := r.Logs(ctx, pod.UID, r.Containers(pod.UID)["main"].ContainerID,
		&corev1.PodLogOptions{Container: "main", Follow: true})
	require.NoError(r.t, err)
	defer log.Close()
	seen := ""
	for part := make([]byte, 100); !strings.Contains(seen, text); {
		n, err := log.Read(part)
		require.NoError(r.t, err, seen)
		seen += string(part[:n])
	}
}

func TestOCIInitReapsWhatLosesItsParent(t *testing.T) {
	r := newOCIRig(t)
	out := r.runs(`for i in 1 2 3 4 5; do (true & echo $! >> /orphans); done
while read pid; do while [ -e /proc/$pid ]; do sleep 0.01; done; done < /orphans
wc -l < /orphans
tr '\0' ' ' < /proc/1/cmdline | head -1 | cut -c 1-16`)
	assert.Equal(t, "5\n/dev/init run sh\n", out)
}

func TestOCIStartSaysWhatRuncSays(t *testing.T) {
	r := newOCIRig(t)
	const words = "failed to create containerd task: failed to create shim task: " +
		"OCI runtime create failed: runc create failed: unable to start container " +
		"process: error during container init: %s: unknown"
	for command, why := range map[string]string{
		"nope":       `exec: "nope": executable file not found in $PATH`,
		"/bin/nope":  `exec: "/bin/nope": stat /bin/nope: no such file or directory`,
		"/etc/hosts": `exec: "/etc/hosts": permission denied`,
	} {
		pod := sandbox("broken"+strings.ReplaceAll(command, "/", "-"), "")
		pod.Spec.Containers[0].Command = []string{command}
		_, err := r.Sandbox(t.Context(), pod)
		require.NoError(t, err)
		err = r.Start(t.Context(), pod, &pod.Spec.Containers[0], nil)
		var broken *kubelet.StartError
		require.ErrorAs(t, err, &broken)
		assert.Equal(t, fmt.Sprintf(words, why), broken.Reason)
		end := r.end(pod)
		assert.EqualValues(t, 128, end.ExitCode)
		assert.Equal(t, "StartError", end.Reason)
		require.NoError(t, r.Remove(t.Context(), pod.UID))
	}
	pod := sandbox("no-image", "")
	pod.Spec.Containers[0].Image = "nope"
	_, err := r.Sandbox(t.Context(), pod)
	require.NoError(t, err)
	err = r.Start(t.Context(), pod, &pod.Spec.Containers[0], nil)
	var pull *kubelet.PullError
	require.ErrorAs(t, err, &pull)
	assert.Empty(t, r.Containers(pod.UID))
}

func TestOCIExec(t *testing.T) {
	r := newOCIRig(t)
	pod := sandbox("exec", "sleep 100")
	r.start(pod)
	run := func(s stdio.Streams, command ...string) (int, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return r.Run(ctx, pod.UID, "main", command, s)
	}
	t.Run("copies its streams", func(t *testing.T) {
		var out, errs strings.Builder
		code, err := run(stdio.Streams{
			Stdin: strings.NewReader("in"), Stdout: &out, Stderr: &errs,
		}, "sh", "-c", "cat; echo err >&2; exit 4")
		require.NoError(t, err)
		assert.Equal(t, []any{4, "in", "err\n"}, []any{code, out.String(), errs.String()})
	})
	t.Run("on a terminal", func(t *testing.T) {
		var out strings.Builder
		sizes := make(chan stdio.Size, 1)
		sizes <- stdio.Size{Width: 91, Height: 17}
		code, err := run(stdio.Streams{Stdout: &out, TTY: true, Resize: sizes},
			"sh", "-c", "tty >/dev/null && until stty size 2>/dev/null | grep -v '^0 '; do sleep 0.05; done")
		close(sizes)
		require.NoError(t, err)
		assert.Equal(t, []any{0, "17 91\r\n"}, []any{code, out.String()})
	})
	t.Run("says why not", func(t *testing.T) {
		_, err := run(stdio.Streams{}, "nope")
		require.Error(t, err)
		assert.Regexp(t, `^failed to exec in container: failed to start exec ".*": `+
			`OCI runtime exec failed: exec failed: unable to start container process: `+
			`exec: "nope": executable file not found in \$PATH: unknown$`, err.Error())
		_, err = r.Run(t.Context(), pod.UID, "other", nil, stdio.Streams{})
		assert.EqualError(t, err, `container not found ("other")`)
	})
	t.Run("ends with its time", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, _, err := r.Exec(ctx, pod.UID, "main", []string{"sh", "-c", "sleep 77 & sleep 78"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		out, _, err := r.Exec(t.Context(), pod.UID, "main", []string{"ps"})
		require.NoError(t, err)
		assert.NotContains(t, out, "sh -c sleep 77")
	})
}

func TestOCIAttachTypesToTheMainProcess(t *testing.T) {
	r := newOCIRig(t)
	for name, tty := range map[string]bool{"pipes": false, "terminal": true} {
		t.Run(name, func(t *testing.T) {
			pod := sandbox("attach-"+name, "read x; echo got $x; exit 5")
			c := &pod.Spec.Containers[0]
			c.Stdin, c.TTY = true, tty
			r.start(pod)
			var out strings.Builder
			code, err := r.Attach(t.Context(), pod.UID, "main", stdio.Streams{
				Stdin: strings.NewReader("hello\n"), Stdout: &out, TTY: tty,
			})
			require.NoError(t, err)
			assert.Equal(t, 5, code)
			assert.Contains(t, out.String(), "got hello")
		})
	}
}

// Two pipes have no order between them, so each line waits until the one before is
// in the log.
func TestOCILogsAreShownAsTheyAreWanted(t *testing.T) {
	r := newOCIRig(t)
	pod := sandbox("log", "trap 'printf 4; exit' TERM; "+
		"echo 1; read go; echo 2 >&2; read go; echo 3; while :; do sleep 0.05; done")
	pod.Spec.Containers[0].Stdin = true
	r.start(pod)
	for _, line := range []string{"1", "2"} {
		r.until(pod, line)
		go r.Attach(t.Context(), pod.UID, "main",
			stdio.Streams{Stdin: strings.NewReader("\n")})
	}
	r.until(pod, "3")
	errs := corev1.LogStreamStderr
	assert.Equal(t, "2\n", r.logs(pod, corev1.PodLogOptions{Stream: &errs}))
	assert.Equal(t, "3\n", r.logs(pod, corev1.PodLogOptions{TailLines: new(int64(1))}))
	assert.Equal(t, "1\n2", r.logs(pod, corev1.PodLogOptions{LimitBytes: new(int64(3))}))
	assert.Empty(t, r.logs(pod, corev1.PodLogOptions{
		SinceTime: new(metav1.NewTime(time.Now().Add(time.Hour)))}))
	assert.Regexp(t, `^20\S{17}\.\d{9}Z 1\n`,
		r.logs(pod, corev1.PodLogOptions{Timestamps: true}))
	r.Stop(pod.UID, "main", 30)
	r.end(pod)
	assert.Equal(t, "1\n2\n3\n4", r.logs(pod, corev1.PodLogOptions{Follow: true}))
}

func TestOCIContainerSeesItsEnvironment(t *testing.T) {
	r := newOCIRig(t)
	pod := sandbox("env", "env | sort; pwd; cat /etc/hosts /etc/hostname /etc/resolv.conf")
	pod.Spec.Subdomain = "mysql"
	c := &pod.Spec.Containers[0]
	c.Env = []corev1.EnvVar{{Name: "FROM", Value: "pod"}, {Name: "MORE", Value: "a b"}}
	c.WorkingDir = "/tmp"
	r.start(pod)
	r.end(pod)
	assert.Equal(t, `FROM=pod
HOME=/
HOSTNAME=env
MORE=a b
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
PWD=/tmp
SHLVL=1
/tmp
# Kubernetes-managed hosts file.
127.0.0.1	localhost
::1	localhost ip6-localhost ip6-loopback
fe00::0	ip6-localnet
fe00::0	ip6-mcastprefix
fe00::1	ip6-allnodes
fe00::2	ip6-allrouters
10.244.1.7	env.mysql.default.svc.cluster.local	env
env
nameserver 10.96.0.10
`, r.logs(pod, corev1.PodLogOptions{}))
}

func TestOCISandboxesAreThereUntilTheyAreRemoved(t *testing.T) {
	r := newOCIRig(t)
	name, sleep := ociHeld(os.Getpid())
	first, second := sandbox(name, sleep), sandbox(name, "sleep 100")
	second.UID += "-again"
	other := sandbox("a", "sleep 100")
	for _, pod := range []*corev1.Pod{first, other, second} {
		r.start(pod)
		same, err := r.Sandbox(t.Context(), pod)
		require.NoError(t, err)
		assert.Equal(t, kubelet.Sandbox{
			Pod: controlloop.KeyOf(pod), UID: pod.UID, IP: "10.244.1.7"}, same)
	}
	uids := func(all []kubelet.Sandbox) (uids []types.UID) {
		for _, s := range all {
			uids = append(uids, s.UID)
		}
		return uids
	}
	assert.Equal(t, []types.UID{first.UID, second.UID},
		uids(r.SandboxesOf(controlloop.KeyOf(first))))
	assert.Equal(t, []types.UID{"uid-a", first.UID, second.UID}, uids(r.Sandboxes()))
	pauses := func() []string { return ociProcesses(t, "init pause "+name) }
	require.NotEmpty(t, ociProcesses(t, sleep))
	require.Len(t, pauses(), 2)
	require.NoError(t, r.Remove(t.Context(), first.UID))
	require.NoError(t, r.Remove(t.Context(), first.UID))
	assert.Equal(t, []types.UID{"uid-a", second.UID}, uids(r.Sandboxes()))
	assert.Empty(t, r.Containers(first.UID))
	assert.NoDirExists(t, filepath.Join(r.state, "pods", string(first.UID)))
	assert.Empty(t, ociProcesses(t, sleep))
	assert.Len(t, pauses(), 1)
	require.Error(t, r.Start(t.Context(), first, &first.Spec.Containers[0], nil))
	require.NoError(t, r.Close())
	assert.Empty(t, r.Sandboxes())
	assert.Empty(t, pauses())
}

func TestOCISecurityContextIsTheContainersBeforeThePods(t *testing.T) {
	r := newOCIRig(t)
	if !ociCgroups() {
		t.Skip("there is one user only: root in a user namespace")
	}
	r.image.User = "27:28"
	look := "id -u; id -g; (echo > /new) 2> /dev/null && echo wrote"
	assert.Equal(t, "27\n28\n", r.runs(look), "the folder is root's")
	pod := sandbox("user", look)
	pod.Spec.SecurityContext = &corev1.PodSecurityContext{
		RunAsUser: new(int64(0)), RunAsGroup: new(int64(30)),
	}
	r.start(pod)
	r.end(pod)
	assert.Equal(t, "0\n30\nwrote\n", r.logs(pod, corev1.PodLogOptions{}))
	pod.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{
		RunAsGroup: new(int64(31)), ReadOnlyRootFilesystem: new(true),
	}
	r.start(pod)
	r.end(pod)
	assert.Equal(t, "0\n31\n", r.logs(pod, corev1.PodLogOptions{}))
}

func TestOCIContainerHasThePowersThatItDoesNotDrop(t *testing.T) {
	r := newOCIRig(t)
	for name, c := range map[string]struct {
		drop, add []corev1.Capability
		left      string // the sum of what is left, as the kernel has it
	}{
		"none":            {nil, nil, "00000000a80425fb"},
		"one":             {[]corev1.Capability{"CHOWN"}, nil, "00000000a80425fa"},
		"all":             {[]corev1.Capability{"ALL"}, nil, "0000000000000000"},
		"all but one":     {[]corev1.Capability{"all"}, []corev1.Capability{"chown"}, "0000000000000001"},
		"one that it has": {[]corev1.Capability{"CHOWN"}, []corev1.Capability{"CHOWN"}, "00000000a80425fa"},
		"one of all":      {nil, []corev1.Capability{"cap_chown"}, "00000000a80425fb"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := sandbox(strings.ReplaceAll(name, " ", "-"),
				"grep -E 'Cap(Prm|Eff|Bnd)' /proc/self/status | cut -f 2 | sort -u")
			pod.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{
				Capabilities: &corev1.Capabilities{Drop: c.drop, Add: c.add},
			}
			r.start(pod)
			r.end(pod)
			assert.Equal(t, c.left+"\n", r.logs(pod, corev1.PodLogOptions{}))
		})
	}
}

func TestOCIContainerIsRefusedWhoItCannotBe(t *testing.T) {
	r := newOCIRig(t)
	refused := func(pod *corev1.Pod) string {
		_, err := r.Sandbox(t.Context(), pod)
		require.NoError(t, err)
		err = r.Start(t.Context(), pod, &pod.Spec.Containers[0], nil)
		require.Error(t, err)
		assert.Empty(t, r.Containers(pod.UID), "it was not begun")
		return err.Error()
	}
	pod := sandbox("root", "id")
	pod.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: new(true)}
	assert.Equal(t, "container has runAsNonRoot and image will run as root "+
		`(pod: "root_default(uid-root)", container: main)`, refused(pod))
	pod.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{RunAsNonRoot: new(false)}
	r.start(pod)
	r.end(pod)
	if !ociCgroups() {
		pod := sandbox("other", "id")
		pod.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsUser: new(int64(27))}
		assert.Equal(t, "user 27, group 0: where root has not started the lab "+
			"there is no user but 0", refused(pod))
	}
}

func TestOCIPodIsRefusedWhatARoomDoesNotHave(t *testing.T) {
	r := newOCIRig(t)
	for field, ask := range map[string]func(*corev1.PodSpec){
		"spec.hostNetwork":           func(s *corev1.PodSpec) { s.HostNetwork = true },
		"spec.hostPID":               func(s *corev1.PodSpec) { s.HostPID = true },
		"spec.hostIPC":               func(s *corev1.PodSpec) { s.HostIPC = true },
		"spec.shareProcessNamespace": func(s *corev1.PodSpec) { s.ShareProcessNamespace = new(true) },
		"spec.securityContext.sysctls": func(s *corev1.PodSpec) {
			s.SecurityContext = &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: "net.core.somaxconn", Value: "9"}}}
		},
	} {
		pod := sandbox("asks", "id")
		ask(&pod.Spec)
		_, err := r.Sandbox(t.Context(), pod)
		require.EqualError(t, err, field+": real containers of this lab do not have that")
		assert.Empty(t, r.Sandboxes(), "nothing was begun")
	}
	pod := sandbox("powerful", "id")
	pod.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{Privileged: new(true)}
	_, err := r.Sandbox(t.Context(), pod)
	require.NoError(t, err)
	require.EqualError(t, r.Start(t.Context(), pod, &pod.Spec.Containers[0], nil),
		"securityContext.privileged: real containers of this lab do not have that")
	for _, power := range []corev1.Capability{"SYS_ADMIN", "ALL"} {
		pod.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{
			Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"CHOWN", power}}}
		require.EqualError(t, r.Start(t.Context(), pod, &pod.Spec.Containers[0], nil),
			"securityContext.capabilities.add: "+string(power)+
				": real containers of this lab do not have that")
	}
	pod = sandbox("greedy", "id")
	pod.Spec.HostPID, pod.Spec.HostNetwork = true, true
	for range 20 { // an event that said something else each time would not be counted
		_, err := r.Sandbox(t.Context(), pod)
		require.ErrorContains(t, err, "spec.hostNetwork: ")
	}
}

func TestOCIExecThatTakesTooLongSaysSoOnce(t *testing.T) {
	r := newOCIRig(t)
	pod := sandbox("slow", "sleep 1000")
	r.start(pod)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, _, err := r.Exec(ctx, pod.UID, "main", []string{"sleep", "1000"})
	require.EqualError(t, err, "context deadline exceeded")
}

func TestOCILogThatIsFullBeginsAnew(t *testing.T) {
	r := newOCIRig(t)
	out := r.runs("yes " + strings.Repeat("x", 999) + " | head -c 13000000; echo; echo last")
	assert.Less(t, len(out), 10<<20)
	assert.True(t, strings.HasSuffix(out, "\nlast\n"), "what is printed last is kept")
	long := r.runs("head -c 40000 /dev/zero | tr '\\0' x; echo; echo after")
	assert.Equal(t, strings.Repeat("x", 40000)+"\nafter\n", long)
}

func TestOCIFollowersOfALogMissNothingWhenItBeginsAnew(t *testing.T) {
	r := newOCIRig(t)
	pod := sandbox("many", "read go; yes "+strings.Repeat("x", 999)+
		" | head -c 25000000")
	pod.Spec.Containers[0].Stdin = true
	r.start(pod)
	log, err := r.Logs(t.Context(), pod.UID, r.Containers(pod.UID)["main"].ContainerID,
		&corev1.PodLogOptions{Container: "main", Follow: true})
	require.NoError(t, err)
	go r.Attach(t.Context(), pod.UID, "main",
		stdio.Streams{Stdin: strings.NewReader("\n")})
	size, err := io.Copy(io.Discard, log)
	require.NoError(t, err)
	assert.EqualValues(t, 25_000_000, size)
}

func TestOCIExecsAtOnceDoNotMixUp(t *testing.T) {
	r := newOCIRig(t)
	pod := sandbox("busy", "sleep 100")
	r.start(pod)
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			out, code, err := r.Exec(t.Context(), pod.UID, "main",
				[]string{"sh", "-c", fmt.Sprintf("echo %d; echo %d >&2; exit %d", i, i, i)})
			assert.NoError(t, err)
			assert.Equal(t, i, code)
			assert.Equal(t, fmt.Sprintf("%d\n%d\n", i, i), out)
		})
	}
	all.Wait()
}

func TestOCIContainerCannotFillTheMachinesMemory(t *testing.T) {
	r := newOCIRig(t)
	out := r.runs("for at in /dev/shm /run /tmp; do df $at | awk 'END { print $2, $6 }'; done")
	assert.Equal(t, "65536 /dev/shm\n65536 /run\n262144 /tmp\n", out)
}
