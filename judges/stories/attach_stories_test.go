package stories

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

// attachStories are chapter 5's stories of disks that are attached, by name.
var attachStories = merged(
	comeAndGoStories, unwellStories, restartStories, doubleStories)

// comeAndGoStories are about nodes that are well.
var comeAndGoStories = map[string]func(s *attachPlay){
	"attach-come-and-go": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod comes to node-1")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.say("it is told to go, and still runs")
		s.remove(controlloop.PodKind, "db-0", 30)
		s.wait(2 * time.Minute)
		s.say("it has gone")
		s.ended("db-0")
		s.say("the node lets go")
		s.uses("node-1")
	},
	"attach-ended": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("two Pods of node-1 use the disk")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.starts("db-1", "node-1", "db")
		s.say("one comes to its end, and stays")
		s.runs("db-0", corev1.PodSucceeded, false)
		s.wait(2 * time.Minute)
		s.say("so does the other")
		s.runs("db-1", corev1.PodFailed, false)
		s.uses("node-1")
	},
	"attach-one-at-a-time": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1, and one on node-2")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.starts("db-1", "node-2", "db")
		s.uses("node-2", "disk-1")
		s.say("a second on node-2")
		s.starts("db-2", "node-2", "db")
		s.say("the one on node-1 is gone")
		s.ended("db-0")
		s.say("and node-1 lets go")
		s.uses("node-1")
	},
	"attach-many": func(s *attachPlay) {
		s.makeNodesAndClaim(modes(corev1.ReadWriteMany))
		s.say("a Pod on node-1, and one on node-2")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.starts("db-1", "node-2", "db")
		s.uses("node-2", "disk-1")
		s.say("the one on node-1 is gone")
		s.ended("db-0")
		s.uses("node-1")
	},
	"attach-not-required": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.pause = 5 * time.Minute // so often Kubernetes looks at all Pods
		s.say("a driver whose disks need no attaching, and a Pod")
		s.driver(false)
		s.starts("db-0", "node-1", "db")
		s.say("a driver whose disks do")
		s.remove(storage.DriverKind, external)
		s.driver(true)
		s.say("and again one whose disks do not")
		s.remove(storage.DriverKind, external)
		s.driver(false)
	},
	"attach-deleted-by-hand": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.detachedByHand()
	},
	"attach-deleted-by-hand-elsewhere": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.lost()
		s.detachedByHand()
		s.say("node-1 is back, and has let go")
		s.says("node-1", corev1.ConditionTrue)
		s.uses("node-1")
		s.say("another Pod on node-1")
		s.starts("db-2", "node-1", "db")
		s.printDisks()
	},
	"attach-made-by-hand": func(s *attachPlay) {
		s.makeNodesAndClaim(ofNobody)
		s.say("a person attaches the disk to node-2, where no Pod needs it")
		s.create(&storagev1.VolumeAttachment{
			ObjectMeta: metav1.ObjectMeta{Name: attachmentName(nobody, "disk-1", "node-2")},
			Spec: storagev1.VolumeAttachmentSpec{
				Attacher: nobody, NodeName: "node-2",
				Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: new("pv-db")},
			},
		})
		s.wait(20 * time.Minute)
		s.say("the controller is restarted, and node-2 says how it is")
		s.halt()
		s.resume()
		s.says("node-2", corev1.ConditionTrue)
	},
	"attach-half-bound": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a claim and a volume that name each other, and are not bound yet")
		s.create(asks("log", "1Gi", from("pv-log"), unprotected[*corev1.PersistentVolumeClaim]))
		s.create(disk("pv-log", "1Gi", keptFor("log"), unprotected[*corev1.PersistentVolume], ofDriver(external, "disk-2")))
		s.say("a Pod on node-1")
		s.starts("log-0", "node-1", "log")
		s.say("they are bound")
		uid := get[*corev1.PersistentVolumeClaim](s.play, claimKind, "log").UID
		edit(s.play, volumeKind, "pv-log", func(v *corev1.PersistentVolume) { v.Spec.ClaimRef.UID = uid })
		s.binds("log")
	},
	"attach-by-the-kubelet": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("the kubelet of node-1 attaches disks by itself")
		edit(s.play, controlloop.NodeKind, "node-1", func(n *corev1.Node) { n.Annotations = nil })
		s.say("the controller is restarted, and a Pod comes to node-1")
		s.halt()
		s.resume()
		s.starts("db-0", "node-1", "db")
		s.wait(5 * time.Minute)
	},
	"attach-never-let-go": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1, which is gone")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.ended("db-0")
		s.say("one on node-2")
		s.starts("db-1", "node-2", "db")
		s.wait(20 * time.Minute)
		s.say("node-1 falls silent")
		s.silent("node-1")
	},
	"attach-about-to-go": func(s *attachPlay) {
		s.makeNodesAndClaim(func(v *corev1.PersistentVolume) { v.Finalizers = []string{volumeInUse} })
		s.say("the volume is deleted, and kept for its claim")
		s.remove(volumeKind, "pv-db")
		s.say("a Pod on node-1")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.wait(5 * time.Minute)
		s.say("it is gone")
		s.ended("db-0")
		s.uses("node-1")
		s.wait(5 * time.Minute)
	},
	"attach-no-driver": func(s *attachPlay) {
		s.makeNodesAndClaim(ofNobody)
		s.say("a Pod on node-1, and nobody attaches disks of this driver")
		s.starts("db-0", "node-1", "db")
		s.usesOf(nobody, "node-1", "disk-1")
		s.wait(5 * time.Minute)
		s.say("the Pod is gone, and there is another on node-2")
		s.force("db-0")
		s.starts("db-1", "node-2", "db")
		s.wait(10 * time.Minute)
	},
}

