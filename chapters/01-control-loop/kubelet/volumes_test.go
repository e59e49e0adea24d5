package kubelet_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

// disks are the volumes of a node, which come when told so.
type disks struct {
	ready, inUse bool
	asked        int
	unmounted    []types.UID
	refused      []controlloop.Key
	tell         func(controlloop.Key)
}

func (d *disks) Mount(
	_ context.Context, pod *corev1.Pod,
) (map[string]kubelet.Mount, error) {
	d.asked++
	if !d.ready {
		d.refused = append(d.refused, controlloop.KeyOf(pod))
		return nil, &kubelet.MountError{Volume: "data", Reason: "no disk"}
	}
	return map[string]kubelet.Mount{
		"data": {Source: "/disk/1"}, "keys": {Source: "/disk/2", ReadOnly: true},
	}, nil
}

func (d *disks) SubPath(
	volume kubelet.Mount, c *corev1.Container, at *corev1.VolumeMount,
) (kubelet.Mount, error) {
	if at.SubPath == "missing" {
		return volume, fmt.Errorf("no %s for %s of %s", at.SubPath, at.Name, c.Name)
	}
	volume.Within = []string{at.SubPath}
	return volume, nil
}

func (d *disks) OnReady(f func(controlloop.Key)) { d.tell = f }

func (d *disks) Keep(types.UID) {}

// come makes the disks appear.
func (d *disks) come() {
	d.ready = true
	for _, key := range d.refused {
		if d.tell != nil {
			d.tell(key)
		}
	}
}

func (d *disks) Unmount(_ context.Context, pod types.UID) error {
	if d.inUse {
		return errors.New("the disk was taken from under a container that writes")
	}
	d.unmounted = append(d.unmounted, pod)
	return nil
}

// withDisks returns a node with these disks. The program "app" writes on them.
func withDisks(d *disks) kubetest.Setup {
	setup := oneNode(simulated.Images{
		"app": func(ctx context.Context, p *simulated.Process) int {
			d.inUse = true
			defer func() { d.inUse = false }()
			return kubetest.Sleeps(time.Second)(ctx, p)
		},
	})
	setup.Volumes = func(*controlloop.System, string) kubelet.Volumes { return d }
	return setup
}

func podWithDisk() *corev1.Pod {
	pod := kubetest.Pod("web", kubetest.Container("a", "app"))
	pod.Spec.Volumes = []corev1.Volume{{Name: "data"}}
	return pod
}

// never fails when a kubelet returns an error.
func never(t *testing.T, c *kubetest.Cluster) {
	c.Controller("kubelet node-1").OnError = func(_ controlloop.Key, err error) {
		assert.NoError(t, err)
	}
}

func TestAVolumeThatNobodyServesIsSaidSoOnce(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		never(t, c)
		pod := kubetest.Pod("web")
		pod.Spec.Volumes = []corev1.Volume{{Name: "data"}}
		stored := kubetest.Create(c, pod)
		c.Advance(time.Minute)
		kubetest.Edit(c, stored, func(p *corev1.Pod) { p.Labels["look"] = "again" })
		c.Advance(time.Minute)
		assert.Equal(t, "Pending: ContainerCreating", looks(c.Pod("web")))
		assert.Equal(t, "False ContainersNotReady containers with unready status: [nginx]",
			conditions(c.Pod("web"))[corev1.PodReady])
		assert.Equal(t, []string{
			`Normal Scheduled default-scheduler: Successfully assigned default/web to node-1`,
			`Warning FailedMount kubelet node-1: MountVolume.SetUp failed for volume "data" : no volume plugin matched`,
		}, c.Events())
	})
}

func TestAPodStartsTheInstantItsVolumeComes(t *testing.T) {
	d := &disks{}
	in(t, withDisks(d), func(c *kubetest.Cluster) {
		never(t, c)
		kubetest.Create(c, podWithDisk())
		time.AfterFunc(11*time.Minute, d.come)
		c.Advance(11*time.Minute - time.Second)
		assert.LessOrEqual(t, d.asked, 3, "nobody asks who will be told")
		c.Advance(2 * time.Second)
		started := c.Pod("web").Status.ContainerStatuses[0].State.Running
		require.NotNil(t, started)
		assert.Equal(t, 11*time.Minute, started.StartedAt.Sub(c.Pod("web").CreationTimestamp.Time))
		for _, event := range c.Events() {
			if event == `Warning FailedMount kubelet node-1: MountVolume.SetUp failed for volume "data" : no disk` {
				return
			}
		}
		t.Errorf("nothing says what it waited for: %q", c.Events())
	})
}

