package storage_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

var allKinds = controlloop.CoreKinds().
	With(statefulset.Kinds()...).With(storage.Kinds()...)

// bound returns a cluster with all controllers of claims and volumes, where disks
// are names in a list.
func bound(disks *backend) kubetest.Setup {
	return kubetest.Setup{
		Kinds: allKinds,
		Controllers: []kubetest.Controller{
			storage.NewBinder, disks.provisioner, storage.NewClaimProtection,
			storage.NewVolumeProtection, storage.NewStatefulSets, collector,
		},
		Invariants:      []kubetest.Invariant{oneToOne, nothingLost},
		DetectMutations: true,
	}
}

// binderOnly has the binder and no other controller.
var binderOnly = kubetest.Setup{
	Kinds: allKinds, Controllers: []kubetest.Controller{storage.NewBinder},
	Invariants: []kubetest.Invariant{oneToOne}, DetectMutations: true,
}

func collector(s *controlloop.System) *controlloop.Controller {
	return deployment.NewCollector(s, allKinds)
}

// in runs a test in a cluster in a bubble.
func in(t *testing.T, setup kubetest.Setup, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(kubetest.New(t, setup)) })
}

// backend keeps the names of disks.
type backend struct {
	mu    sync.Mutex
	disks map[string]bool
	fails error
}

func newBackend() *backend { return &backend{disks: map[string]bool{}} }

func (b *backend) Make(disk string) error   { return b.set(disk, true) }
func (b *backend) Remove(disk string) error { return b.set(disk, false) }

func (b *backend) set(disk string, there bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails != nil {
		return b.fails
	}
	if there {
		b.disks[disk] = true
	} else {
		delete(b.disks, disk)
	}
	return nil
}

const driver = "disks.example.com"

func (b *backend) provisioner(s *controlloop.System) *controlloop.Controller {
	return storage.NewProvisioner(s, driver, b)
}

type (
	claimChange  = func(*corev1.PersistentVolumeClaim)
	volumeChange = func(*corev1.PersistentVolume)
	classChange  = func(*storagev1.StorageClass)
)

// claim returns one that asks for no class.
func claim(name, size string, changes ...claimChange) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(string),
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceStorage: resource.MustParse(size),
			}},
		},
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

// volume returns one that was made by hand.
func volume(name, size string, changes ...volumeChange) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{
				corev1.ResourceStorage: resource.MustParse(size),
			},
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				NFS: &corev1.NFSVolumeSource{Server: "10.0.0.1", Path: "/" + name},
			},
		},
	}
	for _, change := range changes {
		change(v)
	}
	return v
}

// class returns one whose volumes the backend makes.
func class(name string, changes ...classChange) *storagev1.StorageClass {
	c := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: driver,
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

func isDefault(c *storagev1.StorageClass) {
	metav1.SetMetaDataAnnotation(
		&c.ObjectMeta, "storageclass.kubernetes.io/is-default-class", "true")
}

func delayed(c *storagev1.StorageClass) {
	c.VolumeBindingMode = new(storagev1.VolumeBindingWaitForFirstConsumer)
}

func growing(c *storagev1.StorageClass) { c.AllowVolumeExpansion = new(true) }

func retains(c *storagev1.StorageClass) {
	c.ReclaimPolicy = new(corev1.PersistentVolumeReclaimRetain)
}

func of(class string) claimChange {
	return func(c *corev1.PersistentVolumeClaim) { c.Spec.StorageClassName = &class }
}

func withAttributes(class string) claimChange {
	return func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeAttributesClassName = &class }
}

func hasAttributes(class string) volumeChange {
	return func(v *corev1.PersistentVolume) { v.Spec.VolumeAttributesClassName = &class }
}

func ofAny(c *corev1.PersistentVolumeClaim) { c.Spec.StorageClassName = nil }

func by(modes ...corev1.PersistentVolumeAccessMode) claimChange {
	return func(c *corev1.PersistentVolumeClaim) { c.Spec.AccessModes = modes }
}

