package scheduler_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// schedulerKinds are those of which a scheduler hears.
var schedulerKinds = controlloop.CoreKinds().
	With(deployment.Kinds()...).With(rollingupdate.Kinds()...).
	With(statefulset.Kinds()...).With(storage.Kinds()...).
	With(daemonset.Kinds()...).With(controlloop.Kind{
	GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Namespace"),
	Resource:         "namespaces",
	New:              func() controlloop.Object { return &corev1.Namespace{} },
})

// scheduling is a cluster in which nothing but a scheduler runs.
func scheduling() kubetest.Setup {
	return kubetest.Setup{
		Kinds:           schedulerKinds,
		Controllers:     []kubetest.Controller{plugins.NewScheduler},
		PerNode:         []kubetest.OfNode{},
		Invariants:      []kubetest.Invariant{neverOverbooked, neverBoundTwice},
		DetectMutations: true,
	}
}

// scheduled runs a test in such a cluster, in a bubble.
func scheduled(t *testing.T, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(kubetest.New(t, scheduling())) })
}

// neverBoundTwice: a Pod that has a node keeps it.
func neverBoundTwice(w kubetest.Write, _ []kubetest.Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok || w.Old == nil {
		return nil
	}
	was := w.Old.(*corev1.Pod).Spec.NodeName
	if was != "" && was != pod.Spec.NodeName {
		return fmt.Errorf("a Pod of %s goes to %s", was, pod.Spec.NodeName)
	}
	return nil
}

// neverOverbooked: a Pod that is given to a node finds there what it requests.
func neverOverbooked(w kubetest.Write, before []kubetest.Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok || pod.Spec.NodeName == "" ||
		w.Old != nil && w.Old.(*corev1.Pod).Spec.NodeName != "" {
		return nil
	}
	there := map[types.UID]*corev1.Pod{}
	var node *corev1.Node
	for _, b := range before {
		switch obj := b.Object.(type) {
		case *corev1.Node:
			if obj.Name == pod.Spec.NodeName {
				node = obj
			}
		case *corev1.Pod:
			delete(there, obj.UID)
			if b.Type != "DELETED" && obj.Spec.NodeName == pod.Spec.NodeName &&
				!controlloop.HasEnded(obj) {
				there[obj.UID] = obj
			}
		}
	}
	if node == nil {
		return fmt.Errorf("there is no node %s", pod.Spec.NodeName)
	}
	delete(there, pod.UID)
	if len(there)+1 > int(node.Status.Allocatable.Pods().Value()) {
		return fmt.Errorf("too many Pods on %s", node.Name)
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		sum := asked(pod, name)
		for _, other := range there {
			sum.Add(asked(other, name))
		}
		if has := node.Status.Allocatable[name]; sum.Cmp(has) > 0 && !isZero(asked(pod, name)) {
			return fmt.Errorf("%s of %s: %s of %s", name, node.Name, sum.String(), has.String())
		}
	}
	return nil
}

func isZero(q resource.Quantity) bool { return q.IsZero() }

// asked adds up plain containers: the tests of the invariant have no others.
func asked(pod *corev1.Pod, name corev1.ResourceName) (sum resource.Quantity) {
	for _, c := range pod.Spec.Containers {
		sum.Add(c.Resources.Requests[name])
	}
	return sum
}

type (
	podChange  = func(*corev1.Pod)
	nodeChange = func(*corev1.Node)
)

// server is a node of 4 CPUs, 8 GiB and ten Pods.
func server(name string, changes ...nodeChange) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{corev1.LabelHostname: name},
		},
		Status: corev1.NodeStatus{Allocatable: kubetest.Resources("cpu=4 memory=8Gi pods=10")},
	}
	for _, change := range changes {
		change(n)
	}
	return n
}

func having(s string) nodeChange {
	return func(n *corev1.Node) { n.Status.Allocatable = kubetest.Resources(s) }
}

func inZone(zone string) nodeChange { return withLabel(corev1.LabelTopologyZone, zone) }

func withLabel(key, value string) nodeChange {
	return func(n *corev1.Node) { n.Labels[key] = value }
}

func withTaint(key string, effect corev1.TaintEffect) nodeChange {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: effect})
	}
}

func unschedulable(n *corev1.Node) { n.Spec.Unschedulable = true }

// guest is a Pod of one container, in the default namespace.
func guest(name string, changes ...podChange) *corev1.Pod {
	pod := kubetest.Pod(name)
	pod.Namespace = metav1.NamespaceDefault
	pod.UID = types.UID(name)
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func requesting(s string) podChange {
	return func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = kubetest.Resources(s) }
}

func placedOn(node string) podChange { return func(p *corev1.Pod) { p.Spec.NodeName = node } }

func app(name string) podChange {
	return func(p *corev1.Pod) { p.Labels = map[string]string{"app": name} }
}

func important(priority int32) podChange {
	return func(p *corev1.Pod) { p.Spec.Priority = &priority }
}

// where says where the Pods are: "a@node-1 b@".
func where(c *kubetest.Cluster) string {
	var all []string
	for _, pod := range c.Pods() {
		all = append(all, pod.Name+"@"+pod.Spec.NodeName)
	}
	return strings.Join(all, " ")
}

// why is what a Pod was told.
func why(c *kubetest.Cluster, name string) string {
	return kubetest.Condition(c.Pod(name), corev1.PodScheduled).Message
}

type (
	requirement = corev1.NodeSelectorRequirement
	nodeTerm    = corev1.NodeSelectorTerm
)

const (
	exists     = corev1.TolerationOpExists
	noSchedule = corev1.TaintEffectNoSchedule
	noExecute  = corev1.TaintEffectNoExecute
	rather     = corev1.TaintEffectPreferNoSchedule

	in        = corev1.NodeSelectorOpIn
	is        = corev1.NodeSelectorOpExists
	nameField = "metadata.name"
)

func rule(key string, op corev1.NodeSelectorOperator, values ...string) requirement {
	return requirement{Key: key, Operator: op, Values: values}
}

func requiring(terms ...nodeTerm) podChange {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: terms,
			},
		}}
	}
}

func selecting(key, value string) podChange {
	return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{key: value} }
}

func deleteNode(c *kubetest.Cluster, name string) {
	err := c.Store.Delete(context.Background(), controlloop.NodeKind,
		controlloop.Key{Name: name}, metav1.DeleteOptions{})
	if err != nil {
		panic(err)
	}
}
