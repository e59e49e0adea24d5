package stories

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/polymorphichelpers"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
)

// Kubernetes' controller of StatefulSets and chapter 6's take a set from one
// revision to the next in the same steps, but for what apart says.
func TestRolloutsAreKubernetes(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(rolloutStories)) {
		t.Run(name, func(t *testing.T) {
			by := func(who controllers) string {
				p := &play{quiet: []string{"StatefulSet"}}
				return once(perform(t, who, p, func(p *play) {
					rolloutStories[name](&setPlay{play: p, versioned: true})
				}))
			}
			kubernetes := by(ofStatefulSets)
			golden(t, filepath.Join("testdata", "rollout", name+".txt"), kubernetes)
			compare(t, name, kubernetes, by(chapter6))
		})
	}
}

// revisions returns them: the number, the name, and the image.
func (s *setPlay) revisions() (text string) {
	set := get[*appsv1.StatefulSet](s.play, statefulset.StatefulSetKind, "web")
	for _, r := range s.history() {
		text += fmt.Sprintf("  %d: %s %s", r.Revision, r.Name, imageIn(s.t, r))
		if r.Name == set.Status.CurrentRevision {
			text += ", current"
		}
		if r.Name == set.Status.UpdateRevision {
			text += ", update"
		}
		text += fmt.Sprintf(", the set's: %t\n", metav1.IsControlledBy(r, set))
	}
	return text
}