func wants(volume string) claimChange {
	return func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = volume }
}

func blocks(c *corev1.PersistentVolumeClaim) {
	c.Spec.VolumeMode = new(corev1.PersistentVolumeBlock)
}

func selecting(key, value string) claimChange {
	return func(c *corev1.PersistentVolumeClaim) {
		c.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
}

func inClass(class string) volumeChange {
	return func(v *corev1.PersistentVolume) { v.Spec.StorageClassName = class }
}

func can(modes ...corev1.PersistentVolumeAccessMode) volumeChange {
	return func(v *corev1.PersistentVolume) { v.Spec.AccessModes = modes }
}

func isBlock(v *corev1.PersistentVolume) {
	v.Spec.VolumeMode = new(corev1.PersistentVolumeBlock)
}

func labelled(key, value string) volumeChange {
	return func(v *corev1.PersistentVolume) { v.Labels = map[string]string{key: value} }
}

func reservedFor(claim string) volumeChange {
	return func(v *corev1.PersistentVolume) {
		v.Spec.ClaimRef = &corev1.ObjectReference{
			Namespace: metav1.NamespaceDefault, Name: claim,
		}
	}
}

func reclaims(policy corev1.PersistentVolumeReclaimPolicy) volumeChange {
	return func(v *corev1.PersistentVolume) { v.Spec.PersistentVolumeReclaimPolicy = policy }
}

// gone deletes an object, as a user does.
func gone(c *kubetest.Cluster, obj controlloop.Object) {
	kind, err := c.Store.Kinds().Of(obj)
	if err == nil {
		err = c.Store.Delete(context.Background(), kind.GroupVersionKind,
			controlloop.KeyOf(obj), metav1.DeleteOptions{})
	}
	if err != nil {
		panic(err)
	}
}

// claims returns the phase and the volume of every claim.
func claims(c *kubetest.Cluster) string {
	var all []string
	for _, claim := range kubetest.All[*corev1.PersistentVolumeClaim](c, storage.ClaimKind) {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s",
			claim.Name, leaving(claim, string(claim.Status.Phase)), claim.Spec.VolumeName)))
	}
	return strings.Join(all, ", ")
}

// volumes returns the phase and the claim of every volume.
func volumes(c *kubetest.Cluster) string {
	var all []string
	for _, v := range kubetest.All[*corev1.PersistentVolume](c, storage.VolumeKind) {
		whose := ""
		if ref := v.Spec.ClaimRef; ref != nil {
			whose = ref.Name
		}
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s",
			v.Name, leaving(v, string(v.Status.Phase)), whose)))
	}
	return strings.Join(all, ", ")
}

func leaving(obj controlloop.Object, phase string) string {
	if obj.GetDeletionTimestamp() != nil {
		return "Terminating"
	}
	return phase
}

// told returns the events of that reason.
func told(c *kubetest.Cluster, reason string) (all []string) {
	for _, event := range c.Events() {
		if strings.Contains(event, " "+reason+" ") || strings.Contains(event, reason+":") {
			all = append(all, event)
		}
	}
	return all
}

// first returns the first of the events, which must exist.
func first(t *testing.T, told []string) string {
	t.Helper()
	require.NotEmpty(t, told)
	return told[0]
}

// user returns a Pod on a node that mounts a claim.
func user(name, claim string) *corev1.Pod {
	pod := kubetest.Pod(name, kubetest.Container("nginx", kubetest.Nginx))
	pod.Spec.NodeName = "node-1"
	pod.Spec.Volumes = []corev1.Volume{{
		Name: "data",
		VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		},
	}}
	return pod
}

const long = time.Hour

var claimKind = storage.ClaimKind

// volumesLeft returns how many volumes are in which phase.
func volumesLeft(c *kubetest.Cluster) string {
	count := map[corev1.PersistentVolumePhase]int{}
	for _, v := range kubetest.All[*corev1.PersistentVolume](c, storage.VolumeKind) {
		count[v.Status.Phase]++
	}
	return fmt.Sprint(count)
}
