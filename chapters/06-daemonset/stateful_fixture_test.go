package daemonset_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// revised is a cluster of the one controller, in which Pods are served by the
// test.
var revised = kubetest.Setup{
	Kinds: controlloop.CoreKinds().With(statefulset.Kinds()...).
		With(storage.Kinds()...).With(daemonset.Kinds()...),
	Controllers: []kubetest.Controller{daemonset.NewStatefulSets},
	Invariants: []kubetest.Invariant{
		keepsPartition, numbersRise, nothingForgotten, takesFew,
	},
	DetectMutations: true,
}

// inSets runs a test in such a cluster in a bubble.
func inSets(t *testing.T, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(kubetest.New(t, revised)) })
}

type statefulChange = func(*appsv1.StatefulSet)

// aSet is a StatefulSet of that many Pods, of version v1.
func aSet(replicas int32, changes ...statefulChange) *appsv1.StatefulSet {
	labels := map[string]string{"app": "web"}
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: metav1.NamespaceDefault},
		Spec: appsv1.StatefulSetSpec{
			ServiceName: "nginx", Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{kubetest.Container("web", "web:v1")},
				},
			},
		},
	}
	for _, change := range changes {
		change(set)
	}
	return set
}

// rollsBy has a set roll from a partition on, with that many missing; "": 1.
func rollsBy(partition int32, missing string) statefulChange {
	return func(set *appsv1.StatefulSet) {
		set.Spec.UpdateStrategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
		set.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{
			Partition: &partition,
		}
		if missing != "" {
			set.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = new(intstr.Parse(missing))
		}
	}
}

// typeOnly has a set roll, and say nothing of how.
func typeOnly(set *appsv1.StatefulSet) {
	set.Spec.UpdateStrategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
}

func byDeletion(set *appsv1.StatefulSet) {
	set.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType
}

func inParallel(set *appsv1.StatefulSet) {
	set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
}

func startingAt(ordinal int32) statefulChange {
	return func(set *appsv1.StatefulSet) {
		set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: ordinal}
	}
}

func remembering(n int32) statefulChange {
	return func(set *appsv1.StatefulSet) { set.Spec.RevisionHistoryLimit = &n }
}

func readyForSeconds(n int32) statefulChange {
	return func(set *appsv1.StatefulSet) { set.Spec.MinReadySeconds = n }
}

func ofVersion(version string) statefulChange {
	return func(set *appsv1.StatefulSet) {
		set.Spec.Template.Spec.Containers[0].Image = "web:" + version
	}
}

func ofReplicas(n int32) statefulChange {
	return func(set *appsv1.StatefulSet) { set.Spec.Replicas = &n }
}

// editSet has a user edit the set.
func editSet(c *kubetest.Cluster, changes ...statefulChange) {
	kubetest.Edit(c, aSet(0), func(set *appsv1.StatefulSet) {
		for _, change := range changes {
			change(set)
		}
	})
}

// serveSets does what nodes do: a new Pod runs and is ready, but for those of a
// version that is broken; one that was told to end is gone.
func serveSets(c *kubetest.Cluster) (busy bool) {
	for _, pod := range c.Pods() {
		switch {
		case pod.DeletionTimestamp != nil:
			c.DeletePod(pod.Name, kubetest.Grace(0))
		case pod.Spec.NodeName == "":
			c.Bind(pod, "node-1")
			setReady(c, pod.Name, versionOf(pod.Spec) != "broken")
		default:
			continue
		}
		busy = true
	}
	return busy
}

// setReady has a node say whether a Pod is ready.
func setReady(c *kubetest.Cluster, name string, ready bool) {
	pod := controlloop.Copy(c.Pod(name))
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: status, LastTransitionTime: controlloop.Now(),
	}}
	if _, err := c.Store.UpdateStatus(context.Background(), pod); err != nil {
		panic(err)
	}
}

// restSets lets the controller and the nodes do what there is to do.
func restSets(c *kubetest.Cluster) {
	for range 200 {
		c.Advance(time.Second)
		if !serveSets(c) {
			break
		}
	}
	c.Advance(time.Second)
}

func versionOf(spec corev1.PodSpec) string {
	return strings.TrimPrefix(spec.Containers[0].Image, "web:")
}

// setPods says of which version each Pod is: "v1 v2!" are two, of which the
// second is not ready, and "v2-" is about to go.
func setPods(c *kubetest.Cluster) string {
	var all []string
	for _, pod := range c.Pods() {
		word := versionOf(pod.Spec)
		switch {
		case pod.DeletionTimestamp != nil:
			word += "-"
		case !kubetest.Ready(pod):
			word += "!"
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

// setHistory is which versions have which numbers: "1:v1 2:v2".
func setHistory(c *kubetest.Cluster) string {
	var all []string
	for _, r := range revisionsThereAre(c) {
		all = append(all, fmt.Sprintf("%d:%s", r.Revision, versionIn(r)))
	}
	return strings.Join(all, " ")
}

// revisionsThereAre are all, the lowest number first.
func revisionsThereAre(c *kubetest.Cluster) []*appsv1.ControllerRevision {
	all := kubetest.All[*appsv1.ControllerRevision](c, daemonset.RevisionKind)
	slices.SortStableFunc(all, func(a, b *appsv1.ControllerRevision) int {
		return int(a.Revision - b.Revision)
	})
	return all
}

// versionIn is the version that a revision remembers.
func versionIn(r *appsv1.ControllerRevision) string {
	template, err := daemonset.TemplateOf(r)
	if err != nil || len(template.Spec.Containers) == 0 {
		return "?"
	}
	return versionOf(template.Spec)
}

// betweenVersions says what the status names as current, and as update.
func betweenVersions(c *kubetest.Cluster) string {
	status := kubetest.Get(c, aSet(0)).Status
	named := map[string]string{"": "none"}
	for _, r := range revisionsThereAre(c) {
		named[r.Name] = versionIn(r)
	}
	return named[status.CurrentRevision] + " " + named[status.UpdateRevision]
}

// deleteByHand has a user delete a Pod.
func deleteByHand(c *kubetest.Cluster, name string) {
	kubetest.Edit(c, c.Pod(name), handled[*corev1.Pod])
	c.DeletePod(name)
}

// handled marks what a hand does something to: no controller is to blame then.
func handled[T controlloop.Object](obj T) {
	all := maps.Clone(obj.GetAnnotations())
	if all == nil {
		all = map[string]string{}
	}
	all["test/by-hand"] = "yes"
	obj.SetAnnotations(all)
}

// forgetByHand has a user delete a revision.
func forgetByHand(c *kubetest.Cluster, r *appsv1.ControllerRevision) {
	kubetest.Edit(c, r, handled[*appsv1.ControllerRevision])
	if err := c.Store.Delete(context.Background(), daemonset.RevisionKind,
		controlloop.KeyOf(r), metav1.DeleteOptions{}); err != nil {
		panic(err)
	}
}