// unwellStories are about nodes that are silent, or gone.
var unwellStories = map[string]func(s *attachPlay){
	"attach-silent-and-back": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.lost()
		s.wait(5 * time.Minute)
		s.say("node-1 is back, and has let go")
		s.says("node-1", corev1.ConditionTrue)
		s.uses("node-1")
	},
	"attach-not-ready-and-wanted-again": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1, which is not ready, and the Pod is deleted by force")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.says("node-1", corev1.ConditionFalse)
		s.force("db-0")
		s.wait(5 * time.Minute)
		s.say("another on node-1, which is deleted by force")
		s.starts("db-1", "node-1", "db")
		s.force("db-1")
		s.wait(5*time.Minute + 30*time.Second)
		s.wait(time.Minute)
	},
	"attach-silent-while-it-leaves": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1, whose init container runs")
		s.starts("db-0", "node-1", "db", func(p *corev1.Pod) {
			p.Status.Phase = corev1.PodPending
			p.Status.InitContainerStatuses = p.Status.ContainerStatuses
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "db", State: corev1.ContainerState{
				Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"},
			}}}
		})
		s.uses("node-1", "disk-1")
		s.say("node-1 falls silent, and the Pod is told to go")
		s.silent("node-1")
		s.remove(controlloop.PodKind, "db-0", 30)
		s.wait(20 * time.Minute)
	},
	"attach-silent-and-unbound": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1, which falls silent")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.silent("node-1")
		s.say("the claim is deleted by force, under the Pod")
		s.remove(claimKind, "db")
		s.wait(20 * time.Minute)
		s.say("the controller is restarted")
		s.halt()
		s.resume()
		s.wait(7 * time.Minute)
	},
	"attach-out-of-service": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1, which is gone")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.force("db-0")
		s.say("a person says that node-1 is off, which looks well")
		s.taint("node-1")
	},
	"attach-node-deleted": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1, which is deleted")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.remove(controlloop.NodeKind, "node-1")
		s.wait(20 * time.Minute)
		s.say("the Pod is gone, and there is another on node-2")
		s.force("db-0")
		s.starts("db-1", "node-2", "db")
		s.wait(5*time.Minute + 30*time.Second)
		s.wait(time.Minute)
	},
	"attach-node-deleted-unused": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1, which has not begun to use the disk, and is deleted")
		s.starts("db-0", "node-1", "db")
		s.remove(controlloop.NodeKind, "node-1")
		s.say("the Pod is gone")
		s.force("db-0")
		s.wait(5*time.Minute + 30*time.Second)
		s.wait(time.Minute)
	},
	"attach-node-made-again": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1, which is deleted, and comes back")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.remove(controlloop.NodeKind, "node-1")
		s.node("node-1")
	},
}

