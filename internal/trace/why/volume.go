package why

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

const (
	binder      = "persistentvolume-binder"
	provisioner = "provisioner"
)

// claimOf goes on to a claim that a Pod names, and to its disk.
func (w *walk) claimOf(p *corev1.Pod, name string) bool {
	claim, there := named[*corev1.PersistentVolumeClaim](w.World, p.Namespace, name)
	if there {
		_, attaches := w.Look.State("attacher " + storage.Driver)
		return w.object(claim) || attaches && p.Spec.NodeName != "" && w.attached(p, claim)
	}
	w.link("PersistentVolumeClaim "+p.Namespace+"/"+name, "isn't there, and the Pod names it")
	return w.end(Object, "kubectl create -f CLAIM%s", in(p))
}

// attached says what a disk waits for until it is attached to a Pod's node.
func (w *walk) attached(p *corev1.Pod, c *corev1.PersistentVolumeClaim) bool {
	var elsewhere *storagev1.VolumeAttachment
	for _, at := range all(w.World, func(at *storagev1.VolumeAttachment) bool {
		return ptr.Deref(at.Spec.Source.PersistentVolumeName, "") == c.Spec.VolumeName
	}) {
		switch {
		case at.Spec.NodeName != p.Spec.NodeName:
			elsewhere = at
		case at.Status.Attached:
			return false
		default:
			w.say(at, "isn't attached yet")
			return w.loop("attacher "+at.Spec.Attacher, at)
		}
	}
	w.more("its disk isn't attached to that node")
	if elsewhere != nil {
		w.say(elsewhere, "has it on %s", elsewhere.Spec.NodeName)
		for _, other := range all(w.World, func(p *corev1.Pod) bool { return p.Spec.NodeName == elsewhere.Spec.NodeName }) {
			if uses(other, c) && !controlloop.HasEnded(other) {
				return w.inUse(other)
			}
		}
		if node, there := named[*corev1.Node](w.World, "", elsewhere.Spec.NodeName); there && w.lost(node) {
			return true
		}
	}
	return w.keyed("attachdetach-controller", c.Spec.VolumeName, "PersistentVolume", "Pod")
}

// claim says what a claim waits for until it has its volume.
func (w *walk) claim(c *corev1.PersistentVolumeClaim) bool {
	if c.Status.Phase == corev1.ClaimBound {
		return false
	}
	w.say(c, "is %s", c.Status.Phase)
	if w.held(binder) {
		return w.loop(binder, c)
	}
	class, ordered := storage.ClassOf(c)
	switch words := w.told(c, "FailedBinding", "ProvisioningFailed", "VolumeMismatch"); {
	case c.Status.Phase == corev1.ClaimLost:
		w.more("the volume that it had is gone, and its data with it")
		return w.end(Nobody, "")
	case c.Spec.VolumeName != "":
		return w.wants(c, words)
	case class == "" && !w.isQueued(binder, c):
		w.more("it names no class, and no volume fits")
		return w.end(Object, "kubectl create -f VOLUME")
	case ordered && class != "":
		return w.ofClass(c, class)
	}
	return w.loop(binder, c)
}

// wants says what a claim waits for that names its volume.
func (w *walk) wants(c *corev1.PersistentVolumeClaim, words string) bool {
	volume, there := named[*corev1.PersistentVolume](w.World, "", c.Spec.VolumeName)
	switch {
	case !there:
		w.more("it wants the volume %s, which isn't there", c.Spec.VolumeName)
		return w.end(Object, "kubectl create -f VOLUME")
	case words != "" && !w.isQueued(binder, c):
		w.more("%s", words)
		if ref := volume.Spec.ClaimRef; ref != nil && volume.Status.Phase == corev1.VolumeReleased {
			w.say(volume, "is Released, and still names the claim %s, which is gone", ref.Name)
			return w.end(Stopped, `kubectl patch %s --type=json -p '[{"op":"remove","path":"/spec/claimRef"}]'`, kubectlName(volume))
		}
		return w.end(Refused, "")
	}
	return w.loop(binder, c)
}

// ofClass says what a claim waits for that its class's provisioner makes a volume for.
func (w *walk) ofClass(c *corev1.PersistentVolumeClaim, name string) bool {
	class, there := named[*storagev1.StorageClass](w.World, "", name)
	if !there {
		w.link("StorageClass "+name, "isn't there, and the claim names it")
		return w.end(Object, "kubectl create -f CLASS")
	}
	mode := class.VolumeBindingMode
	if mode != nil && *mode == storagev1.VolumeBindingWaitForFirstConsumer && c.Annotations["volume.kubernetes.io/selected-node"] == "" {
		return w.consumer(c)
	}
	if class.Provisioner != storage.Driver {
		w.more("class %s is made by %s, and no such provisioner runs here", name, class.Provisioner)
		return w.end(Nobody, "")
	}
	made := all(w.World, func(v *corev1.PersistentVolume) bool { return v.Spec.ClaimRef != nil && v.Spec.ClaimRef.UID == c.UID })
	if len(made) > 0 && w.isQueued(binder, made[0]) {
		return w.loop(binder, made[0])
	}
	if c.Annotations["volume.kubernetes.io/storage-provisioner"] == "" || len(made) > 0 {
		return w.loop(binder, c)
	}
	return w.loop(provisioner, c)
}

// consumer goes on to the Pod whose node a claim waits for.
func (w *walk) consumer(c *corev1.PersistentVolumeClaim) bool {
	pods := all(w.World, func(p *corev1.Pod) bool { return uses(p, c) && p.Spec.NodeName == "" })
	if len(pods) == 0 {
		w.more("its class waits for the first Pod that uses it, and there is none")
		return w.end(Object, "kubectl create -f POD")
	}
	w.more("its class waits until a Pod that uses it has a node")
	if w.seen[nameOf(pods[0])] {
		return w.scheduled(pods[0])
	}
	return w.object(pods[0])
}

// scheduled ends the chain at what the scheduler says of a Pod.
func (w *walk) scheduled(p *corev1.Pod) bool {
	c := controlloop.PodCondition(p, corev1.PodScheduled)
	if c == nil || c.Message == "" || w.held("scheduler") {
		return w.loop("scheduler", p)
	}
	w.say(p, "has no node: %s", c.Message)
	return w.refusal(p, c.Message)
}

func uses(p *corev1.Pod, c *corev1.PersistentVolumeClaim) bool {
	return p.Namespace == c.Namespace && slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == c.Name
	})
}

// isQueued reports whether a loop is about to look at an object.
func (w *walk) isQueued(lane string, obj controlloop.Object) bool {
	state, _ := w.Look.State(lane)
	key := keyOf(obj)
	back, comes := state.Back[key]
	return slices.Contains(state.Queue, key) || slices.Contains(state.Running, key) || comes && back.Err != "" || w.Look.Behind(kindOf(obj)) > 0
}
