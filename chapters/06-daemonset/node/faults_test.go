package node_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/06-daemonset/node"
	"reconcile/internal/kubetest"
)

// cords are the cables of each telling, which go on at once.
var cords sync.Map // of the client of the controllers

func cordOf(client controlloop.Client) *cables {
	x, _ := cords.LoadOrStore(client, newCables())
	return x.(*cables)
}

func cord(c *kubetest.Cluster) *cables { return cordOf(c.Client) }

// The story: of two nodes one falls silent, and its Pods go, and it comes back;
// then the other is drained, as fast as a budget lets it be; then that is used
// again, and the first is deleted, with what is on it.
var nodeStory = kubetest.Story{
	Setup: storied(),
	Chapters: []func(t *testing.T, c *kubetest.Cluster){
		func(_ *testing.T, c *kubetest.Cluster) {
			kubetest.Create(c, limits("web", atMost("1")))
			rc := kubetest.ReplicationController("web", 2,
				kubetest.Container("nginx", kubetest.Nginx))
			spread := podWith("web", tolerating(5)).Spec.Tolerations
			rc.Spec.Template.Spec.Tolerations = spread
			kubetest.Create(c, rc)
		},
		func(_ *testing.T, c *kubetest.Cluster) { cord(c).pull("node-1") },
		func(_ *testing.T, c *kubetest.Cluster) {
			cord(c).plug("node-1")
			cordon(c, "node-2", true)
		},
		func(_ *testing.T, c *kubetest.Cluster) {
			cordon(c, "node-2", false)
			cord(c).pull("node-1")
			deleteNode(c, "node-1")
		},
	},
	Rest: func(_ *testing.T, c *kubetest.Cluster) {
		for range 15 {
			drain(c)
			c.Advance(5 * time.Second)
			if cameThrough(c) {
				break
			}
		}
		c.Advance(time.Second) // no heartbeat is due just now
	},
	State: nodesState,
	End: func(t *testing.T, c *kubetest.Cluster) {
		require.Equal(t, strings.Join([]string{
			"node-2 True []",
			"web on node-2, ready true, goes false",
			"web on node-2, ready true, goes false",
			"1 allowed, 2 healthy, 1 desired, 2 expected, SufficientPods",
		}, "\n"), nodesState(c))
		require.NotEmpty(t, saidOf(c, "TaintManagerEviction"))
	},
	Each: true,
}

// cameThrough reports whether all has come to where it goes: each minute more
// has heartbeats, and each of those is attacked.
func cameThrough(c *kubetest.Cluster) bool {
	for _, node := range kubetest.All[*corev1.Node](c, controlloop.NodeKind) {
		want := ""
		switch {
		case cord(c).out[node.Name]:
			want = "unreachable:NoSchedule unreachable:NoExecute"
		case node.Spec.Unschedulable:
			want = "unschedulable:NoSchedule"
		}
		if taintsOf(c, node.Name) != want {
			return false
		}
	}
	serve := 0
	for _, pod := range c.Pods() {
		node, there := nodeOf(c, pod)
		stays := pod.DeletionTimestamp == nil
		if !there || stays == (len(node.Spec.Taints) > 0) ||
			stays && !kubetest.Ready(pod) {
			return false
		}
		if stays {
			serve++
		}
	}
	status := kubetest.Get(c, limits("web")).Status
	return serve == 2 && status.CurrentHealthy == 2 && len(status.DisruptedPods) == 0
}

// nodeOf is the node that a Pod is on, if it is there.
func nodeOf(c *kubetest.Cluster, pod *corev1.Pod) (*corev1.Node, bool) {
	obj, err := c.Store.Get(context.Background(), controlloop.NodeKind,
		controlloop.Key{Name: pod.Spec.NodeName})
	if err != nil {
		return &corev1.Node{}, false
	}
	return obj.(*corev1.Node), true
}

