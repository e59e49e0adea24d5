package kubelet

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// Volumes provides what the Pods of a node mount. This chapter's is NoVolumes.
type Volumes interface {
	// Mount makes the volumes of a Pod ready, and returns them by volume name.
	// Its error is a *MountError when one of them is not there yet.
	Mount(ctx context.Context, pod *corev1.Pod) (map[string]Mount, error)
	// SubPath returns the part of a volume that c mounts if it does not mount
	// all. It makes directories that are missing.
	SubPath(volume Mount, c *corev1.Container, at *corev1.VolumeMount,
	) (Mount, error)
	// OnReady makes the Volumes call f with the key of a Pod that was refused,
	// as soon as it is worth asking again.
	OnReady(f func(controlloop.Key))
	// Keep says that a Pod was left running by an earlier kubelet: its volumes are
	// kept until Unmount, even if the Pod is gone from the store.
	Keep(pod types.UID)
	// Unmount ends what Mount began, when the Pod's containers have ended.
	// It may be called again.
	Unmount(ctx context.Context, pod types.UID) error
}

// Mount is a directory or a file that a container sees. A kubelet fills in Path
// and ReadOnly from the container's volumeMounts.
type Mount struct {
	Source   string   // a directory on the node
	Within   []string // the way on; a link may not leave the step it is in
	Path     string   // in the container
	ReadOnly bool
}

// MountError says which volume is not there yet, and why. If it names none, the
// reason says it all.
type MountError struct{ Volume, Reason string }

// Error implements error.
func (e *MountError) Error() string {
	if e.Volume == "" {
		return e.Reason
	}
	return fmt.Sprintf(
		"MountVolume.SetUp failed for volume %q : %s", e.Volume, e.Reason)
}

// NoVolumes refuses every Pod that wants a volume.
type NoVolumes struct{}

// Mount implements Volumes.
func (NoVolumes) Mount(
	_ context.Context, pod *corev1.Pod,
) (map[string]Mount, error) {
	for _, volume := range pod.Spec.Volumes {
		return nil, &MountError{volume.Name, "no volume plugin matched"}
	}
	return nil, nil
}

// SubPath implements Volumes; no volume has parts here.
func (NoVolumes) SubPath(
	volume Mount, _ *corev1.Container, _ *corev1.VolumeMount,
) (Mount, error) {
	return volume, nil
}

// OnReady implements Volumes; no Pod ever waits for a volume here.
func (NoVolumes) OnReady(func(controlloop.Key)) {}

// Keep implements Volumes.
func (NoVolumes) Keep(types.UID) {}

// Unmount implements Volumes.
func (NoVolumes) Unmount(context.Context, types.UID) error { return nil }
