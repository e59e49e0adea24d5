package storage

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// driverSide is the program beside a driver that attaches what VolumeAttachments
// ask for. The disks of our Driver are folders, and each node has them. (Kubernetes:
// a side-car, kubernetes-csi/external-attacher.)
type driverSide struct {
	client               controlloop.Client
	driver               string
	attachments, volumes *controlloop.Indexer
}

// NewDriverSide returns the controller that attaches the disks of a driver. Its keys
// are attachments and volumes.
func NewDriverSide(
	s *controlloop.System, driver string,
) *controlloop.Controller {
	attachments, volumes := attachmentsOf(s), volumesOf(s)
	c := controlloop.NewController("attacher "+driver, &driverSide{
		s.Client, driver, attachments.Cache, volumes.Cache})
	s.Add(c)
	c.Watch(attachments, func(obj controlloop.Object) []controlloop.Key {
		return append(controlloop.Self(obj),
			controlloop.Key{Name: volumeOfAttachment(obj)})
	})
	c.Watch(volumes, controlloop.Self)
	return c
}

// Reconcile implements controlloop.Reconciler.
func (d *driverSide) Reconcile(
	ctx context.Context, key controlloop.Key,
) (result controlloop.Result, err error) {
	if at, ok := get[*storagev1.VolumeAttachment](d.attachments, key); ok {
		return result, d.sync(ctx, at)
	}
	if volume, ok := get[*corev1.PersistentVolume](d.volumes, key); ok {
		return result, d.letGo(ctx, volume)
	}
	return result, nil
}

// sync does what an attachment asks for, one write at a time. A finalizer keeps the
// attachment until the disk is detached, and another keeps its volume for as long:
// without that, nobody would know what is attached.
func (d *driverSide) sync(
	ctx context.Context, at *storagev1.VolumeAttachment,
) error {
	next, finalizer := controlloop.Copy(at), finalizerOf(d.driver)
	has := slices.Contains(at.Finalizers, finalizer)
	switch {
	case at.Spec.Attacher != d.driver, at.DeletionTimestamp != nil && !has,
		at.DeletionTimestamp == nil && at.Status.Attached:
		return nil
	case at.DeletionTimestamp != nil:
		next.Finalizers = without(next.Finalizers, finalizer)
		_, err := d.client.Update(ctx, next)
		return err
	case !has:
		held, err := d.hold(ctx, at)
		if err != nil || !held {
			return err
		}
		next.Finalizers = append(next.Finalizers, finalizer)
		_, err = d.client.Update(ctx, next)
		return err
	}
	next.Status.Attached, next.Status.AttachError = true, nil
	_, err := d.client.UpdateStatus(ctx, next)
	return err
}

// hold keeps an attachment's volume for as long as it is attached, and reports
// whether it could: one that is about to go is not attached any more.
func (d *driverSide) hold(
	ctx context.Context, at *storagev1.VolumeAttachment,
) (held bool, err error) {
	name, finalizer := volumeOfAttachment(at), finalizerOf(d.driver)
	volume, ok := get[*corev1.PersistentVolume](
		d.volumes, controlloop.Key{Name: name})
	switch {
	case !ok:
		return false, d.fail(ctx, at, fmt.Errorf("persistentvolume %q not found", name))
	case volume.DeletionTimestamp != nil:
		return false, d.fail(ctx, at,
			fmt.Errorf("PersistentVolume %q is marked for deletion", name))
	case slices.Contains(volume.Finalizers, finalizer):
		return true, nil
	}
	next := controlloop.Copy(volume)
	next.Finalizers = append(next.Finalizers, finalizer)
	_, err = d.client.Update(ctx, next)
	return err == nil, err
}

// letGo lets a deleted volume go when it is attached no more.
func (d *driverSide) letGo(
	ctx context.Context, volume *corev1.PersistentVolume,
) error {
	finalizer := finalizerOf(d.driver)
	if volume.DeletionTimestamp == nil ||
		!slices.Contains(volume.Finalizers, finalizer) ||
		len(d.attachments.Lookup(byVolume, volume.Name)) > 0 {
		return nil
	}
	next := controlloop.Copy(volume)
	next.Finalizers = without(next.Finalizers, finalizer)
	_, err := d.client.Update(ctx, next)
	return err
}

// fail writes into an attachment why its disk is not attached, and returns that, so
// that it is tried again.
func (d *driverSide) fail(
	ctx context.Context, at *storagev1.VolumeAttachment, why error,
) error {
	if last := at.Status.AttachError; last != nil && last.Message == why.Error() {
		return why
	}
	next := controlloop.Copy(at)
	next.Status.AttachError = &storagev1.VolumeError{
		Time: controlloop.Now(), Message: why.Error()}
	_, err := d.client.UpdateStatus(ctx, next)
	return errors.Join(why, err)
}

func without(all []string, one string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == one })
}

var unusual = regexp.MustCompile("[^a-zA-Z0-9-]")

func finalizerOf(driver string) string {
	return "external-attacher/" + unusual.ReplaceAllString(driver, "-")
}
