//go:build linux

package oci_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/opencontainers/runtime-spec/specs-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/oci"
)

// first returns the number of the first process of a Pod's container.
func (r *ociRig) first(pod *corev1.Pod) int {
	r.t.Helper()
	out, err := exec.Command(ociCommand(), "--root", filepath.Join(r.state, "runc"),
		"state", string(pod.UID)+"_main_0").Output()
	require.NoError(r.t, err)
	var state struct{ PID int }
	require.NoError(r.t, json.Unmarshal(out, &state))
	return state.PID
}

// ociOrphan is a script that leaves a process in the namespace of another one, and
// without a parent, as runc does that is cut off. It prints its number. The parent
// takes its time to end, as on a busy machine: a script that did not wait for it
// would leave a child of the parent, not of ours.
const ociOrphan = `dir=$(mktemp -d) && mkfifo "$dir/pipe"
cat > "$dir/$2" <<EOF
#!$(which busybox) sh
echo > $dir/pipe; read never < $dir/pipe
EOF
chmod +x "$dir/$2"
busybox nsenter -F -t "$1" -p sh -c '"$0" > /dev/null 2>&1 & echo $!
read up < "$1"; exec sleep 0.2 > /dev/null 2>&1' "$dir/$2" "$dir/pipe"
`

// A container whose first process is killed while runc puts another one in.
func TestOCIWhatAFailedExecHasLeftIsBuried(t *testing.T) {
	r := newOCIRig(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "orphan"), []byte(ociOrphan), 0o644))
	r.through(fmt.Sprintf(`case " $* " in *" exec "*)
	TMPDIR=%[1]s sh %[1]s/orphan $(cat %[1]s/first) "runc:[2:INIT]" > /dev/null
	exit 1
esac
exec "$runc" "$@"`, dir))
	pod := sandbox("cut-off", "exec sleep 1000")
	r.start(pod)
	first := r.first(pod)
	require.NoError(t, os.WriteFile(
		filepath.Join(dir, "first"), fmt.Append(nil, first), 0o644))
	_, _, err := r.Exec(t.Context(), pod.UID, "main", []string{"true"})
	require.ErrorContains(t, err, "OCI runtime exec failed")
	require.NoError(t, unix.Kill(first, unix.SIGKILL))
	assert.EqualValues(t, 137, r.end(pod).ExitCode)
}

// The same by runc itself, which is cut off wherever it happens to be.
func TestOCIContainerThatIsKilledWhileExecsBeginEnds(t *testing.T) {
	r := newOCIRig(t)
	for round := range 12 {
		pod := sandbox(fmt.Sprint("killed-", round), "exec sleep 1000")
		r.start(pod)
		first := r.first(pod)
		var execs sync.WaitGroup
		kill := sync.OnceFunc(func() {
			require.NoError(t, unix.Kill(first, unix.SIGKILL))
		})
		for range 6 {
			execs.Go(func() {
				_, _, _ = r.Exec(t.Context(), pod.UID, "main", []string{"true"})
				kill() // the others are on their way
			})
		}
		assert.EqualValues(t, 137, r.end(pod).ExitCode)
		execs.Wait()
		require.NoError(t, r.Remove(t.Context(), pod.UID))
	}
}

// An orphan that is not buried keeps the container's first process from its end.
func TestOCIContainerThatOutlivesItsKillHoldsUpNobody(t *testing.T) {
	r := newOCIRig(t)
	oci.Hurry(r.Runtime)
	pod := sandbox("undying", "exec sleep 1000")
	r.start(pod)
	script := exec.Command("sh", "-c", ociOrphan, "sh",
		strconv.Itoa(r.first(pod)), "orphan")
	script.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	text, err := script.Output()
	require.NoError(t, err)
	orphan, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	require.NoError(t, r.Stop(pod.UID, "main", 0))
	assert.Equal(t, controlloop.KeyOf(pod), <-r.exits, "the kubelet is to ask again")
	assert.EqualError(t, r.Stop(pod.UID, "main", 0), "an error occurs during waiting "+
		`for container "uid-undying_main_0" to be killed: wait container `+
		`"uid-undying_main_0": context deadline exceeded`)
	assert.NotNil(t, r.Containers(pod.UID)["main"].State.Running)
	assert.EqualError(t, r.Remove(t.Context(), pod.UID),
		"container uid-undying_main_0 was killed, and has not ended")
	_, err = unix.Wait4(orphan, nil, 0, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 137, r.end(pod).ExitCode)
	require.NoError(t, r.Remove(t.Context(), pod.UID))
}

// A caller without patience asks for twenty containers, each of which has ended.
func TestOCIContainerThatHasEndedIsNotSaidToRun(t *testing.T) {
	r := newOCIRig(t)
	r.through("exit 1")
	r.image.Root = func(string) ([]specs.Mount, error) { return nil, nil }
	pod := sandbox("broken", "true")
	_, err := r.Sandbox(t.Context(), pod)
	require.NoError(t, err)
	for i := range 20 {
		c := pod.Spec.Containers[0].DeepCopy()
		c.Name = fmt.Sprint("main-", i)
		require.Error(t, r.Start(t.Context(), pod, c, nil))
	}
	require.Len(t, r.Containers(pod.UID), 20)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, r.Remove(ctx, pod.UID))
}