// A kubelet that starts asks for itself: it was not told of volumes that came
// before.
func TestAVolumeThatCameWhileThereWasNoKubeletIsFound(t *testing.T) {
	d := &disks{}
	in(t, withDisks(d), func(c *kubetest.Cluster) {
		kubetest.Create(c, podWithDisk())
		c.Advance(time.Second)
		d.ready = true
		c.Restart()
		c.Advance(time.Second)
		assert.Equal(t, "Running: Ready", looks(c.Pod("web")))
	})
}

func TestAPodThatIsDeletedByForceGivesItsVolumesBackWhenItHasEnded(t *testing.T) {
	d := &disks{ready: true}
	in(t, withDisks(d), func(c *kubetest.Cluster) {
		never(t, c)
		pod := kubetest.Create(c, podWithDisk())
		c.Advance(10 * time.Second)
		c.DeletePod("web", kubetest.Grace(0))
		c.Advance(time.Minute)
		assert.Equal(t, []types.UID{pod.UID}, d.unmounted)
		assert.Empty(t, c.Nodes[0].Runtime.Sandboxes())
	})
}

func TestAContainerStartsWhenItsVolumesAreThereAndSeesThem(t *testing.T) {
	var seen []kubelet.Mount
	volumes := &disks{}
	setup := oneNode(simulated.Images{
		"app": func(ctx context.Context, p *simulated.Process) int {
			seen, volumes.inUse = p.Mounts, true
			defer func() { volumes.inUse = false }()
			return kubetest.Sleeps(time.Second)(ctx, p)
		},
	})
	setup.Volumes = func(*controlloop.System, string) kubelet.Volumes { return volumes }
	in(t, setup, func(c *kubetest.Cluster) {
		app := kubetest.Container("a", "app")
		app.VolumeMounts = []corev1.VolumeMount{
			{Name: "data", MountPath: "/data"}, {Name: "keys", MountPath: "/keys"},
			{Name: "data", MountPath: "/backup", ReadOnly: true},
			{Name: "data", MountPath: "/logs", SubPath: "logs"},
		}
		pod := kubetest.Pod("web", app)
		pod.Spec.Volumes = []corev1.Volume{{Name: "data"}, {Name: "keys"}}
		kubetest.Create(c, pod)
		c.Advance(10 * time.Second)
		assert.Nil(t, seen, "a program that starts without its data makes new data")
		volumes.come()
		c.Advance(time.Minute)
		assert.Equal(t, []kubelet.Mount{
			{Source: "/disk/1", Path: "/data"},
			{Source: "/disk/2", Path: "/keys", ReadOnly: true},
			{Source: "/disk/1", Path: "/backup", ReadOnly: true},
			{Source: "/disk/1", Within: []string{"logs"}, Path: "/logs"},
		}, seen)
		assert.Empty(t, volumes.unmounted)
		never(t, c)
		c.DeletePod("web")
		c.Advance(time.Minute)
		assert.Len(t, volumes.unmounted, 1)
	})
}

func TestAContainerIsNotCreatedWithoutItsPartOfAVolume(t *testing.T) {
	in(t, withDisks(&disks{ready: true}), func(c *kubetest.Cluster) {
		never(t, c)
		pod := podWithDisk()
		pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{
			{Name: "data", MountPath: "/data", SubPath: "missing"},
		}
		kubetest.Create(c, pod)
		c.Advance(time.Second)
		waiting := c.Pod("web").Status.ContainerStatuses[0].State.Waiting
		require.NotNil(t, waiting)
		assert.Equal(t, "CreateContainerConfigError", waiting.Reason)
		assert.Equal(t, "no missing for data of a", waiting.Message)
		assert.Contains(t, c.Events(),
			"Warning Failed kubelet node-1 spec.containers{a}: Error: no missing for data of a")
	})
}
