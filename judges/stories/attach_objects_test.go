package stories

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	volumeutil "k8s.io/kubernetes/pkg/volume/util"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

// attachPlay is a play about disks that are attached to nodes. The side-car beside
// the driver is the book's on both sides; the story has the kubelets' part.
type attachPlay struct {
	*play
	by   controllers
	ctx  context.Context // the cluster's
	stop context.CancelFunc
}

// start starts the driver's side and the controller.
func (s *attachPlay) start(ctx context.Context, c *cluster) {
	c.book(ctx, func(system *controlloop.System) *controlloop.Controller {
		return storage.NewDriverSide(system, external)
	})
	s.ctx = ctx
	s.run(c)
}

// run starts the controller.
func (s *attachPlay) run(c *cluster) {
	ctx, stop := context.WithCancel(s.ctx)
	s.stop = stop
	s.by(ctx, c)
}

// halt stops the controller, and the driver's side goes on.
func (s *attachPlay) halt() {
	s.stop()
	s.pass(s.pause)
}

// resume starts another controller, which knows nothing.
func (s *attachPlay) resume() {
	s.run(s.c)
	s.pass(s.pause)
	s.observe()
}

// end stops the controller, and waits until Kubernetes has given up what it tries:
// the driver's side has two minutes for it.
func (s *attachPlay) end() {
	s.stop()
	s.pass(2*time.Minute + time.Second)
}

// makeNodesAndClaim makes two nodes that are well, and a claim with its volume.
func (s *attachPlay) makeNodesAndClaim(options ...volumeOption) {
	s.t.Helper()
	s.say("two nodes, and a disk")
	for _, name := range []string{"node-1", "node-2"} {
		s.node(name)
	}
	s.bound("pv-db", "db", "disk-1", options...)
}

// node makes a node that is well. The annotation is its kubelet's: Kubernetes'
// controller attaches nothing to a node without it.
func (s *attachPlay) node(name string) {
	s.t.Helper()
	s.create(machine(name, func(n *corev1.Node) {
		n.Annotations = map[string]string{volumeutil.ControllerManagedAttachAnnotation: "true"}
	}))
	s.says(name, corev1.ConditionTrue)
}

// bound makes a claim and a volume that are bound to each other. The volume stands
// for the disk of that handle.
func (s *attachPlay) bound(volume, claim, handle string, options ...volumeOption) {
	s.t.Helper()
	s.create(asks(claim, "1Gi", from(volume), unprotected[*corev1.PersistentVolumeClaim]))
	s.binds(claim)
	v := disk(volume, "1Gi", keptFor(claim), unprotected[*corev1.PersistentVolume], ofDriver(external, handle))
	v.Spec.ClaimRef.UID = get[*corev1.PersistentVolumeClaim](s.play, claimKind, claim).UID
	for _, option := range options {
		option(v)
	}
	s.create(v)
}

// binds says of a claim that it is bound.
func (s *attachPlay) binds(claim string) {
	s.t.Helper()
	s.status(claimKind, claim, func(obj controlloop.Object) {
		obj.(*corev1.PersistentVolumeClaim).Status.Phase = corev1.ClaimBound
	})
}

// starts makes a Pod on a node that uses a claim, and has its node say that its
// container runs.
func (s *attachPlay) starts(pod, node, claim string, options ...func(*corev1.Pod)) {
	s.t.Helper()
	p := reader(pod, claim)
	p.Spec.NodeName = node
	s.create(p)
	s.status(controlloop.PodKind, pod, func(obj controlloop.Object) {
		p := obj.(*corev1.Pod)
		p.Status.Phase = corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "db", State: corev1.ContainerState{
			Running: &corev1.ContainerStateRunning{StartedAt: controlloop.Now()},
		}}}
		for _, option := range options {
			option(p)
		}
	})
}

// status changes what an object's node or controller has written of it.
func (s *attachPlay) status(kind schema.GroupVersionKind, name string, change func(controlloop.Object)) {
	s.t.Helper()
	next := controlloop.Copy(get[controlloop.Object](s.play, kind, name))
	change(next)
	s.act(func(ctx context.Context) error {
		_, err := s.c.store.UpdateStatus(ctx, next)
		return err
	})
}