// history returns all revisions, by number.
func (s *setPlay) history() (all []*appsv1.ControllerRevision) {
	list, err := s.c.store.List(context.Background(), daemonset.RevisionKind, controlloop.ListOptions{})
	require.NoError(s.t, err)
	for _, obj := range list.Items {
		all = append(all, obj.(*appsv1.ControllerRevision))
	}
	slices.SortFunc(all, func(a, b *appsv1.ControllerRevision) int {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// imageIn returns the image that a revision remembers.
func imageIn(t testing.TB, r *appsv1.ControllerRevision) string {
	var set appsv1.StatefulSet
	require.NoError(t, json.Unmarshal(r.Data.Raw, &set))
	return set.Spec.Template.Spec.Containers[0].Image
}

// image edits the template, and lets all come to rest.
func (s *setPlay) image(image string, broken ...string) {
	s.t.Helper()
	s.say("the image is %s", image)
	s.template(image)
	s.rest(broken...)
}

// undo does what kubectl rollout undo does; 0 is the revision before.
func (s *setPlay) undo(to int64) {
	s.t.Helper()
	s.say("undo, to revision %d", to)
	s.act(func(ctx context.Context) error {
		set, err := s.c.client.AppsV1().StatefulSets(metav1.NamespaceDefault).Get(
			ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		rollbacker, err := polymorphichelpers.RollbackerFor(
			statefulset.StatefulSetKind.GroupKind(), s.c.client)
		if err != nil {
			return err
		}
		_, err = rollbacker.Rollback(set, nil, to, util.DryRunNone)
		return err
	})
	s.rest()
}

func (s *setPlay) partition(n int32) {
	s.t.Helper()
	s.say("the partition is %d", n)
	s.edit(func(set *appsv1.StatefulSet) { set.Spec.UpdateStrategy.RollingUpdate.Partition = &n })
	s.rest()
}

// partitioned limits the update of a set to an ordinal and those above it.
func partitioned(from int32) func(*appsv1.StatefulSet) {
	return func(set *appsv1.StatefulSet) {
		set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{
			Type:          appsv1.RollingUpdateStatefulSetStrategyType,
			RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &from},
		}
	}
}

// missing allows so many to be missing during an update.
func missing(part string) func(*appsv1.StatefulSet) {
	return func(set *appsv1.StatefulSet) {
		partitioned(0)(set)
		set.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = new(intstr.Parse(part))
	}
}

// typeOnly says that it rolls, and nothing of how.
func typeOnly(set *appsv1.StatefulSet) {
	set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{
		Type: appsv1.RollingUpdateStatefulSetStrategyType,
	}
}

func remembers(n int32) func(*appsv1.StatefulSet) {
	return func(set *appsv1.StatefulSet) { set.Spec.RevisionHistoryLimit = &n }
}

func startsAt(n int32) func(*appsv1.StatefulSet) {
	return func(set *appsv1.StatefulSet) { set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: n} }
}

// rolloutStories are chapter 6's stories of a StatefulSet, by name.
var rolloutStories = map[string]func(s *setPlay){
	"rollout-undone-half-way": func(s *setPlay) {
		s.makeSet(3, rolling)
		s.say("the image is web:v2, and only one gets it")
		s.template("web:v2")
		s.ended("web-2")
		s.runs("web-2", corev1.PodRunning, true)
		s.printStatus()
		s.undo(0)
	},
	"rollout-edited-twice": func(s *setPlay) {
		s.makeSet(3, rolling)
		s.say("the image is web:v2")
		s.template("web:v2")
		s.ended("web-2")
		s.say("the image is web:v3, and web-2 is not ready yet")
		s.template("web:v3")
		s.printStatus()
		s.rest()
	},
	"rollout-of-what-is-no-news": func(s *setPlay) {
		s.makeSet(2, rolling)
		s.say("an annotation of the set, and more Pods")
		s.edit(func(set *appsv1.StatefulSet) {
			set.Annotations = map[string]string{"kubernetes.io/change-cause": "none"}
			set.Spec.Replicas = new(int32(3))
		})
		s.rest()
		s.say("an annotation of the template")
		s.edit(func(set *appsv1.StatefulSet) {
			set.Spec.Template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": "now"}
		})
		s.rest()
	},
	"rollout-by-partition": func(s *setPlay) {
		s.makeSet(4, partitioned(2))
		s.image("web:v2")
		s.say("a lower one is deleted, and a higher one")
		s.delete("web-1")
		s.delete("web-3")
		s.rest()
		s.partition(1)
		s.partition(0)
	},
	"rollout-by-partition-from-another-start": func(s *setPlay) {
		s.makeSet(3, partitioned(1), startsAt(5))
		s.image("web:v2")
		s.say("all are deleted")
		for _, name := range []string{"web-5", "web-6", "web-7"} {
			s.delete(name)
			s.rest()
		}
		s.partition(0)
	},
	"rollout-partition-beyond-all": func(s *setPlay) {
		s.makeSet(2, partitioned(7))
		s.image("web:v2")
		s.scale(4)
		s.scale(1)
		s.image("web:v3")
		s.partition(0)
	},
	"rollout-partition-raised": func(s *setPlay) {
		s.makeSet(3, partitioned(1))
		s.image("web:v2")
		s.partition(3)
		s.say("web-2 is deleted")
		s.delete("web-2")
		s.rest()
	},
	"rollout-by-partition-shrunk-while-the-first-is-away": func(s *setPlay) {
		s.makeSet(3, partitioned(1))
		s.image("web:v2")
		s.say("web-0 is deleted, and before it has gone two are wanted")
		s.delete("web-0")
		s.replicas(2)
		s.rest()
		s.say("web-0 is deleted once more")
		s.delete("web-0")
		s.rest()
		s.scale(3)
		s.partition(0)
	},
	"rollout-two-at-a-time": func(s *setPlay) {
		s.makeSet(5, missing("2"))
		s.image("web:v2")
		s.say("the image is web:v3, and web-1 does not work")
		s.runs("web-1", corev1.PodRunning, false)
		s.template("web:v3")
		s.printStatus()
		s.say("it does")
		s.runs("web-1", corev1.PodRunning, true)
		s.rest()
	},
	"rollout-by-percent": func(s *setPlay) {
		s.makeSet(5, missing("50%"))
		s.image("web:v2")
		s.say("10%%: less than one is one")
		s.edit(missing("10%"))
		s.image("web:v3")
	},
	"rollout-parallel": func(s *setPlay) {
		s.unordered = true
		s.makeSet(4, parallel, missing("2"))
		s.image("web:v2")
	},
	"rollout-parallel-of-what-does-not-work": func(s *setPlay) {
		s.unordered = true
		s.makeSet(4, parallel, missing("2"))
		s.say("web-0 and web-1 do not work; the image is web:v2")
		s.runs("web-0", corev1.PodRunning, false)
		s.runs("web-1", corev1.PodRunning, false)
		s.template("web:v2")
		s.printStatus()
		s.rest()
	},
	"rollout-parallel-of-what-never-worked": func(s *setPlay) {
		s.unordered = true
		s.say("three are wanted, and none finds a node")
		s.create(statefulSet(3, parallel, missing("1")))
		s.printStatus()
		s.image("web:v2")
	},
	"rollout-parallel-type-only": func(s *setPlay) {
		s.unordered = true
		s.say("three are wanted, and none finds a node")
		s.create(statefulSet(3, parallel, typeOnly))
		s.printStatus()
		s.image("web:v2")
	},
	"rollout-parallel-type-only-in-the-middle": func(s *setPlay) {
		s.unordered = true
		s.makeSet(3, parallel, typeOnly)
		s.say("web-1 is deleted, and finds no node")
		s.delete("web-1")
		s.ended("web-1")
		s.printStatus()
		s.image("web:v2")
	},
	"rollout-type-only": func(s *setPlay) {
		s.makeSet(3, typeOnly)
		s.say("the image is web:v2, and web-2 is not ready")
		s.template("web:v2")
		s.ended("web-2")
		s.printStatus()
		s.say("web-0 is deleted")
		s.delete("web-0")
		s.ended("web-0")
		s.printStatus()
		s.rest()
	},
	"rollout-of-a-broken-image-in-parallel": func(s *setPlay) {
		s.unordered = true
		s.makeSet(3, parallel, rolling)
		s.image("web:broken", "web-2")
		s.say("the image is put back")
		s.template("web:v1")
		s.rest()
	},
	"rollout-remembers-one": func(s *setPlay) {
		s.makeSet(1, rolling, remembers(1))
		s.image("web:v2")
		s.image("web:v3")
		s.image("web:v4")
		s.say("remembers none")
		s.edit(remembers(0))
		s.rest()
		s.image("web:v5")
		s.say("remembers all")
		s.edit(remembers(-1))
		s.image("web:v6")
		s.image("web:v7")
	},
	"rollout-remembers-what-is-used": func(s *setPlay) {
		s.makeSet(3, partitioned(2), remembers(0))
		s.image("web:v2")
		s.image("web:v3")
		s.partition(0)
	},
	"rollout-while-scaled": func(s *setPlay) {
		s.makeSet(3, rolling)
		s.say("the image is web:v2, and four are wanted")
		s.template("web:v2")
		s.replicas(4)
		s.rest()
		s.say("the image is web:v3, and two are wanted")
		s.template("web:v3")
		s.replicas(2)
		s.rest()
		s.say("none is wanted, and the image is web:v4")
		s.replicas(0)
		s.rest()
		s.image("web:v4")
		s.scale(1)
	},
	"rollout-revision-deleted": func(s *setPlay) {
		s.makeSet(2, rolling)
		s.image("web:v2")
		s.say("the first is deleted by hand")
		s.remove(daemonset.RevisionKind, s.history()[0].Name)
		s.printStatus()
		s.image("web:v1")
		s.say("the newest is deleted by hand, and web-0")
		s.remove(daemonset.RevisionKind, s.history()[1].Name)
		s.delete("web-0")
		s.rest()
	},
	"rollout-current-deleted": func(s *setPlay) {
		s.makeSet(3, partitioned(2))
		s.image("web:v2")
		s.say("the current one is deleted by hand, and web-0")
		s.remove(daemonset.RevisionKind, s.history()[0].Name)
		s.delete("web-0")
		s.rest()
	},
	"rollout-adopts": func(s *setPlay) {
		s.unordered = true // Kubernetes adopts in any order
		s.makeSet(2, rolling)
		s.image("web:v2")
		s.say("the set goes, and leaves all behind")
		orphan := metav1.DeletePropagationOrphan
		s.act(func(ctx context.Context) error {
			return s.c.store.Delete(ctx, statefulset.StatefulSetKind,
				controlloop.Key{Namespace: metav1.NamespaceDefault, Name: "web"},
				metav1.DeleteOptions{PropagationPolicy: &orphan})
		})
		for _, r := range s.history() {
			edit(s.play, daemonset.RevisionKind, r.Name, func(r *appsv1.ControllerRevision) { r.OwnerReferences = nil })
		}
		for _, pod := range s.pods() {
			edit(s.play, controlloop.PodKind, pod.Name, func(p *corev1.Pod) { p.OwnerReferences = nil })
		}
		edit(s.play, statefulset.StatefulSetKind, "web", func(set *appsv1.StatefulSet) { set.Finalizers = nil })
		s.makeSet(2, rolling)
		s.undo(2)
	},
	"rollout-on-delete": func(s *setPlay) {
		s.makeSet(3)
		s.image("web:v2")
		s.say("web-1 is deleted")
		s.delete("web-1")
		s.rest()
		s.undo(0)
		s.say("it is deleted again")
		s.delete("web-1")
		s.rest()
		s.image("web:v3")
		s.say("and now RollingUpdate")
		s.edit(rolling)
		s.rest()
	},
	"rollout-patient": func(s *setPlay) {
		s.makeSet(2, rolling, patient(10))
		s.wait(10 * time.Second)
		s.serve()
		s.wait(10 * time.Second)
		s.image("web:v2")
		s.wait(5 * time.Second)
		s.printStatus()
		s.wait(5 * time.Second)
		s.rest()
		s.wait(10 * time.Second)
		s.printStatus()
	},
	"rollout-adopted-pod": func(s *setPlay) {
		s.say("there is a Pod of the set's name")
		s.create(stranger("web-0", "web"))
		s.makeSet(2, rolling)
	},
	"rollout-taken-name": func(s *setPlay) {
		s.say("a revision of the first one's name says something else")
		s.create(&appsv1.ControllerRevision{
			ObjectMeta: metav1.ObjectMeta{
				Name: "web-799f7ff7c4", Namespace: metav1.NamespaceDefault,
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: "example.com/v1", Kind: "Other", Name: "other", UID: "other", Controller: new(true),
				}},
			},
			Data: rawOf(`{"spec":{"template":{"spec":{"containers":[{"image":"web:other"}]}}}}`),
		})
		s.makeSet(1, rolling)
		s.image("web:v2")
	},
}
