package kinds

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// inert returns kinds that are kept and shown, so that clients which look for
// them find them, and on which no chapter acts.
func inert() []Kind {
	return slices.Concat(batch(), limits())
}

func batch() []Kind {
	v1 := batchv1.SchemeGroupVersion
	return []Kind{
		{
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("CronJob"), Resource: "cronjobs",
				Namespaced: true, HasStatus: true, HasGeneration: true,
				New: func() controlloop.Object { return &batchv1.CronJob{} },
			},
			ShortNames: []string{"cj"},
			Categories: all,
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("Job"), Resource: "jobs",
				Namespaced: true, HasStatus: true, HasGeneration: true,
				New:   func() controlloop.Object { return &batchv1.Job{} },
				Rules: controlloop.Rules{Fields: jobFields},
			},
			Categories: all,
		},
	}
}

func limits() []Kind {
	core := corev1.SchemeGroupVersion
	return []Kind{
		{
			Kind: controlloop.Kind{
				GroupVersionKind: core.WithKind("LimitRange"), Resource: "limitranges",
				Namespaced: true,
				New:        func() controlloop.Object { return &corev1.LimitRange{} },
			},
			ShortNames: []string{"limits"},
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: core.WithKind("ResourceQuota"),
				Resource:         "resourcequotas", Namespaced: true, HasStatus: true,
				New: func() controlloop.Object { return &corev1.ResourceQuota{} },
			},
			ShortNames: []string{"quota"},
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: networkingv1.SchemeGroupVersion.WithKind("Ingress"),
				Resource:         "ingresses", Namespaced: true, HasStatus: true,
				HasGeneration: true,
				New:           func() controlloop.Object { return &networkingv1.Ingress{} },
			},
			ShortNames: []string{"ing"},
		},
	}
}

// drivers returns the kinds of volumes and devices that a scheduler reads:
// inert here, with tables that show only name and age.
func drivers() (all []Kind) {
	storage, resource := storagev1.SchemeGroupVersion, resourcev1.SchemeGroupVersion
	for _, kind := range []controlloop.Kind{
		{
			GroupVersionKind: storage.WithKind("CSIDriver"), Resource: "csidrivers",
			New: func() controlloop.Object { return &storagev1.CSIDriver{} },
		},
		{
			GroupVersionKind: storage.WithKind("CSINode"), Resource: "csinodes",
			New: func() controlloop.Object { return &storagev1.CSINode{} },
		},
		{
			GroupVersionKind: storage.WithKind("CSIStorageCapacity"),
			Resource:         "csistoragecapacities", Namespaced: true,
			New: func() controlloop.Object { return &storagev1.CSIStorageCapacity{} },
		},
		{
			GroupVersionKind: storage.WithKind("VolumeAttachment"),
			Resource:         "volumeattachments", HasStatus: true,
			New: func() controlloop.Object { return &storagev1.VolumeAttachment{} },
		},
		{
			GroupVersionKind: resource.WithKind("DeviceClass"),
			Resource:         "deviceclasses", HasGeneration: true,
			New: func() controlloop.Object { return &resourcev1.DeviceClass{} },
		},
		{
			GroupVersionKind: resource.WithKind("ResourceClaim"),
			Resource:         "resourceclaims", Namespaced: true, HasStatus: true,
			New: func() controlloop.Object { return &resourcev1.ResourceClaim{} },
		},
		{
			GroupVersionKind: resource.WithKind("ResourceSlice"),
			Resource:         "resourceslices", HasGeneration: true,
			New: func() controlloop.Object { return &resourcev1.ResourceSlice{} },
		},
	} {
		all = append(all, Kind{Kind: kind, Conditional: kind.Group == storage.Group})
	}
	return all
}
