package statefulset_test

import (
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
	"reconcile/internal/kubetest"
)

// ordered is a cluster of one controller, in which the test does the nodes'
// work.
var ordered = kubetest.Setup{
	Kinds:           controlloop.CoreKinds().With(statefulset.Kinds()...),
	Controllers:     []kubetest.Controller{statefulset.NewStatefulSets},
	Invariants:      []kubetest.Invariant{neverTwoOfAName, inOrder},
	DetectMutations: true,
}

// onNodes has a node besides, and nginx on it.
var onNodes = kubetest.Setup{
	Kinds: ordered.Kinds, Controllers: ordered.Controllers, Nodes: 1,
	Invariants: ordered.Invariants, DetectMutations: true,
}

// in runs a test in a cluster in a bubble.
func in(t *testing.T, setup kubetest.Setup, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(kubetest.New(t, setup)) })
}

// web returns a StatefulSet of that many Pods.
func web(replicas int32, changes ...func(*appsv1.StatefulSet)) *appsv1.StatefulSet {
	nginx := kubetest.Container("nginx", kubetest.Nginx)
	nginx.ReadinessProbe = kubetest.HTTPGet("/", intstr.FromInt32(80))
	nginx.ReadinessProbe.PeriodSeconds = 1
	pod := kubetest.Pod("web", nginx)
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: metav1.NamespaceDefault},
		Spec: appsv1.StatefulSetSpec{
			ServiceName: "nginx", Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec,
			},
		},
	}
	for _, change := range changes {
		change(set)
	}
	return set
}

func parallel(set *appsv1.StatefulSet) {
	set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
}

func from(ordinal int32) func(*appsv1.StatefulSet) {
	return func(set *appsv1.StatefulSet) {
		set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: ordinal}
	}
}

func patient(seconds int32) func(*appsv1.StatefulSet) {
	return func(set *appsv1.StatefulSet) { set.Spec.MinReadySeconds = seconds }
}

func scale(c *kubetest.Cluster, replicas int32) {
	kubetest.Edit(c, web(0), func(set *appsv1.StatefulSet) { set.Spec.Replicas = &replicas })
}

// serve does the nodes' work, in the test's own hands: a new Pod runs
// and is ready, but for those that are said to be broken; one that
// was told to end is gone.
func serve(c *kubetest.Cluster, broken ...string) (busy bool) {
	for _, pod := range c.Pods() {
		switch {
		case pod.DeletionTimestamp != nil:
			c.DeletePod(pod.Name, kubetest.Grace(0))
		case pod.Spec.NodeName == "":
			c.Bind(pod, "node-1")
			is(c, pod.Name, corev1.PodRunning, !strings.Contains(strings.Join(broken, " "), pod.Name))
		default:
			continue
		}
		busy = true
	}
	return busy
}

// is makes a node report the state of a Pod.
func is(c *kubetest.Cluster, name string, phase corev1.PodPhase, ready bool) {
	pod := controlloop.Copy(c.Pod(name))
	pod.Status.Phase = phase
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: status, LastTransitionTime: controlloop.Now(),
	}}
	if _, err := c.Store.UpdateStatus(tContext(), pod); err != nil {
		panic(err)
	}
}

// rest lets the controller and the nodes work, as long as that comes to an
// end.
func rest(c *kubetest.Cluster, broken ...string) {
	for range 100 {
		c.Advance(time.Second)
		if !serve(c, broken...) {
			break
		}
	}
	c.Advance(time.Second)
}

// names returns those of all Pods; it marks a Pod that is about to go, or is
// not ready.
func names(c *kubetest.Cluster) string {
	var all []string
	for _, pod := range c.Pods() {
		name := pod.Name
		switch {
		case pod.DeletionTimestamp != nil:
			name += " (going)"
		case !kubetest.Ready(pod):
			name += " (not ready)"
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}
