package lab

import (
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	scheduling "k8s.io/kubernetes/pkg/apis/scheduling/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

// founding returns the objects that a new cluster begins with. Their uids are
// fixed, so they use up none of the seed's. The leases of its nodes are among
// them, which no kubelet has renewed yet.
func founding(nodes int) []controlloop.Object {
	all := furniture()
	for n := 1; n <= nodes; n++ {
		all = append(all, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
			Namespace: corev1.NamespaceNodeLease, Name: nodeName(n),
		}})
	}
	for i, obj := range all {
		obj.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i+1)))
		obj.SetResourceVersion("1")
		obj.SetCreationTimestamp(controlloop.Now())
	}
	return all
}

// furniture returns objects that every cluster has without its users' doing:
// the class of claims that name none, and the priorities of Pods that keep it
// alive.
func furniture() []controlloop.Object {
	all := []controlloop.Object{standard()}
	for _, class := range scheduling.SystemPriorityClasses() {
		class.Generation = 1
		class.PreemptionPolicy = new(corev1.PreemptLowerPriority)
		all = append(all, class)
	}
	return all
}

// standard returns the class of volumes that are folders of this machine.
func standard() *storagev1.StorageClass {
	return &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{
			Name: "standard",
			Annotations: map[string]string{
				"storageclass.kubernetes.io/is-default-class": "true",
			},
		},
		Provisioner:          storage.Driver,
		ReclaimPolicy:        new(corev1.PersistentVolumeReclaimDelete),
		VolumeBindingMode:    new(storagev1.VolumeBindingImmediate),
		AllowVolumeExpansion: new(true),
	}
}
