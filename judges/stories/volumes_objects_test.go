package stories

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

var (
	volumeKind = corev1.SchemeGroupVersion.WithKind("PersistentVolume")
	claimKind  = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
)

// Kubernetes' admission puts these on each claim and volume.
const (
	claimInUse  = "kubernetes.io/pvc-protection"
	volumeInUse = "kubernetes.io/pv-protection"
)

type (
	volumeOption = func(*corev1.PersistentVolume)
	claimOption  = func(*corev1.PersistentVolumeClaim)
)

// disk returns a volume of no class on an NFS server, for one node
// at a time, that is kept.
func disk(name, size string, options ...volumeOption) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{volumeInUse}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)},
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				NFS: &corev1.NFSVolumeSource{Server: "nfs.example.com", Path: "/" + name},
			},
		},
	}
	for _, option := range options {
		option(v)
	}
	return v
}

// asks returns a claim that wants a disk of no class, for one node at a time.
func asks(name, size string, options ...claimOption) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: metav1.NamespaceDefault, Finalizers: []string{claimInUse},
		},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(""),
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)},
			},
		},
	}
	for _, option := range options {
		option(c)
	}
	return c
}

// class returns one whose volumes another provisioner makes, unless provisioner
// is kubernetes.io/no-provisioner.
func class(name, provisioner string, mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
	return &storagev1.StorageClass{
		ObjectMeta:  metav1.ObjectMeta{Name: name},
		Provisioner: provisioner, VolumeBindingMode: &mode,
	}
}

func modes(modes ...corev1.PersistentVolumeAccessMode) volumeOption {
	return func(v *corev1.PersistentVolume) { v.Spec.AccessModes = modes }
}

func wants(modes ...corev1.PersistentVolumeAccessMode) claimOption {
	return func(c *corev1.PersistentVolumeClaim) { c.Spec.AccessModes = modes }
}

func inClass(name string) volumeOption {
	return func(v *corev1.PersistentVolume) { v.Spec.StorageClassName = name }
}

func ofClass(name string) claimOption {
	return func(c *corev1.PersistentVolumeClaim) { c.Spec.StorageClassName = &name }
}

func ofAnyClass(c *corev1.PersistentVolumeClaim) { c.Spec.StorageClassName = nil }

func labelled(labels map[string]string) volumeOption {
	return func(v *corev1.PersistentVolume) { v.Labels = labels }
}

func selecting(labels map[string]string) claimOption {
	return func(c *corev1.PersistentVolumeClaim) {
		c.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	}
}

func raw(v *corev1.PersistentVolume) { v.Spec.VolumeMode = new(corev1.PersistentVolumeBlock) }

func wantsRaw(c *corev1.PersistentVolumeClaim) {
	c.Spec.VolumeMode = new(corev1.PersistentVolumeBlock)
}

// keptFor reserves a volume for the claim of that name.
func keptFor(claim string) volumeOption {
	return func(v *corev1.PersistentVolume) {
		v.Spec.ClaimRef = &corev1.ObjectReference{
			APIVersion: "v1", Kind: "PersistentVolumeClaim",
			Namespace: metav1.NamespaceDefault, Name: claim,
		}
	}
}

func from(volume string) claimOption {
	return func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = volume }
}

// thenDeleted lets a volume be deleted with its claim.
func thenDeleted(v *corev1.PersistentVolume) {
	v.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimDelete
}

// onNode makes a volume a folder of the node.
func onNode(path string) volumeOption {
	return func(v *corev1.PersistentVolume) {
		v.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{
			HostPath: &corev1.HostPathVolumeSource{Path: path},
		}
	}
}

// provided returns the volume that a provisioner of its own makes for a claim.
func provided(p *play, name, provisioner, claim string) *corev1.PersistentVolume {
	c := get[*corev1.PersistentVolumeClaim](p, claimKind, claim)
	v := disk(name, "1Gi", keptFor(claim), thenDeleted, inClass(*c.Spec.StorageClassName), ofDriver(provisioner, name))
	v.Annotations = map[string]string{"pv.kubernetes.io/provisioned-by": provisioner}
	v.Spec.ClaimRef.UID, v.Spec.ClaimRef.ResourceVersion = c.UID, c.ResourceVersion
	return v
}

// reader returns a Pod that uses a claim.
func reader(name, claim string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "db", Image: "db:v1"}},
			Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
			}}},
		},
	}
}

// unprotected takes the finalizers off an object, as a user can.
func unprotected[T controlloop.Object](obj T) { obj.SetFinalizers(nil) }
