package storage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// An attaching cluster has nodes without kubelets: what these would write into
// their Nodes' status, a test writes.
type attaching struct{ *kubetest.Cluster }

func attaches(t *testing.T, neverForce bool, test func(a attaching)) {
	t.Helper()
	in(t, kubetest.Setup{
		Kinds: mountable().With(storage.AttachmentKinds()...),
		Controllers: []kubetest.Controller{
			func(s *controlloop.System) *controlloop.Controller {
				return storage.NewAttacherWith(s, neverForce)
			},
			func(s *controlloop.System) *controlloop.Controller {
				return storage.NewDriverSide(s, storage.Driver)
			},
		},
		DetectMutations: true,
	}, func(c *kubetest.Cluster) {
		for _, name := range []string{"node-1", "node-2"} {
			kubetest.Create(c, readyNode(name))
		}
		test(attaching{c})
	})
}

func readyNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
}

const diskOfData = corev1.UniqueVolumeName("kubernetes.io/csi/" + storage.Driver + "^disk-1")

// disk makes a claim, data, that is bound to a disk of these modes.
func (a attaching) disk(modes ...corev1.PersistentVolumeAccessMode) {
	claim := kubetest.Create(a.Cluster, boundClaim("data"))
	volume := volumeFor("data", claim.UID, ours("disk-1"))
	volume.Spec.AccessModes = modes
	kubetest.Create(a.Cluster, volume)
}

// use makes a Pod on a node that mounts data, which the node says it uses.
func (a attaching) use(pod, node string) *corev1.Pod {
	p := mounter(pod, claimVolume("data", "data"))
	p.Spec.NodeName = node
	p = kubetest.Create(a.Cluster, p)
	a.inUse(node, diskOfData)
	a.Settle()
	return p
}

func (a attaching) inUse(node string, disks ...corev1.UniqueVolumeName) {
	a.status(node, func(n *corev1.Node) { n.Status.VolumesInUse = disks })
}

func (a attaching) status(node string, change func(*corev1.Node)) {
	obj, err := a.Store.Get(context.Background(), controlloop.NodeKind, controlloop.Key{Name: node})
	if err == nil {
		next := controlloop.Copy(obj.(*corev1.Node))
		change(next)
		_, err = a.Store.UpdateStatus(context.Background(), next)
	}
	if err != nil {
		panic(err)
	}
	a.Settle()
}

func (a attaching) falls(node string) {
	a.status(node, func(n *corev1.Node) {
		n.Status.Conditions = []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
	})
}

// attached says where data is attached, by the attachments and by the nodes.
func (a attaching) attached() string {
	var all []string
	for _, at := range kubetest.All[*storagev1.VolumeAttachment](a.Cluster, storage.AttachmentKind) {
		all = append(all, fmt.Sprintf("%s %v", at.Spec.NodeName, at.Status.Attached))
	}
	for _, node := range kubetest.All[*corev1.Node](a.Cluster, controlloop.NodeKind) {
		for _, v := range node.Status.VolumesAttached {
			if v.Name == diskOfData {
				all = append(all, "on "+node.Name)
			}
		}
	}
	return strings.Join(all, ", ")
}

func TestAttachAVolumeWhereAPodNeedsIt(t *testing.T) {
	attaches(t, false, func(a attaching) {
		a.disk(corev1.ReadWriteOnce)
		assert.Empty(t, a.attached())
		a.use("web", "node-1")
		assert.Equal(t, "node-1 true, on node-1", a.attached())
		assert.Equal(t, []string{`Normal SuccessfulAttachVolume attachdetach-controller: ` +
			`AttachVolume.Attach succeeded for volume "pv-data"`}, told(a.Cluster, "SuccessfulAttachVolume"))
	})
}

func TestAttachNothingThatNeedsNoAttaching(t *testing.T) {
	attaches(t, false, func(a attaching) {
		kubetest.Create(a.Cluster, &storagev1.CSIDriver{
			ObjectMeta: metav1.ObjectMeta{Name: storage.Driver},
			Spec:       storagev1.CSIDriverSpec{AttachRequired: new(false)}})
		a.disk(corev1.ReadWriteOnce)
		a.use("web", "node-1")
		assert.Empty(t, a.attached())
	})
}

func TestAttachOneNodeAtATime(t *testing.T) {
	attaches(t, false, func(a attaching) {
		a.disk(corev1.ReadWriteOnce)
		first := a.use("web", "node-1")
		a.use("other", "node-2")
		assert.Equal(t, "node-1 true, on node-1", a.attached())
		assert.Equal(t, []string{`Warning FailedAttachVolume attachdetach-controller: ` +
			`Waiting for detach for volume "pv-data" Volume is already used by pod(s) web`},
			told(a.Cluster, "FailedAttachVolume"))
		gone(a.Cluster, first)
		a.Advance(time.Hour)
		assert.Equal(t, "node-1 true, on node-1", a.attached(), "the node still uses it, and is well")
		a.inUse("node-1")
		assert.Equal(t, "node-2 true, on node-2", a.attached())
		assert.Len(t, told(a.Cluster, "FailedAttachVolume"), 1, "told once")
	})
}

