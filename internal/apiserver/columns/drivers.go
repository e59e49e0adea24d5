package columns

import (
	"strings"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// VolumeAttachment is what a table shows of VolumeAttachments.
var VolumeAttachment = of(
	func(v *storagev1.VolumeAttachment, now time.Time) []any {
		return []any{
			v.Name, v.Spec.Attacher, deref(v.Spec.Source.PersistentVolumeName, ""),
			v.Spec.NodeName, v.Status.Attached, age(v.CreationTimestamp, now),
		}
	},
	name,
	text("Attacher", storagev1.VolumeAttachmentSpec{}.SwaggerDoc()["attacher"]),
	text("PV", storagev1.VolumeAttachmentSource{}.SwaggerDoc()["persistentVolumeName"]),
	text("Node", storagev1.VolumeAttachmentSpec{}.SwaggerDoc()["nodeName"]),
	boolean("Attached", storagev1.VolumeAttachmentStatus{}.SwaggerDoc()["attached"]),
	created,
)

// CSINode is what a table shows of CSINodes.
var CSINode = of(
	func(n *storagev1.CSINode, now time.Time) []any {
		return []any{n.Name, int64(len(n.Spec.Drivers)), age(n.CreationTimestamp, now)}
	},
	name,
	integer("Drivers", "Drivers indicates the number of CSI drivers registered on "+
		"the node"),
	created,
)

// CSIDriver is what a table shows of CSIDrivers.
var CSIDriver = of(driverCells,
	name,
	boolean("AttachRequired", storagev1.CSIDriverSpec{}.SwaggerDoc()["attachRequired"]),
	boolean("PodInfoOnMount", storagev1.CSIDriverSpec{}.SwaggerDoc()["podInfoOnMount"]),
	boolean("StorageCapacity",
		storagev1.CSIDriverSpec{}.SwaggerDoc()["storageCapacity"]),
	text("TokenRequests", storagev1.CSIDriverSpec{}.SwaggerDoc()["tokenRequests"]),
	boolean("RequiresRepublish",
		storagev1.CSIDriverSpec{}.SwaggerDoc()["requiresRepublish"]),
	text("Modes", storagev1.CSIDriverSpec{}.SwaggerDoc()["volumeLifecycleModes"]),
	created,
)

func driverCells(d *storagev1.CSIDriver, now time.Time) []any {
	var modes, audiences []string
	for _, mode := range d.Spec.VolumeLifecycleModes {
		modes = append(modes, string(mode))
	}
	for _, request := range d.Spec.TokenRequests {
		audiences = append(audiences, request.Audience)
	}
	tokens := strings.Join(audiences, ",")
	if d.Spec.TokenRequests == nil {
		tokens = "<unset>"
	}
	return []any{
		d.Name,
		deref(d.Spec.AttachRequired, true),
		deref(d.Spec.PodInfoOnMount, false),
		deref(d.Spec.StorageCapacity, false),
		tokens,
		deref(d.Spec.RequiresRepublish, false),
		or(strings.Join(modes, ","), "<none>"),
		age(d.CreationTimestamp, now),
	}
}

// CSIStorageCapacity is what a table shows of CSIStorageCapacities.
var CSIStorageCapacity = of(
	func(c *storagev1.CSIStorageCapacity, _ time.Time) []any {
		capacity := "<unset>"
		if c.Capacity != nil {
			capacity = c.Capacity.String()
		}
		return []any{c.Name, c.StorageClassName, capacity}
	},
	name,
	text("StorageClassName",
		storagev1.CSIStorageCapacity{}.SwaggerDoc()["storageClassName"]),
	text("Capacity", storagev1.CSIStorageCapacity{}.SwaggerDoc()["capacity"]),
)

// DeviceClass is what a table shows of DeviceClasses.
var DeviceClass = of(
	func(c *resourcev1.DeviceClass, now time.Time) []any {
		return []any{c.Name, age(c.CreationTimestamp, now)}
	},
	name,
	created,
)

// ResourceClaim is what a table shows of ResourceClaims.
var ResourceClaim = of(
	func(c *resourcev1.ResourceClaim, now time.Time) []any {
		return []any{c.Name, claimState(c), age(c.CreationTimestamp, now)}
	},
	name,
	text("State", "A summary of the current state (allocated, pending, reserved, etc.)."),
	created,
)

func claimState(c *resourcev1.ResourceClaim) string {
	var states []string
	if c.DeletionTimestamp != nil {
		states = append(states, "deleted")
	}
	switch {
	case c.Status.Allocation != nil && len(c.Status.ReservedFor) > 0:
		states = append(states, "allocated", "reserved")
	case c.Status.Allocation != nil:
		states = append(states, "allocated")
	case c.DeletionTimestamp == nil:
		states = append(states, "pending")
	}
	return strings.Join(states, ",")
}

// ResourceSlice is what a table shows of ResourceSlices.
var ResourceSlice = of(
	func(s *resourcev1.ResourceSlice, now time.Time) []any {
		return []any{
			s.Name, deref(s.Spec.NodeName, ""), s.Spec.Driver, s.Spec.Pool.Name,
			age(s.CreationTimestamp, now),
		}
	},
	name,
	text("Node", resourcev1.ResourceSliceSpec{}.SwaggerDoc()["nodeName"]),
	text("Driver", resourcev1.ResourceSliceSpec{}.SwaggerDoc()["driver"]),
	text("Pool", resourcev1.ResourcePool{}.SwaggerDoc()["name"]),
	created,
)
