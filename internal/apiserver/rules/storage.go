package rules

import (
	storagev1 "k8s.io/api/storage/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	volumeutil "k8s.io/kubernetes/pkg/api/persistentvolume"
	claimutil "k8s.io/kubernetes/pkg/api/persistentvolumeclaim"
	storageutil "k8s.io/kubernetes/pkg/api/storage"
	api "k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	"k8s.io/kubernetes/pkg/apis/storage/validation"
	mountvalidation "k8s.io/kubernetes/pkg/volume/validation"

	controlloop "reconcile/chapters/01-control-loop"
	chapter "reconcile/chapters/05-storage"
)

var storage1 = storagev1.SchemeGroupVersion

var volumes = map[schema.GroupVersionKind]server{
	chapter.ClaimKind: strategy[*api.PersistentVolumeClaim]{
		prepare: func(c *api.PersistentVolumeClaim) {
			claimutil.DropDisabledFields(&c.Spec, nil)
			claimutil.EnforceDataSourceBackwardsCompatibility(&c.Spec, nil)
			claimutil.NormalizeDataSources(&c.Spec)
		},
		create: func(c *api.PersistentVolumeClaim) field.ErrorList {
			return corevalidation.ValidatePersistentVolumeClaim(c,
				corevalidation.ValidationOptionsForPersistentVolumeClaim(c, nil))
		},
		update: func(c, old *api.PersistentVolumeClaim) field.ErrorList {
			return corevalidation.ValidatePersistentVolumeClaimUpdate(c, old,
				corevalidation.ValidationOptionsForPersistentVolumeClaim(c, old))
		},
		status: func(c, old *api.PersistentVolumeClaim) field.ErrorList {
			return corevalidation.ValidatePersistentVolumeClaimStatusUpdate(c, old,
				corevalidation.ValidationOptionsForPersistentVolumeClaim(c, old))
		},
		warn: func(c, _ *api.PersistentVolumeClaim) []string {
			return claimutil.GetWarningsForPersistentVolumeClaim(c)
		},
	},
	chapter.VolumeKind: strategy[*api.PersistentVolume]{
		prepare: prepareVolume,
		create:  checkVolume,
		update: func(v, old *api.PersistentVolume) field.ErrorList {
			opts := corevalidation.ValidationOptionsForPersistentVolume(v, old)
			errs := corevalidation.ValidatePersistentVolume(v, opts)
			errs = append(errs, mountvalidation.ValidatePersistentVolume(v)...)
			return append(errs, corevalidation.ValidatePersistentVolumeUpdate(v, old, opts)...)
		},
		status: corevalidation.ValidatePersistentVolumeStatusUpdate,
		warn: func(v, _ *api.PersistentVolume) []string {
			return volumeutil.GetWarningsForPersistentVolume(v)
		},
	},
	chapter.ClassKind: strategy[*storage.StorageClass]{
		create: validation.ValidateStorageClass,
		update: func(c, old *storage.StorageClass) field.ErrorList {
			return append(validation.ValidateStorageClass(c),
				validation.ValidateStorageClassUpdate(c, old)...)
		},
		warn: func(c, _ *storage.StorageClass) []string {
			return storageutil.GetWarningsForStorageClass(c)
		},
	},
	storage1.WithKind("CSIDriver"): strategy[*storage.CSIDriver]{
		create: validation.ValidateCSIDriver,
		update: validation.ValidateCSIDriverUpdate,
	},
	storage1.WithKind("CSINode"): strategy[*storage.CSINode]{
		prepare: func(n *storage.CSINode) { n.Status = storage.CSINodeStatus{} }, // its feature is off
		create:  validation.ValidateCSINode,
		update:  validation.ValidateCSINodeUpdate,
	},
	storage1.WithKind("CSIStorageCapacity"): strategy[*storage.CSIStorageCapacity]{
		create: func(c *storage.CSIStorageCapacity) field.ErrorList {
			return validation.ValidateCSIStorageCapacity(
				c, validation.CSIStorageCapacityValidateOptions{})
		},
		update: func(c, old *storage.CSIStorageCapacity) field.ErrorList {
			opts := validation.CSIStorageCapacityValidateOptions{
				AllowInvalidLabelValueInSelector: metavalidation.
					LabelSelectorHasInvalidLabelValue(old.NodeTopology),
			}
			return append(validation.ValidateCSIStorageCapacity(c, opts),
				validation.ValidateCSIStorageCapacityUpdate(c, old)...)
		},
		warn: func(c, _ *storage.CSIStorageCapacity) []string {
			return storageutil.GetWarningsForCSIStorageCapacity(c)
		},
	},
	storage1.WithKind("VolumeAttachment"): strategy[*storage.VolumeAttachment]{
		create: validation.ValidateVolumeAttachment,
		update: validation.ValidateVolumeAttachmentUpdate,
		status: validation.ValidateVolumeAttachmentUpdate,
	},
}

// prepareVolume notes when a volume came to be in its first phase.
func prepareVolume(v *api.PersistentVolume) {
	volumeutil.DropDisabledSpecFields(&v.Spec, nil)
	if v.ResourceVersion == "" && v.Status.LastPhaseTransitionTime == nil {
		v.Status.LastPhaseTransitionTime = new(controlloop.Now())
	}
}

func checkVolume(v *api.PersistentVolume) field.ErrorList {
	opts := corevalidation.ValidationOptionsForPersistentVolume(v, nil)
	return append(corevalidation.ValidatePersistentVolume(v, opts),
		mountvalidation.ValidatePersistentVolume(v)...)
}
