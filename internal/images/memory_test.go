package images_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"reconcile/internal/apiserver/streams"
)

// small returns a Pod whose container may hold little.
func small(command ...string) *corev1.Pod {
	p := pod("web", "debian", command...)
	p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
		corev1.ResourceMemory: resource.MustParse("2Mi"),
	}
	return p
}

func TestAContainerThatItsLimitCantHoldDoesNotStart(t *testing.T) {
	for _, limit := range []string{"128m", "1", "1Mi"} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			p := small("sleep", "3600")
			p.Spec.Containers[0].Resources.Limits[corev1.ResourceMemory] = resource.MustParse(limit)
			_, err := r.runtime.Sandbox(t.Context(), p)
			require.NoError(t, err)
			err = r.runtime.Start(t.Context(), p, &p.Spec.Containers[0], nil)
			assert.EqualError(t, err, "failed to create containerd task: failed to "+
				"create shim task: OCI runtime create failed: runc create failed: "+
				"unable to start container process: container init was OOM-killed "+
				"(memory limit too low?): unknown", limit)
			end := r.ended(p)
			require.NotNil(t, end)
			assert.EqualValues(t, 128, end.ExitCode)
			assert.Equal(t, "StartError", end.Reason)
		})
	}
}

// bombs are scripts that would hold more than any machine has.
var bombs = map[string]string{
	"a variable":        "a=xxxxxxxxxxxxxxxx; while true; do a=$a$a; done",
	"without a command": "a=xxxxxxxxxxxxxxxx; while a=$a$a; do b=; done",
	"sourced":           "a=xxxx; echo 'a=$a$a' > f; while true; do . ./f; done",
	"an array":          "while true; do a+=(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx); a+=(${a[@]}); done",
	"what is printed":   "a=$(seq 999999999)",
	"echoed":            "a=$(while true; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done)",
	"sorted":            "seq 999999999 | sort",
	"edited":            "seq 999999999 | sed s/y/n/",
	"the last":          "seq 999999999 | tail -n 1000000000",
}

// allocated returns how many bytes are allocated in all while f runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAContainerThatHoldsTooMuchIsKilled(t *testing.T) {
	for name, script := range bombs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := small("bash", "-c", script)
				size := allocated(func() {
					r.start(p)
					time.Sleep(2 * time.Second)
				})
				end := r.ended(p)
				require.NotNil(t, end)
				assert.EqualValues(t, 137, end.ExitCode)
				assert.Equal(t, "OOMKilled", end.Reason)
				assert.Less(t, size, uint64(1<<30), "it took much more than it may hold")
			})
		})
	}
}

func TestACommandThatHoldsTooMuchEndsItsContainer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(small("sleep", "3600"))
		code, err := r.machines.Exec(t.Context(), p, "main",
			[]string{"sh", "-c", bombs["a variable"]}, streams.IO{})
		require.NoError(t, err)
		assert.Equal(t, 137, code)
		synctest.Wait()
		assert.Equal(t, "OOMKilled", r.ended(p).Reason)
		r.start(p)
		r.report(p)
		status := p.Status.ContainerStatuses[0]
		assert.NotNil(t, status.State.Running, "it starts again")
		assert.Equal(t, "OOMKilled", status.LastTerminationState.Terminated.Reason)
	})
}

func TestWhatEndsIsHeldNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(small("sleep", "3600"))
		for range 10 {
			out, code := r.exec(p, "sh", "-c",
				"a=$(seq 10000); a=; seq 10000 | sort | wc -l; seq 10000 | tail -n 1")
			assert.Equal(t, "10000\n10000\n", out)
			assert.Zero(t, code)
		}
	})
}