// uses has a node say which disks it uses, these and no others.
func (s *attachPlay) uses(node string, handles ...string) {
	s.t.Helper()
	s.usesOf(external, node, handles...)
}

// usesOf is uses, of another driver's disks.
func (s *attachPlay) usesOf(driver, node string, handles ...string) {
	s.t.Helper()
	what := "no disk"
	if len(handles) > 0 {
		what = strings.Join(handles, " and ")
	}
	fmt.Fprintf(&s.out, "(%s uses %s)\n", node, what)
	s.status(controlloop.NodeKind, node, func(obj controlloop.Object) {
		n := obj.(*corev1.Node)
		n.Status.VolumesInUse = nil
		for _, handle := range handles {
			n.Status.VolumesInUse = append(n.Status.VolumesInUse, diskName(driver, handle))
		}
	})
}

// says has a node's condition say whether it is ready.
func (s *attachPlay) says(node string, ready corev1.ConditionStatus) {
	s.t.Helper()
	s.status(controlloop.NodeKind, node, func(obj controlloop.Object) {
		says(corev1.NodeReady, ready)(obj.(*corev1.Node))
	})
}

// silent has a node fall silent.
func (s *attachPlay) silent(node string) {
	s.t.Helper()
	s.says(node, corev1.ConditionUnknown)
}

// force deletes a Pod without its node.
func (s *attachPlay) force(pod string) {
	s.t.Helper()
	s.remove(controlloop.PodKind, pod, 0)
}

// taint says that a node is off.
func (s *attachPlay) taint(node string) {
	s.t.Helper()
	edit(s.play, controlloop.NodeKind, node, func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{
			Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute,
		}}
	})
}

// driver makes the driver's object, which says whether disks must be attached.
func (s *attachPlay) driver(attaches bool) {
	s.t.Helper()
	s.create(&storagev1.CSIDriver{
		ObjectMeta: metav1.ObjectMeta{Name: external},
		Spec:       storagev1.CSIDriverSpec{AttachRequired: &attaches},
	})
}

// printDisks prints which disks the nodes' status says they have.
func (s *attachPlay) printDisks() {
	s.t.Helper()
	for _, name := range []string{"node-1", "node-2"} {
		for _, v := range get[*corev1.Node](s.play, controlloop.NodeKind, name).Status.VolumesAttached {
			_, handle, _ := strings.Cut(string(v.Name), "^")
			fmt.Fprintf(&s.out, "(%s has %s)\n", name, handle)
		}
	}
}

// nobody is a driver without a side-car: its disks are attached by nobody.
const nobody = "nobody.example.com"

// diskName returns the name by which a node's status knows a disk.
func diskName(driver, handle string) corev1.UniqueVolumeName {
	return corev1.UniqueVolumeName("kubernetes.io/csi/" + driver + "^" + handle)
}

func ofNobody(v *corev1.PersistentVolume) { v.Spec.CSI.Driver = nobody }

// ofDriver makes a volume stand for a disk of a driver.
func ofDriver(driver, handle string) volumeOption {
	return func(v *corev1.PersistentVolume) {
		v.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{
			CSI: &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: handle},
		}
	}
}

// attachmentName returns the name that a disk's attachment to a node has.
func attachmentName(driver, handle, node string) string {
	return fmt.Sprintf("csi-%x", sha256.Sum256([]byte(handle+driver+node)))
}

// attachmentNames returns a function that names attachments, in lines, by what they
// are of, if that is how they are named.
func attachmentNames() func(line string) string {
	var pairs []string
	for _, driver := range []string{external, nobody} {
		for _, handle := range []string{"disk-1", "disk-2"} {
			for _, node := range []string{"node-1", "node-2"} {
				pairs = append(pairs, attachmentName(driver, handle, node), handle+"@"+node)
			}
		}
	}
	return strings.NewReplacer(pairs...).Replace
}
