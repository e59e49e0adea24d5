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

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// daemons is a cluster of one controller. Nodes are objects, and what they do is
// done by serveDaemons.
func daemons() kubetest.Setup {
	return kubetest.Setup{
		Kinds:           daemonKinds,
		Controllers:     []kubetest.Controller{daemonset.NewDaemonSets},
		Invariants:      []kubetest.Invariant{oneOnEach, neverFewer},
		DetectMutations: true,
	}
}

var daemonKinds = controlloop.CoreKinds().With(daemonset.Kinds()...)

// onDaemons runs a test in such a cluster, in a bubble.
func onDaemons(t *testing.T, nodes int, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, daemons())
		for n := range nodes {
			kubetest.Create(c, host(fmt.Sprintf("n%d", n+1)))
		}
		test(c)
	})
}

func host(name string, changes ...func(*corev1.Node)) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{corev1.LabelHostname: name},
	}}
	for _, change := range changes {
		change(node)
	}
	return node
}

func tainted(key string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(node *corev1.Node) {
		node.Spec.Taints = append(node.Spec.Taints,
			corev1.Taint{Key: key, Effect: effect})
	}
}

func clean(node *corev1.Node) { node.Spec.Taints = nil }

func hostWith(key, value string) func(*corev1.Node) {
	return func(node *corev1.Node) {
		node.Labels = maps.Clone(node.Labels)
		node.Labels[key] = value
	}
}

type (
	setType   = *appsv1.DaemonSet
	setChange = func(setType)
)

// logs is a DaemonSet.
func logs(changes ...setChange) *appsv1.DaemonSet {
	pod := kubetest.Pod("logs")
	ds := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: "logs", Namespace: metav1.NamespaceDefault, UID: "logs-uid",
		},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec,
			},
		},
	}
	for _, change := range changes {
		change(ds)
	}
	return ds
}

func onDelete(ds *appsv1.DaemonSet) {
	ds.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
}

func unavailable(n string) setChange { return bounds("0", n) }

// surging may have so many nodes with a Pod more, and none without.
func surging(n string) setChange { return bounds(n, "0") }

func bounds(surge, unavailable string) setChange {
	return func(ds *appsv1.DaemonSet) {
		ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
			Type: appsv1.RollingUpdateDaemonSetStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDaemonSet{
				MaxSurge: new(intstr.Parse(surge)), MaxUnavailable: new(intstr.Parse(unavailable)),
			},
		}
	}
}

func readyFor(seconds int32) setChange {
	return func(ds *appsv1.DaemonSet) { ds.Spec.MinReadySeconds = seconds }
}

func image(name string) setChange {
	return func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.Containers[0].Image = name }
}

func only(key, value string) setChange {
	return func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.NodeSelector = map[string]string{key: value}
	}
}

func bearing(key string, effect corev1.TaintEffect) setChange {
	return func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Tolerations = append(ds.Spec.Template.Spec.Tolerations,
			corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect})
	}
}

func change(c *kubetest.Cluster, changes ...setChange) {
	kubetest.Edit(c, logs(), func(ds *appsv1.DaemonSet) {
		for _, change := range changes {
			change(ds)
		}
	})
}

// serveDaemons does what a scheduler and the nodes do: a Pod comes to the node
// that it can go to if there is one, runs there, and is ready but for broken
// images; one that was told to go is gone.
func serveDaemons(c *kubetest.Cluster, broken ...string) (busy bool) {
	nodes := map[string]bool{}
	for _, node := range kubetest.All[*corev1.Node](c, controlloop.NodeKind) {
		nodes[node.Name] = true
	}
	for _, pod := range c.Pods() {
		switch {
		case pod.DeletionTimestamp != nil:
			c.DeletePod(pod.Name, kubetest.Grace(0))
		case pod.Spec.NodeName == "" && nodes[daemonset.Target(pod)]:
			pod := c.Bind(pod, daemonset.Target(pod))
			pod = controlloop.Copy(pod)
			ready := !slices.Contains(broken, pod.Spec.Containers[0].Image)
			says(c, pod, corev1.PodRunning, ready)
		default:
			continue
		}
		busy = true
	}
	return busy
}

// says has a node say of a Pod how it is.
func says(c *kubetest.Cluster, pod *corev1.Pod, phase corev1.PodPhase, ready bool) {
	pod = controlloop.Copy(kubetest.Get(c, pod))
	pod.Status.Phase = phase
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: status, LastTransitionTime: controlloop.Now(),
	}}
	if _, err := c.Store.UpdateStatus(context.Background(), pod); err != nil {
		panic(err)
	}
}

// settleDaemons lets everybody do what there is to do, as long as that comes to
// an end.
func settleDaemons(c *kubetest.Cluster, broken ...string) {
	for range 200 {
		c.Advance(time.Second)
		if !serveDaemons(c, broken...) {
			break
		}
	}
	c.Advance(time.Second)
}