func TestAttachToManyNodesWhatManyMayWrite(t *testing.T) {
	attaches(t, false, func(a attaching) {
		a.disk(corev1.ReadWriteMany)
		a.use("web", "node-1")
		a.use("other", "node-2")
		assert.ElementsMatch(t, []string{"node-1 true", "node-2 true", "on node-1", "on node-2"},
			strings.Split(a.attached(), ", "))
	})
}

// The node is silent, and its Pod was deleted by force.
func TestAttachElsewhereAfterSixMinutes(t *testing.T) {
	for neverForce, want := range map[bool]string{
		false: "node-2 true, on node-2", true: "node-1 true, on node-1",
	} {
		t.Run(fmt.Sprint("never by force ", neverForce), func(t *testing.T) {
			attaches(t, neverForce, func(a attaching) {
				a.disk(corev1.ReadWriteOnce)
				first := a.use("web", "node-1")
				a.falls("node-1")
				gone(a.Cluster, first)
				a.use("next", "node-2")
				assert.Equal(t, []string{`Warning FailedAttachVolume attachdetach-controller: ` +
					`Waiting for detach for volume "pv-data" Volume is already exclusively attached ` +
					`to one node, waiting on detach before it can be attached to another node`},
					told(a.Cluster, "FailedAttachVolume"))
				a.Advance(6*time.Minute - time.Second)
				assert.Equal(t, "node-1 true, on node-1", a.attached())
				a.Advance(2 * time.Second)
				assert.Equal(t, want, a.attached())
				a.status("node-1", func(*corev1.Node) {})
				out := kubetest.All[*corev1.Node](a.Cluster, controlloop.NodeKind)[0]
				kubetest.Edit(a.Cluster, out, func(n *corev1.Node) {
					n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeOutOfService,
						Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}}
				})
				a.Settle()
				assert.Equal(t, "node-2 true, on node-2", a.attached(), "a person has said that it is off")
			})
		})
	}
}

// When a detach was first wanted is not written down.
func TestAttachBeginsTheSixMinutesAnewAfterARestart(t *testing.T) {
	attaches(t, false, func(a attaching) {
		a.disk(corev1.ReadWriteOnce)
		first := a.use("web", "node-1")
		a.falls("node-1")
		gone(a.Cluster, first)
		a.use("next", "node-2")
		a.Advance(5 * time.Minute)
		a.Restart()
		a.Advance(6*time.Minute - time.Second)
		assert.Equal(t, "node-1 true, on node-1", a.attached())
		a.Advance(2 * time.Second)
		assert.Equal(t, "node-2 true, on node-2", a.attached())
	})
}

//book:exercise 5k
func TestAttachedVolumesMayBeTaken(t *testing.T) {
	const disk = corev1.UniqueVolumeName("a disk")
	node := func(ready corev1.ConditionStatus, inUse bool, taints ...string) *corev1.Node {
		n := readyNode("node-1")
		n.Status.Conditions[0].Status = ready
		if inUse {
			n.Status.VolumesInUse = []corev1.UniqueVolumeName{"another", disk}
		}
		for _, key := range taints {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		}
		return n
	}
	well, silent := corev1.ConditionTrue, corev1.ConditionUnknown
	for name, c := range map[string]struct {
		node       *corev1.Node
		waited     time.Duration
		neverForce bool
		want       bool
	}{
		"the node has let go of it":               {node(well, false), 0, false, true},
		"a silent node had let go of it":          {node(silent, false), 0, true, true},
		"it is mounted":                           {node(well, true), 0, false, false},
		"it is mounted, however long":             {node(well, true), time.Hour, false, false},
		"the node is silent":                      {node(silent, true), 6*time.Minute - 1, false, false},
		"the node has been silent for long":       {node(silent, true), 6 * time.Minute, false, true},
		"... and force is ruled out":              {node(silent, true), time.Hour, true, false},
		"the node is not ready, and has its time": {node(corev1.ConditionFalse, true), 6 * time.Minute, false, true},
		"a person says that the node is off":      {node(silent, true, corev1.TaintNodeOutOfService), 0, true, true},
		"... and force is not ruled out":          {node(silent, true, corev1.TaintNodeOutOfService), 0, false, true},
		"... of a node that looks well":           {node(well, true, corev1.TaintNodeOutOfService), 0, true, true},
		"another taint":                           {node(silent, true, corev1.TaintNodeUnreachable), 0, false, false},
		"the node is gone":                        {nil, 0, false, false},
		"the node is gone, and has had its time":  {nil, 6 * time.Minute, false, true},
		"the node is gone, without force":         {nil, time.Hour, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := &storage.Attacher{NeverForce: c.neverForce}
			assert.Equal(t, c.want, storage.MayDetach(a, c.node, disk, c.waited))
		})
	}
}
