package storage

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// These are exported to the tests alone.

var Mismatch = mismatch

var OwnersOf = ownersOf

// Supply is a supply that can be asked alone.
type Supply struct{ *supply }

func NewSupply(s *controlloop.System) Supply { return Supply{newSupply(s)} }

// Give notes that a volume was given away, of which the cache has not heard.
func (s Supply) Give(volume *corev1.PersistentVolume) { s.note(volume, true) }

// Choose returns the name of the volume that a claim gets, or "" if none; any
// volume will do if will is nil.
func (s Supply) Choose(
	claim *corev1.PersistentVolumeClaim, will func(name string) bool,
) string {
	DefaultClaim(claim)
	volume := s.choose(claim, func(volume *corev1.PersistentVolume) bool {
		return will == nil || will(volume.Name)
	})
	if volume == nil {
		return ""
	}
	return volume.Name
}

// MayDetach says whether an Attacher may take a volume from a node.
func MayDetach(
	a *Attacher, node *corev1.Node, disk corev1.UniqueVolumeName, waited time.Duration,
) bool {
	return a.mayDetach(node, disk, waited)
}

// AttachmentName is the name of a volume's attachment to a node.
func AttachmentName(volume *corev1.PersistentVolume, node string) string {
	return attachmentName(volume.Spec.CSI, node)
}

// Planned says what Settle would write for a Pod of one claim on a node: into the
// volume of that name, or onto the claim.
func (c *Consumers) Planned(pod *corev1.Pod, node *corev1.Node) (volume string, onClaim bool) {
	todo, why := c.arrange(pod, node)
	if len(todo) == 0 || len(why) > 0 {
		return "", false
	}
	if todo[0].volume != nil {
		return todo[0].volume.Name, false
	}
	return "", true
}
