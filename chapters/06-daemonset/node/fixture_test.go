package node_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/node"
	"reconcile/chapters/06-daemonset/node/budget"
	"reconcile/chapters/06-daemonset/node/podgc"
	"reconcile/internal/kubetest"
)

var nodeKinds = controlloop.CoreKinds().With(deployment.Kinds()...).
	With(statefulset.Kinds()...).With(daemonset.Kinds()...)

// cables are those of the machines: what is pulled out does nothing and hears
// nothing until it is put in again.
type cables struct {
	out  map[string]bool
	sick map[string]bool // by what they say of themselves
}

func newCables() *cables {
	return &cables{map[string]bool{}, map[string]bool{}}
}

// pull and plug do so with the cable of a machine.
func (x *cables) pull(nodes ...string) {
	for _, node := range nodes {
		x.out[node] = true
	}
}

func (x *cables) plug(nodes ...string) {
	for _, node := range nodes {
		delete(x.out, node)
	}
}

// wired is a controller of a machine that does nothing while the cable is out,
// but tries again each second.
type wired struct {
	controlloop.Reconciler
	node   string
	cables *cables
}

func (w wired) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	if w.cables.out[w.node] {
		return controlloop.Result{After: time.Second}, nil
	}
	return w.Reconciler.Reconcile(ctx, key)
}

func (x *cables) of(make kubetest.OfNode) kubetest.OfNode {
	return func(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
		c := make(s, m)
		c.Reconciler = wired{c.Reconciler, m.Node, x}
		return c
	}
}

func (x *cables) heartbeat(
	s *controlloop.System, m kubelet.Machine,
) *controlloop.Controller {
	return node.NewHeartbeatOf(s, m, func() (bool, string, string) {
		if x.sick[m.Node] {
			return false, "KubeletNotReady", "the network is not ready"
		}
		return true, "KubeletReady", "kubelet is posting ready status"
	})
}

// living is a cluster of so many nodes that live, with all that looks after
// them.
func living(nodes int, x *cables) kubetest.Setup {
	return kubetest.Setup{
		Kinds: nodeKinds, Nodes: nodes, NodeObjects: true,
		Controllers: []kubetest.Controller{
			node.NewLifecycle, node.NewTaintEviction,
			podgc.New, budget.New,
		},
		PerNode: []kubetest.OfNode{
			x.of(kubetest.FirstCome), x.of(kubelet.New),
			x.of(x.heartbeat),
		},
		Invariants:      []kubetest.Invariant{inItsTime},
		DetectMutations: true,
	}
}

// inNodes runs a test in a cluster in a bubble, from when its nodes have been
// heard of.
func inNodes(
	t *testing.T, nodes int, test func(c *kubetest.Cluster, x *cables),
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		x := newCables()
		c := kubetest.New(t, living(nodes, x))
		c.Settle()
		test(c, x)
	})
}

// taintsOf says which taints a node has: "unreachable:NoSchedule".
func taintsOf(c *kubetest.Cluster, name string) string {
	var all []string
	for _, t := range nodeNamed(c, name).Spec.Taints {
		all = append(all, fmt.Sprintf("%s:%s",
			strings.TrimPrefix(t.Key, "node.kubernetes.io/"), t.Effect))
	}
	return strings.Join(all, " ")
}

func nodeNamed(c *kubetest.Cluster, name string) *corev1.Node {
	node := &corev1.Node{}
	node.Name = name
	return kubetest.Get(c, node)
}

// readyOf says whether a node is ready: True, False, Unknown.
func readyOf(c *kubetest.Cluster, name string) corev1.ConditionStatus {
	for _, condition := range nodeNamed(c, name).Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status
		}
	}
	return ""
}

// saidOf are the events that contain what, without their count.
func saidOf(c *kubetest.Cluster, what string) (all []string) {
	for _, event := range c.Events() {
		if strings.Contains(event, what) {
			all = append(all, event)
		}
	}
	return all
}

// tolerating tolerates both taints of a node that is not well for so long.
func tolerating(seconds int64) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		for _, key := range []string{
			corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable,
		} {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists,
				Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			})
		}
	}
}

// on has a Pod be on a node from the beginning.
func hosted(node string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.NodeName = node }
}

func podWith(name string, changes ...func(*corev1.Pod)) *corev1.Pod {
	pod := kubetest.Pod(name)
	for _, change := range changes {
		change(pod)
	}
	return pod
}

// departing are the names of the Pods that are about to go.
func departing(c *kubetest.Cluster) string {
	return namesOf(c, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
}

// pods are the names of those that are there.
func pods(c *kubetest.Cluster) string {
	return namesOf(c, func(*corev1.Pod) bool { return true })
}

func namesOf(c *kubetest.Cluster, which func(*corev1.Pod) bool) string {
	var names []string
	for _, pod := range c.Pods() {
		if which(pod) {
			names = append(names, pod.Name)
		}
	}
	return strings.Join(names, " ")
}

func deleteNode(c *kubetest.Cluster, name string) {
	err := c.Store.Delete(context.Background(), controlloop.NodeKind,
		controlloop.Key{Name: name}, metav1.DeleteOptions{})
	if err != nil {
		panic(err)
	}
}

func host(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{corev1.LabelHostname: name},
	}}
}