// onEach says which Pods are on which node: the tag of their image, what they
// are, and on the way out or not.
func onEach(c *kubetest.Cluster) string {
	var all []string
	for _, pod := range c.Pods() {
		if metav1.GetControllerOf(pod) == nil {
			continue
		}
		_, tag, _ := strings.Cut(pod.Spec.Containers[0].Image, ":")
		is := daemonset.Target(pod) + ":" + tag
		switch {
		case pod.DeletionTimestamp != nil:
			is += " going"
		case pod.Status.Phase == corev1.PodFailed:
			is += " failed"
		case pod.Spec.NodeName == "":
			is += " pending"
		case !kubetest.Ready(pod):
			is += " not ready"
		}
		all = append(all, is)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// numbers are the seven of the status: desired, current, misscheduled, ready,
// updated, available, unavailable.
func numbers(c *kubetest.Cluster) string {
	s := kubetest.Get(c, logs()).Status
	return fmt.Sprint(s.DesiredNumberScheduled, s.CurrentNumberScheduled,
		s.NumberMisscheduled, s.NumberReady, s.UpdatedNumberScheduled,
		s.NumberAvailable, s.NumberUnavailable)
}

// podOn is the first Pod on a node.
func podOn(t *testing.T, c *kubetest.Cluster, node string) *corev1.Pod {
	t.Helper()
	for _, pod := range c.Pods() {
		if daemonset.Target(pod) == node {
			return pod
		}
	}
	require.Fail(t, "no Pod on "+node)
	return nil
}

func removeNode(t *testing.T, c *kubetest.Cluster, name string) {
	t.Helper()
	require.NoError(t, c.Store.Delete(t.Context(), controlloop.NodeKind,
		controlloop.Key{Name: name}, metav1.DeleteOptions{}))
}

// byHand deletes a Pod as a person does, who may.
func byHand(c *kubetest.Cluster, pod *corev1.Pod, opts ...metav1.DeleteOptions) {
	kubetest.Edit(c, pod, func(p *corev1.Pod) {
		p.Annotations = map[string]string{"by": "hand"}
	})
	c.DeletePod(pod.Name, opts...)
}

// state is what there is after some writes.
type state struct {
	set   *appsv1.DaemonSet
	nodes map[string]*corev1.Node
	pods  map[string]*corev1.Pod
}

func stateAfter(writes []kubetest.Write) state {
	s := state{nodes: map[string]*corev1.Node{}, pods: map[string]*corev1.Pod{}}
	for _, w := range writes {
		gone := w.Type == watch.Deleted
		switch obj := w.Object.(type) {
		case *appsv1.DaemonSet:
			s.set = obj
		case *corev1.Node:
			if s.nodes[obj.Name] = obj; gone {
				delete(s.nodes, obj.Name)
			}
		case *corev1.Pod:
			if s.pods[obj.Name] = obj; gone {
				delete(s.pods, obj.Name)
			}
		}
	}
	return s
}

func (s state) surges() bool {
	surge, _ := daemonset.Bounds(s.set, 1)
	return surge > 0
}

// oneOnEach: a Pod is made for a node only if none is there that lives; with
// surge, if at most one is there that was not told to go.
func oneOnEach(w kubetest.Write, before []kubetest.Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok || w.Type != watch.Added || metav1.GetControllerOf(pod) == nil {
		return nil
	}
	s := stateAfter(before)
	there := 0
	for _, other := range s.pods {
		if metav1.IsControlledBy(other, s.set) && daemonset.Target(other) == daemonset.Target(pod) &&
			!controlloop.HasEnded(other) && !(s.surges() && other.DeletionTimestamp != nil) {
			there++
		}
	}
	most := 0
	if s.surges() {
		most = 1
	}
	if there > most {
		return fmt.Errorf("a Pod for %s, and there are %d", daemonset.Target(pod), there)
	}
	return nil
}

// neverFewer: no Pod that works is told to go by an update if that leaves more
// nodes without one than the update may.
func neverFewer(w kubetest.Write, before []kubetest.Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok || w.Old == nil || pod.Annotations["by"] == "hand" ||
		w.Old.GetDeletionTimestamp() != nil {
		return nil
	}
	s := stateAfter(before)
	if w.Type != watch.Deleted && pod.DeletionTimestamp == nil || s.set == nil ||
		!s.works(w.Old.(*corev1.Pod)) {
		return nil
	}
	node := s.nodes[daemonset.Target(pod)]
	if node == nil {
		return nil
	}
	if should, _ := daemonset.NodeShouldRunPod(s.set, node); !should {
		return nil
	}
	delete(s.pods, pod.Name)
	if s.staysOn(node.Name) {
		return nil // it was one of several, of which one stays
	}
	if s.surges() {
		return fmt.Errorf("nobody works on %s any more", node.Name)
	}
	desired, working := s.count()
	if _, most := daemonset.Bounds(s.set, desired); desired-working > most {
		return fmt.Errorf("%d of %d nodes without a Pod that works", desired-working, desired)
	}
	return nil
}

// staysOn reports whether a Pod is on a node that was not told to go: with
// surge, one that works.
func (s state) staysOn(node string) bool {
	for _, pod := range s.pods {
		if pod.Spec.NodeName == node && metav1.IsControlledBy(pod, s.set) &&
			pod.DeletionTimestamp == nil && (!s.surges() || s.works(pod)) {
			return true
		}
	}
	return false
}

func (s state) works(pod *corev1.Pod) bool {
	return metav1.IsControlledBy(pod, s.set) && pod.DeletionTimestamp == nil &&
		daemonset.IsAvailableFor(s.set, pod)
}

func (s state) worksOn(node string) bool {
	for _, pod := range s.pods {
		if pod.Spec.NodeName == node && s.works(pod) {
			return true
		}
	}
	return false
}

func (s state) count() (desired, working int) {
	for name, node := range s.nodes {
		if should, _ := daemonset.NodeShouldRunPod(s.set, node); should {
			desired++
			if s.worksOn(name) {
				working++
			}
		}
	}
	return desired, working
}
