package storage

import (
	"context"
	"regexp"
	"slices"

	storagev1 "k8s.io/api/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// driverSide is the program beside a driver that attaches what VolumeAttachments
// ask for. The disks of our Driver are folders, and each node has them. (Kubernetes:
// a side-car, kubernetes-csi/external-attacher.)
type driverSide struct {
	client      controlloop.Client
	driver      string
	attachments *controlloop.Indexer
}

// NewDriverSide returns the controller that attaches the disks of a driver.
func NewDriverSide(
	s *controlloop.System, driver string,
) *controlloop.Controller {
	attachments := attachmentsOf(s)
	c := controlloop.NewController("attacher "+driver, &driverSide{
		s.Client, driver, attachments.Cache})
	s.Add(c)
	c.Watch(attachments, controlloop.Self)
	return c
}

// Reconcile implements controlloop.Reconciler. A finalizer keeps an attachment
// until the disk is detached.
func (d *driverSide) Reconcile(
	ctx context.Context, key controlloop.Key,
) (result controlloop.Result, err error) {
	at, ok := get[*storagev1.VolumeAttachment](d.attachments, key)
	if !ok || at.Spec.Attacher != d.driver {
		return result, nil
	}
	next, finalizer := controlloop.Copy(at), finalizerOf(d.driver)
	has := slices.Contains(at.Finalizers, finalizer)
	switch {
	case at.DeletionTimestamp != nil && has:
		next.Finalizers = slices.DeleteFunc(next.Finalizers,
			func(f string) bool { return f == finalizer })
		_, err = d.client.Update(ctx, next)
	case at.DeletionTimestamp != nil:
	case !has:
		next.Finalizers = append(next.Finalizers, finalizer)
		_, err = d.client.Update(ctx, next)
	case !at.Status.Attached:
		next.Status.Attached = true
		_, err = d.client.UpdateStatus(ctx, next)
	}
	return result, err
}

var unusual = regexp.MustCompile("[^a-zA-Z0-9-]")

func finalizerOf(driver string) string {
	return "external-attacher/" + unusual.ReplaceAllString(driver, "-")
}
