package stories

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
)

// Kubernetes' controller of StatefulSets does in each story the same as chapter
// 5's, whose Pods keep disks, and chapter 6's, but for what apart says.
func TestDisksAreKubernetes(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(diskStories)) {
		t.Run(name, func(t *testing.T) {
			by := func(who controllers) string {
				p := &play{quiet: []string{"StatefulSet"}}
				return once(perform(t, who, p, func(p *play) { diskStories[name](&setPlay{play: p}) }))
			}
			kubernetes := by(ofStatefulSets)
			golden(t, filepath.Join("testdata", "disks", name+".txt"), kubernetes)
			compare(t, name, withoutRevisions(kubernetes), by(ofDisks))
			compare6(t, name, kubernetes, by(chapter6))
		})
	}
}

// ofDisks starts the book's.
func ofDisks(ctx context.Context, c *cluster) { c.book(ctx, storage.NewStatefulSets) }

// withDisk gives each Pod of a set a disk to keep.
func withDisk(set *appsv1.StatefulSet) {
	data := asks("data", "1Gi", ofAnyClass)
	data.Finalizers, data.Namespace = nil, ""
	set.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{*data}
}

// keeping says which disks stay when the set is deleted, and when it is made
// smaller.
func keeping(
	deleted, scaled appsv1.PersistentVolumeClaimRetentionPolicyType,
) func(*appsv1.StatefulSet) {
	return func(set *appsv1.StatefulSet) {
		set.Spec.PersistentVolumeClaimRetentionPolicy = &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
			WhenDeleted: deleted, WhenScaled: scaled,
		}
	}
}

const (
	kept   = appsv1.RetainPersistentVolumeClaimRetentionPolicyType
	thrown = appsv1.DeletePersistentVolumeClaimRetentionPolicyType
)

// diskStories are chapter 5's stories of a StatefulSet, by name.
var diskStories = map[string]func(s *setPlay){
	"disks-thrown-when-scaled": func(s *setPlay) {
		s.makeSet(2, withDisk, keeping(kept, thrown))
		s.scale(1)
		s.say("two are wanted, while the disk of the second is still there")
		s.replicas(2)
		s.rest()
		s.say("it has gone")
		s.remove(claimKind, "data-web-1")
		edit(s.play, claimKind, "data-web-1", unprotected[*corev1.PersistentVolumeClaim])
		s.wait(20 * time.Minute)
		s.rest()
	},
	"disks-thrown-when-deleted": func(s *setPlay) {
		s.makeSet(2, withDisk, keeping(thrown, kept))
		s.scale(1)
		s.say("the set is deleted")
		s.remove(statefulset.StatefulSetKind, "web")
	},
	"disks-thrown": func(s *setPlay) {
		s.makeSet(2, withDisk, keeping(thrown, thrown))
		s.scale(1)
	},
	"disks-wanted-again": func(s *setPlay) {
		s.makeSet(3, withDisk, keeping(kept, thrown))
		s.say("one is wanted, and web-2 is still on its way out")
		s.replicas(1)
		s.say("web-0 is not ready, and two are wanted")
		s.runs("web-0", corev1.PodRunning, false)
		s.replicas(2)
		s.say("web-0 is ready again")
		s.runs("web-0", corev1.PodRunning, true)
	},
	"disks-policy": func(s *setPlay) {
		s.makeSet(2, withDisk)
		s.say("the disks shall go with the set")
		s.edit(keeping(thrown, kept))
		s.rest()
		s.say("and when it is made smaller")
		s.edit(keeping(thrown, thrown))
		s.rest()
		s.say("or rather not")
		s.edit(keeping(kept, kept))
		s.rest()
	},
	"disks-lost": func(s *setPlay) {
		s.say("one is wanted")
		s.create(statefulSet(1, withDisk))
		s.say("its claim is deleted before it runs")
		s.remove(claimKind, "data-web-0")
		s.rest()
	},
	"disks-leaving": func(s *setPlay) {
		s.makeSet(1, withDisk)
		s.say("the claim is deleted, and held")
		edit(s.play, claimKind, "data-web-0", func(c *corev1.PersistentVolumeClaim) {
			c.Finalizers = []string{claimInUse}
		})
		s.remove(claimKind, "data-web-0")
		s.say("the Pod is deleted")
		s.delete("web-0")
		s.ended("web-0")
		s.printStatus()
		s.say("the claim has gone")
		edit(s.play, claimKind, "data-web-0", unprotected[*corev1.PersistentVolumeClaim])
		s.wait(20 * time.Minute)
		s.rest()
	},
	"disks-of-another": func(s *setPlay) {
		s.say("a claim that has a controller")
		claim := asks("data-web-0", "1Gi")
		claim.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "example.com/v1", Kind: "Other", Name: "other", UID: "other", Controller: new(true),
		}}
		s.create(claim)
		s.makeSet(1, withDisk, keeping(thrown, kept))
	},
	"disks-volume-of-the-template": func(s *setPlay) {
		s.makeSet(1, withDisk, func(set *appsv1.StatefulSet) {
			set.Spec.Template.Spec.Volumes = []corev1.Volume{
				{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
				{Name: "more", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			}
		})
		for _, v := range get[*corev1.Pod](s.play, controlloop.PodKind, "web-0").Spec.Volumes {
			s.say("volume %s: claim %t", v.Name, v.PersistentVolumeClaim != nil)
		}
	},
}
