package admission

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

// guarded returns a new claim or volume that cannot be lost while it is in use:
// Kubernetes' plugin StorageObjectInUseProtection.
func guarded(obj controlloop.Object) controlloop.Object {
	switch obj.(type) {
	case *corev1.PersistentVolumeClaim, *corev1.PersistentVolume:
		obj = controlloop.Copy(obj)
		storage.Protect(obj)
	}
	return obj
}

// class does the work of Kubernetes' plugin DefaultStorageClass: a claim that
// names no class, not even "", gets the one that is marked as default now, if
// there is one.
func (r request) class(
	ctx context.Context, obj *corev1.PersistentVolumeClaim,
) (*corev1.PersistentVolumeClaim, error) {
	if _, named := storage.ClassOf(obj); named {
		return obj, nil
	}
	all, err := r.store.List(ctx, storage.ClassKind, controlloop.ListOptions{})
	if err != nil {
		return nil, err
	}
	if best := storage.DefaultClass(all.Items); best != nil {
		obj = controlloop.Copy(obj)
		obj.Spec.StorageClassName = &best.Name
	}
	return obj, nil
}

// grown refuses as Kubernetes' plugin PersistentVolumeClaimResize does.
func grown(
	ctx context.Context, store *controlloop.Store,
	claim, before *corev1.PersistentVolumeClaim,
) error {
	was := before.Spec.Resources.Requests[corev1.ResourceStorage]
	size := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	class, _ := storage.ClassOf(claim)
	switch {
	case size.Cmp(was) <= 0:
		return nil
	case before.Status.Phase != corev1.ClaimBound:
		return refuse(claim, "Only bound persistent volume claims can be expanded")
	case class != "":
		obj, err := store.Get(ctx, storage.ClassKind, controlloop.Key{Name: class})
		if err == nil && storage.MayGrow(obj.(*storagev1.StorageClass)) {
			return nil
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return refuse(claim, "only dynamically provisioned pvc can be resized and "+
		"the storageclass that provisions the pvc must support resize")
}

func refuse(claim *corev1.PersistentVolumeClaim, why string) error {
	return apierrors.NewForbidden(
		corev1.Resource("persistentvolumeclaims"), claim.Name, errors.New(why))
}
