package storage

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// tellWaiting tells the Pods on a node that the volume they need is attached to
// another, and which Pods hold it there. (Kubernetes: reportMultiAttachError in
// pkg/controller/volume/attachdetach/reconciler/reconciler.go.)
func (a *Attacher) tellWaiting(
	node string, desired map[string]need, actual []*storagev1.VolumeAttachment,
) {
	var holders []string
	for _, at := range actual {
		for _, pod := range desired[at.Spec.NodeName].pods {
			holders = append(holders, pod.Name)
		}
	}
	why := "Volume is already exclusively attached to one node, waiting on " +
		"detach before it can be attached to another node"
	if len(holders) > 0 {
		why = "Volume is already used by pod(s) " + strings.Join(holders, ", ")
	}
	here := desired[node]
	a.tell(node, here, "waiting", fmt.Sprintf(
		"Waiting for detach for volume %q %s", here.volume.Name, why))
}

// tellFailure tells the Pods on a node why the driver cannot attach the volume
// that they need, if it has said so.
func (a *Attacher) tellFailure(at *storagev1.VolumeAttachment, here need) {
	if failure := at.Status.AttachError; failure != nil {
		a.tell(at.Spec.NodeName, here, failure.Message, fmt.Sprintf(
			"AttachVolume.Attach failed for volume %q : %s",
			here.volume.Name, failure.Message))
	}
}

// tell tells the Pods on a node, once for each reason, that the volume they need
// does not come.
func (a *Attacher) tell(node string, here need, why, message string) {
	name := here.volume.Name
	if a.told[name][node] == why {
		return
	}
	if a.told[name] == nil {
		a.told[name] = map[string]string{}
	}
	a.told[name][node] = why
	for _, pod := range here.pods {
		a.Recorder.Eventf(pod, corev1.EventTypeWarning, "FailedAttachVolume", "%s", message)
	}
}

// forget makes the next Pod on a node that a volume is not wanted at hear again
// that it has to wait.
func (a *Attacher) forget(volume string, desired map[string]need) {
	for _, name := range a.namesOf(volume) {
		for node := range a.told[name] {
			if here, ok := desired[node]; !ok || here.volume.Name != name {
				delete(a.told[name], node)
			}
		}
	}
}