// lost has a Pod whose node falls silent deleted by force; there is another on
// node-2.
func (s *attachPlay) lost() {
	s.t.Helper()
	s.say("a Pod on node-1, which falls silent")
	s.starts("db-0", "node-1", "db")
	s.uses("node-1", "disk-1")
	s.silent("node-1")
	s.say("the Pod is deleted by force, and there is another on node-2")
	s.force("db-0")
	s.starts("db-1", "node-2", "db")
}

// detachedByHand has a person delete the attachment to node-1, and waits until
// Kubernetes asks whether what was attached still is.
func (s *attachPlay) detachedByHand() {
	s.t.Helper()
	s.unordered = true // it writes on the node beside what it attaches
	s.say("a person deletes the attachment")
	s.pause = 2 * time.Minute
	s.remove(storage.AttachmentKind, attachmentName(external, "disk-1", "node-1"))
}

// restartStories are about a controller that knows nothing of what was before.
var restartStories = map[string]func(s *attachPlay){
	"attach-restart": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.say("the controller is restarted")
		s.halt()
		s.resume()
		s.say("the Pod is gone, and node-1 has let go")
		s.ended("db-0")
		s.uses("node-1")
	},
	"attach-restart-while-it-waits": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.lost()
		s.wait(5 * time.Minute)
		s.say("the controller is restarted")
		s.halt()
		s.resume()
		s.wait(5*time.Minute + 30*time.Second)
		s.wait(time.Minute)
	},
	"attach-restart-meanwhile": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.say("while there is no controller the Pod goes, node-1 lets go, and there is another on node-2")
		s.halt()
		s.ended("db-0")
		s.uses("node-1")
		s.starts("db-1", "node-2", "db")
		s.resume()
	},
	"attach-restart-without-the-node": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.say("while there is no controller node-1 is deleted, the Pod goes, and there is another on node-2")
		s.halt()
		s.remove(controlloop.NodeKind, "node-1")
		s.force("db-0")
		s.starts("db-1", "node-2", "db")
		s.resume()
		s.wait(5*time.Minute + 30*time.Second)
		s.wait(time.Minute)
	},
}

// doubleStories are about disks for which two volumes stand.
var doubleStories = map[string]func(s *attachPlay){
	"attach-two-volumes": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.bound("pv-log", "log", "disk-1")
		s.say("a Pod on node-1, and one on node-1 by the other volume")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.starts("log-0", "node-1", "log")
		s.say("the first is gone")
		s.ended("db-0")
		s.say("a third on node-2")
		s.starts("log-1", "node-2", "log")
		s.say("the second is gone, and node-1 lets go")
		s.ended("log-0")
		s.uses("node-1")
	},
	"attach-made-again": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.lost()
		s.say("that one, the claim and the volume are deleted")
		s.force("db-1")
		s.remove(claimKind, "db")
		s.remove(volumeKind, "pv-db")
		s.say("the claim is made again, with another volume for the disk, and a Pod on node-2")
		s.bound("pv-again", "db", "disk-1")
		s.starts("db-2", "node-2", "db")
		s.wait(2 * time.Minute)
		s.say("node-1 is back, and lets go")
		s.unordered = true // the driver lets go of the old volume meanwhile
		s.says("node-1", corev1.ConditionTrue)
		s.uses("node-1")
	},
	"attach-made-again-in-a-hurry": func(s *attachPlay) {
		s.makeNodesAndClaim()
		s.say("a Pod on node-1")
		s.starts("db-0", "node-1", "db")
		s.uses("node-1", "disk-1")
		s.pause = 2 * time.Minute
		s.say("Pod and claim are deleted, and the volume, of which a person takes off what keeps it")
		s.ended("db-0")
		s.remove(claimKind, "db")
		s.remove(volumeKind, "pv-db")
		edit(s.play, volumeKind, "pv-db", unprotected[*corev1.PersistentVolume])
		s.say("another volume for the disk, and a Pod on node-2")
		s.bound("pv-again", "again", "disk-1")
		s.starts("db-1", "node-2", "again")
		s.printDisks()
		s.say("node-1 lets go")
		s.uses("node-1")
		s.printDisks()
	},
}