func nodesState(c *kubetest.Cluster) string {
	var all []string
	for _, node := range kubetest.All[*corev1.Node](c, controlloop.NodeKind) {
		all = append(all, fmt.Sprintf("%s %s [%s]", node.Name,
			readyOf(c, node.Name), taintsOf(c, node.Name)))
	}
	for _, pod := range c.Pods() {
		all = append(all, fmt.Sprintf("web on %s, ready %t, goes %t",
			pod.Spec.NodeName, kubetest.Ready(pod), pod.DeletionTimestamp != nil))
	}
	return strings.Join(append(all, statusOf(c, limits("web"))), "\n")
}

func storied() kubetest.Setup {
	setup := living(2, nil)
	setup.PerNode = []kubetest.OfNode{
		corded(willing), corded(kubelet.New),
		corded(node.NewHeartbeat),
	}
	setup.Controllers = append(setup.Controllers, controlloop.NewReplication)
	setup.Invariants = []kubetest.Invariant{inItsTime, withinBudget, paidFor}
	setup.DetectMutations = false // the story is told once with it
	return setup
}

// corded makes a controller of a machine that does nothing while its cable, in
// this telling, is out.
func corded(make kubetest.OfNode) kubetest.OfNode {
	return func(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
		return cordOf(s.Client).of(make)(s, m)
	}
}

// willing places Pods on a node that has no taint.
func willing(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
	c := kubetest.FirstCome(s, m)
	c.Reconciler = untainted{c.Reconciler, s.Client, m.Node}
	return c
}

type untainted struct {
	controlloop.Reconciler
	client controlloop.Client
	node   string
}

func (u untainted) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, err := u.client.Get(ctx, controlloop.NodeKind, controlloop.Key{Name: u.node})
	if err != nil && !apierrors.IsNotFound(err) {
		return controlloop.Result{}, err
	}
	if err != nil || len(obj.(*corev1.Node).Spec.Taints) > 0 {
		return controlloop.Result{After: time.Second}, nil
	}
	return u.Reconciler.Reconcile(ctx, key)
}

func cordon(c *kubetest.Cluster, node string, is bool) {
	kubetest.Edit(c, nodeNamed(c, node), func(n *corev1.Node) {
		n.Spec.Unschedulable = is
	})
}

// drain asks once for each Pod on a node that is cordoned.
func drain(c *kubetest.Cluster) {
	for _, pod := range c.Pods() {
		on, _ := nodeOf(c, pod)
		if !on.Spec.Unschedulable || pod.DeletionTimestamp != nil {
			continue
		}
		err := node.Evict(context.Background(), c.Store,
			controlloop.KeyOf(pod), metav1.DeleteOptions{})
		if err != nil && !apierrors.IsTooManyRequests(err) {
			panic(err)
		}
	}
}

func TestNodesEndTheSameWhenAConnectionBreaksAtAnyEvent(t *testing.T) {
	nodeStory.ConnectionBroken(t)
}

func TestNodesEndTheSameWhenTheStoreHasForgottenAnEvent(t *testing.T) {
	nodeStory.VersionForgotten(t)
}

func TestNodesEndTheSameWhenAnyOneEventIsDropped(t *testing.T) { nodeStory.EventDropped(t) }

func TestNodesEndTheSameWhenAControllerStopsAtAnyOneWrite(t *testing.T) {
	nodeStory.StoppedAtAnyWrite(t)
}

func TestNodesEndTheSameInAnyOrderOfSteps(t *testing.T) { nodeStory.AnyOrder(t) }

func TestNodesEndTheSameWhenOneKindIsHeardOfLate(t *testing.T) { nodeStory.EachKindLate(t) }

func TestNodesEndTheSameWithAllOfItAtOnce(t *testing.T) { nodeStory.AllAtOnce(t) }

func TestAnyCallAboutNodesMayFailOnce(t *testing.T) { nodeStory.AnyCallFails(t) }
