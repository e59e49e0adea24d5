package lab_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
)

// filling returns a Pod that writes so much into an emptyDir of 1 MiB after a
// minute.
func filling(kib string) *corev1.Pod {
	p := placed("web", "node-1")
	p.Spec.Volumes = []corev1.Volume{{Name: "cache", VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("1Mi"))}}}}
	p.Spec.Containers[0].Image = "busybox:1.36"
	p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "cache", MountPath: "/cache"}}
	p.Spec.Containers[0].Command = []string{"sh", "-c",
		"sleep 60; dd if=/dev/zero of=/cache/f bs=1k count=" + kib + "; sleep 3600"}
	return p
}

func TestAPodThatFillsItsEmptyDirIsEvicted(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(filling("1025"))
		pass(58 * time.Second)
		assert.Equal(f.t, corev1.PodRunning, f.pod("web").Status.Phase)
		pass(15 * time.Second)
		status := f.pod("web").Status
		assert.Equal(f.t, corev1.PodFailed, status.Phase)
		assert.Equal(f.t, "Evicted", status.Reason)
		const message = `Usage of EmptyDir volume "cache" exceeds the limit "1Mi". `
		assert.Equal(f.t, message, status.Message)
		end := status.ContainerStatuses[0].State.Terminated
		require.NotNil(f.t, end, "and nothing of it runs")
		assert.EqualValues(f.t, 137, end.ExitCode)
		assert.Equal(f.t, []string{message}, f.told("Evicted"))
		assert.Equal(f.t, []string{"Stopping container web"}, f.told("Killing"))
		for _, c := range status.Conditions {
			if c.Type == corev1.PodReady || c.Type == corev1.ContainersReady {
				assert.Equal(f.t, corev1.ConditionFalse, c.Status)
				assert.Equal(f.t, "PodFailed", c.Reason)
			}
		}
		pass(10 * time.Minute)
		assert.Equal(f.t, status, f.pod("web").Status, "for good")
	})
}

func TestAPodThatFillsItsEmptyDirToTheBrimStays(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(filling("1024"))
		pass(10 * time.Minute)
		assert.Equal(f.t, corev1.PodRunning, f.pod("web").Status.Phase)
	})
}

func TestAPodThatTheClusterNeedsStays(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		p := filling("1025")
		p.Spec.Priority = new(int32(2_000_000_000))
		f.create(p)
		pass(10 * time.Minute)
		assert.Equal(f.t, corev1.PodRunning, f.pod("web").Status.Phase)
	})
}

func TestAPodEndsAtItsDeadline(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		p := hooked("web", corev1.Lifecycle{})
		p.Spec.ActiveDeadlineSeconds = new(int64(100))
		f.create(p)
		pass(99 * time.Second)
		assert.Equal(f.t, corev1.PodRunning, f.pod("web").Status.Phase)
		pass(3 * time.Second)
		status := f.pod("web").Status
		assert.Equal(f.t, corev1.PodFailed, status.Phase)
		assert.Equal(f.t, "DeadlineExceeded", status.Reason)
		assert.Equal(f.t, "Pod was active on the node longer than the specified deadline", status.Message)
		assert.EqualValues(f.t, 3, status.ContainerStatuses[0].State.Terminated.ExitCode,
			"it was asked to end, and had time to")
		assert.Equal(f.t, []string{status.Message}, f.told("DeadlineExceeded"))
	})
}

func TestADeadlineMayComeNearer(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		p := placed("web", "node-1")
		p.Spec.ActiveDeadlineSeconds = new(int64(3600))
		f.create(p)
		pass(time.Minute)
		next := controlloop.Copy(f.pod("web"))
		next.Spec.ActiveDeadlineSeconds = new(int64(30))
		f.update(next)
		pass(5 * time.Second)
		assert.Equal(f.t, "DeadlineExceeded", f.pod("web").Status.Reason)
	})
}

func TestAPodThatNeverStartsHasADeadlineToo(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		p := placed("web", "node-1")
		p.Spec.Containers[0].Image = "nosuch"
		p.Spec.ActiveDeadlineSeconds = new(int64(30))
		f.create(p)
		pass(31 * time.Second)
		assert.Equal(f.t, corev1.PodFailed, f.pod("web").Status.Phase)
		assert.NotNil(f.t, f.pod("web").Status.ContainerStatuses[0].State.Waiting)
	})
}
