package storage

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// guard puts a finalizer on all objects of a kind, and takes it off those that
// are to go when they are no longer in use.
type guard struct {
	client    controlloop.Client
	objects   *controlloop.Indexer
	finalizer string
	isUsed    func(ctx context.Context, obj controlloop.Object) (bool, error)
}

// NewClaimProtection returns the controller that keeps claims which a Pod uses.
func NewClaimProtection(s *controlloop.System) *controlloop.Controller {
	claims, pods := claimsOf(s), podsOf(s)
	users := &users{client: s.Client, pods: pods.Cache}
	c := controlloop.NewController(
		"persistentvolumeclaim-protection-controller", &guard{
			client: s.Client, objects: claims.Cache, finalizer: claimInUse,
			isUsed: users.of,
		})
	s.Add(c)
	c.Watch(claims, controlloop.Self)
	c.Watch(pods, claimsOfPod)
	return c
}

// NewVolumeProtection returns the controller that keeps volumes to
// which a claim is bound.
func NewVolumeProtection(s *controlloop.System) *controlloop.Controller {
	volumes := volumesOf(s)
	c := controlloop.NewController(
		"persistentvolume-protection-controller", &guard{
			client: s.Client, objects: volumes.Cache, finalizer: volumeInUse,
			isUsed: isBound,
		})
	s.Add(c)
	c.Watch(volumes, controlloop.Self)
	return c
}

// Protect puts the finalizer on a new claim or volume, in the API server: it is
// guarded before it can be used.
func Protect(obj controlloop.Object) {
	switch obj.(type) {
	case *corev1.PersistentVolumeClaim:
		obj.SetFinalizers(append(obj.GetFinalizers(), claimInUse))
	case *corev1.PersistentVolume:
		obj.SetFinalizers(append(obj.GetFinalizers(), volumeInUse))
	}
}

func isBound(_ context.Context, obj controlloop.Object) (bool, error) {
	volume := obj.(*corev1.PersistentVolume)
	return volume.Status.Phase == corev1.VolumeBound, nil
}

// users finds the Pods that use claims.
type users struct {
	client controlloop.Client
	pods   *controlloop.Indexer
}
