package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
)

// Disks fill chapter 4's Claims: each Pod of a StatefulSet gets a claim from each
// of the set's templates, and the Pod that comes after it, by the same name, the
// same claims.
type Disks struct {
	Client   controlloop.Client
	Claims   *controlloop.Indexer
	Recorder controlloop.Recorder
}

// NewStatefulSets returns the controller that reconciles StatefulSets whose Pods
// have names and disks.
func NewStatefulSets(s *controlloop.System) *controlloop.Controller {
	return statefulset.NewStatefulSetsWith(
		s, NewDisks(s), statefulset.OnDelete{})
}

// NewDisks returns the disks of a system's StatefulSets.
func NewDisks(s *controlloop.System) *Disks {
	return &Disks{
		Client: s.Client, Claims: claimsOf(s).Cache,
		Recorder: s.RecorderFor("statefulset-controller", ""),
	}
}

// Equip implements statefulset.Claims: it makes the claims that are missing,
// and lets the Pod mount them.
func (d *Disks) Equip(
	ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod,
) error {
	claims := claimsFor(set, pod)
	mount(pod, set, claims)
	for _, claim := range claims {
		old, ok := d.claim(claim.Name, set)
		if ok && whenScaled(set) == deleted && isLeftBehind(old, pod, controlloop.PodKind) {
			return fmt.Errorf("pvc %s is about to go with %s, as it was before",
				claim.Name, pod.Name)
		}
	}
	return d.make(ctx, set, pod, claims)
}

// mount makes a Pod mount its claims: each as the volume of its template's
// name, whatever the Pod's own template says of a volume of that name.
func mount(
	pod *corev1.Pod, set *appsv1.StatefulSet,
	claims []*corev1.PersistentVolumeClaim,
) {
	var volumes []corev1.Volume
	for i, claim := range claims {
		volumes = append(volumes, corev1.Volume{
			Name: set.Spec.VolumeClaimTemplates[i].Name,
			VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
					ClaimName: claim.Name,
				},
			},
		})
	}
	for _, volume := range pod.Spec.Volumes {
		if !slices.ContainsFunc(volumes, func(v corev1.Volume) bool {
			return v.Name == volume.Name
		}) {
			volumes = append(volumes, volume)
		}
	}
	pod.Spec.Volumes = volumes
}

// make makes the claims that are missing. One that is about to go is waited
// for: its successor will be empty.
func (d *Disks) make(
	ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod,
	claims []*corev1.PersistentVolumeClaim,
) error {
	var failures []error
	for _, claim := range claims {
		old, ok := d.claim(claim.Name, set)
		if ok && old.DeletionTimestamp != nil {
			failures = append(failures,
				fmt.Errorf("pvc %s is being deleted", claim.Name))
		}
		if ok {
			continue
		}
		_, err := d.Client.Create(ctx, claim)
		if apierrors.IsAlreadyExists(err) {
			continue // the cache has not heard of it yet
		}
		d.tell(set, pod, claim, err)
		if err != nil {
			failures = append(failures,
				fmt.Errorf("failed to create PVC %s: %w", claim.Name, err))
		}
	}
	return errors.Join(failures...)
}

func (d *Disks) claim(
	name string, set *appsv1.StatefulSet,
) (*corev1.PersistentVolumeClaim, bool) {
	return get[*corev1.PersistentVolumeClaim](d.Claims,
		controlloop.Key{Namespace: set.Namespace, Name: name})
}

// tell notes the outcome as an event, in Kubernetes' words (recordClaimEvent in
// pkg/controller/statefulset/stateful_pod_control.go).
func (d *Disks) tell(
	set *appsv1.StatefulSet, pod *corev1.Pod,
	claim *corev1.PersistentVolumeClaim, err error,
) {
	if err == nil {
		d.Recorder.Eventf(set, corev1.EventTypeNormal, "SuccessfulCreate",
			"Create Claim %s Pod %s in StatefulSet %s success",
			claim.Name, pod.Name, set.Name)
		return
	}
	d.Recorder.Eventf(set, corev1.EventTypeWarning, "FailedCreate",
		"Create Claim %s for Pod %s in StatefulSet %s failed error: %s",
		claim.Name, pod.Name, set.Name, err)
}

// Keep implements statefulset.Claims: it makes a claim that is gone again, as
// long as its Pod has not started, and gives each claim the owner that it is to
// go with. While a set that works in order waits for a wanted Pod to end, it
// leaves the claims alone.
func (d *Disks) Keep(
	ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod,
) error {
	if pod.DeletionTimestamp != nil && statefulset.IsWanted(set, pod) &&
		set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
		return nil
	}
	if pod.Status.Phase == corev1.PodPending && statefulset.IsWanted(set, pod) {
		if err := d.make(ctx, set, pod, claimsFor(set, pod)); err != nil {
			return err
		}
	}
	// Each look comes by each Pod: to find a claim, its name is enough.
	for i := range set.Spec.VolumeClaimTemplates {
		name := set.Spec.VolumeClaimTemplates[i].Name + "-" + pod.Name
		there, ok := d.claim(name, set)
		if !ok {
			continue
		}
		owners, change := ownersOf(there, set, pod)
		if !change {
			continue
		}
		next := controlloop.Copy(there)
		next.OwnerReferences = owners
		if _, err := d.Client.Update(ctx, next); err != nil {
			return fmt.Errorf("could not update claim %s for delete policy "+
				"ownerRefs: %w", name, err)
		}
	}
	return nil
}
