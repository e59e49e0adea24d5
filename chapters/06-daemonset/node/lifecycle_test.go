package node_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/node"
	"reconcile/internal/kubetest"
)

func lease(c *kubetest.Cluster, node string) *coordinationv1.Lease {
	want := &coordinationv1.Lease{}
	want.Namespace, want.Name = corev1.NamespaceNodeLease, node
	return kubetest.Get(c, want)
}

func TestANodeRenewsItsLeaseEveryTenSecondsAndItsNodeEveryFiveMinutes(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		first := lease(c, "node-1")
		assert.Equal(t, "node-1", *first.Spec.HolderIdentity)
		assert.Equal(t, int32(40), *first.Spec.LeaseDurationSeconds)
		assert.Equal(t, nodeNamed(c, "node-1").UID, first.OwnerReferences[0].UID)
		before := len(c.Writes())
		c.Advance(5*time.Minute - time.Second)
		renewals := c.Writes()[before:]
		assert.Len(t, renewals, 29)
		for _, w := range renewals {
			assert.IsType(t, first, w.Object)
		}
		c.Advance(time.Second)
		ready := nodeNamed(c, "node-1").Status.Conditions[0]
		assert.Equal(t, corev1.NodeReady, ready.Type)
		assert.Equal(t, time.Now().Unix(), ready.LastHeartbeatTime.Unix())
	})
}

func TestWhatANodeSaysOfItselfIsOnItsNodeWithinTenSeconds(t *testing.T) {
	inNodes(t, 2, func(c *kubetest.Cluster, x *cables) {
		x.sick["node-1"] = true
		c.Advance(10 * time.Second)
		ready := nodeNamed(c, "node-1").Status.Conditions[0]
		assert.Equal(t, corev1.ConditionFalse, ready.Status)
		assert.Equal(t, "KubeletNotReady", ready.Reason)
		assert.Equal(t, "the network is not ready", ready.Message)
		c.Advance(look)
		assert.Equal(t, "not-ready:NoSchedule not-ready:NoExecute",
			taintsOf(c, "node-1"))
		delete(x.sick, "node-1")
		c.Advance(10 * time.Second)
		assert.Equal(t, corev1.ConditionTrue, readyOf(c, "node-1"))
		assert.Empty(t, taintsOf(c, "node-1"))
		assert.Equal(t, []string{
			"Normal NodeNotReady kubelet node-1: Node node-1 status is now: NodeNotReady",
			"Normal NodeReady kubelet node-1: Node node-1 status is now: NodeReady",
		}, append(saidOf(c, "NodeNotReady"), saidOf(c, "NodeReady")...))
	})
}

func TestANodeThatWasDeletedIsNotRegisteredByItsHeartbeat(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		deleteNode(c, "node-1")
		c.Advance(time.Minute)
		assert.Empty(t, kubetest.All[*corev1.Node](c, controlloop.NodeKind))
	})
}

func TestWhatOthersWriteIntoANodeIsNoSignOfLife(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, x *cables) {
		c.Advance(20 * time.Second)
		x.pull("node-1")
		for n := range 3 {
			kubetest.Edit(c, nodeNamed(c, "node-1"), func(node *corev1.Node) {
				node.Labels = map[string]string{"disk": fmt.Sprint(n)}
			})
			c.Advance(20 * time.Second)
		}
		assert.Equal(t, corev1.ConditionUnknown, readyOf(c, "node-1"))
	})
}

func TestANodeThatIsSilentForFiftySecondsIsUnknown(t *testing.T) {
	inNodes(t, 2, func(c *kubetest.Cluster, x *cables) {
		kubetest.Create(c, podWith("web", hosted("node-2"), tolerating(300)))
		c.Advance(20 * time.Second)
		require.True(t, kubetest.Ready(c.Pod("web")))
		x.pull("node-2") // heard of this very second
		c.Advance(50*time.Second - time.Nanosecond)
		assert.Equal(t, corev1.ConditionTrue, readyOf(c, "node-2"))
		c.Advance(time.Nanosecond)
		node := nodeNamed(c, "node-2")
		for _, condition := range node.Status.Conditions {
			assert.Equal(t, corev1.ConditionUnknown, condition.Status, condition.Type)
			assert.Equal(t, "NodeStatusUnknown", condition.Reason)
			assert.Equal(t, "Kubelet stopped posting node status.", condition.Message)
		}
		assert.Equal(t, "unreachable:NoSchedule", taintsOf(c, "node-2"))
		c.Advance(look)
		assert.Equal(t, "unreachable:NoSchedule unreachable:NoExecute", taintsOf(c, "node-2"))
		assert.False(t, kubetest.Ready(c.Pod("web")))
		assert.Equal(t, []string{
			"Normal NodeNotReady node-controller: Node node-2 status is now: NodeNotReady",
			"Warning NodeNotReady node-controller: Node is not ready",
		}, saidOf(c, "NodeNotReady node-controller"))
		assert.Equal(t, corev1.ConditionTrue, readyOf(c, "node-1"))
	})
}

func TestANodeThatIsHeardOfJustInTimeIsReady(t *testing.T) {
	inNodes(t, 2, func(c *kubetest.Cluster, x *cables) {
		x.pull("node-2")
		c.Advance(48 * time.Second)
		x.plug("node-2")
		c.Advance(49 * time.Second)
		assert.Equal(t, corev1.ConditionTrue, readyOf(c, "node-2"))
		for _, w := range c.WritesOf(nodeNamed(c, "node-2")) {
			assert.NotEqual(t, corev1.ConditionUnknown,
				w.Object.(*corev1.Node).Status.Conditions[0].Status)
		}
	})
}

func TestANodeThatComesBackHasItsTaintsTakenOff(t *testing.T) {
	inNodes(t, 2, func(c *kubetest.Cluster, x *cables) {
		kubetest.Create(c, podWith("web", hosted("node-2"), tolerating(300)))
		c.Advance(20 * time.Second)
		x.pull("node-2")
		c.Advance(2 * time.Minute)
		x.plug("node-2")
		c.Advance(11 * time.Second)
		assert.Equal(t, corev1.ConditionTrue, readyOf(c, "node-2"))
		assert.Empty(t, taintsOf(c, "node-2"))
		assert.True(t, kubetest.Ready(c.Pod("web")))
		c.Advance(10 * time.Minute)
		assert.Empty(t, departing(c))
		assert.Equal(t, []string{"Normal TaintManagerEviction " +
			"taint-eviction-controller: Cancelling deletion of Pod default/web"},
			saidOf(c, "TaintManagerEviction"))
	})
}

func TestANodeThatNeverSaidAnythingHasAMinute(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		mute := &corev1.Node{}
		mute.Name = "mute"
		kubetest.Create(c, mute)
		c.Advance(59 * time.Second)
		assert.Empty(t, readyOf(c, "mute"))
		c.Advance(time.Second)
		assert.Equal(t, corev1.ConditionUnknown, readyOf(c, "mute"))
		assert.Equal(t, "NodeStatusNeverUpdated",
			nodeNamed(c, "mute").Status.Conditions[0].Reason)
	})
}

// deaf hears nothing of leases, but can ask.
type deaf struct{ *controlloop.Store }

func (d deaf) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	if kind == daemonset.LeaseKind {
		opts.Namespace = "elsewhere"
	}
	return d.Store.Watch(ctx, kind, opts)
}

// The cache of leases may be late, and then for all nodes at once.
func TestALeaseThatWasRenewedUnheardIsFoundInTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := controlloop.NewStore(nodeKinds)
		system := &controlloop.System{Client: deaf{store}}
		settle := func() {
			for more := true; more; {
				var err error
				more, err = system.Step(t.Context(), controlloop.InOrder)
				require.NoError(t, err)
			}
		}
		node.NewLifecycle(system)
		beat := node.NewHeartbeat(
			&controlloop.System{Client: store}, kubelet.Machine{Node: "node-1"})
		node := &corev1.Node{}
		node.Name = "node-1"
		_, err := store.Create(t.Context(), node)
		require.NoError(t, err)
		for range 30 {
			beat.Step(t.Context(), 0)
			settle()
			time.Sleep(5 * time.Second)
			synctest.Wait()
		}
		list, err := store.List(t.Context(), controlloop.NodeKind, controlloop.ListOptions{})
		require.NoError(t, err)
		conditions := list.Items[0].(*corev1.Node).Status.Conditions
		assert.Equal(t, corev1.ConditionTrue, conditions[len(conditions)-1].Status)
	})
}

func TestACordonIsATaint(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		cordon := func(on bool) {
			kubetest.Edit(c, nodeNamed(c, "node-1"), func(n *corev1.Node) {
				n.Spec.Unschedulable = on
			})
			c.Settle()
		}
		cordon(true)
		assert.Equal(t, "unschedulable:NoSchedule", taintsOf(c, "node-1"))
		cordon(false)
		assert.Empty(t, taintsOf(c, "node-1"))
	})
}

func TestComplaintsAreTaintsAndThoseOfOthersStay(t *testing.T) {
	condition := func(
		is corev1.NodeConditionType, status corev1.ConditionStatus,
	) corev1.NodeCondition {
		return corev1.NodeCondition{Type: is, Status: status}
	}
	theirs := corev1.Taint{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}
	ours := func(key string, effect corev1.TaintEffect) corev1.Taint {
		return corev1.Taint{Key: "node.kubernetes.io/" + key, Effect: effect}
	}
	for name, test := range map[string]struct {
		conditions []corev1.NodeCondition
		cordoned   bool
		has        []corev1.Taint
		evicting   string
		want       []corev1.Taint
		same       bool
	}{
		"nothing to complain of": {
			conditions: []corev1.NodeCondition{
				condition(corev1.NodeReady, corev1.ConditionTrue),
				condition(corev1.NodeDiskPressure, corev1.ConditionFalse),
			},
			has: []corev1.Taint{theirs}, want: []corev1.Taint{theirs}, same: true,
		},
		"not ready": {
			conditions: []corev1.NodeCondition{condition(corev1.NodeReady, corev1.ConditionFalse)},
			has:        []corev1.Taint{theirs},
			want:       []corev1.Taint{theirs, ours("not-ready", corev1.TaintEffectNoSchedule)},
		},
		"all at once": {
			conditions: []corev1.NodeCondition{
				condition(corev1.NodePIDPressure, corev1.ConditionTrue),
				condition(corev1.NodeMemoryPressure, corev1.ConditionTrue),
				condition(corev1.NodeNetworkUnavailable, corev1.ConditionTrue),
				condition(corev1.NodeDiskPressure, corev1.ConditionTrue),
				condition(corev1.NodeReady, corev1.ConditionUnknown),
			},
			cordoned: true, evicting: corev1.TaintNodeUnreachable,
			want: []corev1.Taint{
				ours("unreachable", corev1.TaintEffectNoSchedule),
				ours("memory-pressure", corev1.TaintEffectNoSchedule),
				ours("disk-pressure", corev1.TaintEffectNoSchedule),
				ours("network-unavailable", corev1.TaintEffectNoSchedule),
				ours("pid-pressure", corev1.TaintEffectNoSchedule),
				ours("unschedulable", corev1.TaintEffectNoSchedule),
				ours("unreachable", corev1.TaintEffectNoExecute),
			},
		},
		"another complaint than before": {
			conditions: []corev1.NodeCondition{condition(corev1.NodeReady, corev1.ConditionFalse)},
			evicting:   corev1.TaintNodeNotReady,
			has: []corev1.Taint{
				ours("unreachable", corev1.TaintEffectNoSchedule),
				ours("unreachable", corev1.TaintEffectNoExecute), theirs,
			},
			want: []corev1.Taint{
				theirs, ours("not-ready", corev1.TaintEffectNoSchedule),
				ours("not-ready", corev1.TaintEffectNoExecute),
			},
		},
		"what looks like ours, and is not": {
			has: []corev1.Taint{
				ours("memory-pressure", corev1.TaintEffectNoExecute),
				ours("out-of-service", corev1.TaintEffectNoExecute),
				ours("not-ready", corev1.TaintEffectPreferNoSchedule),
			},
			want: []corev1.Taint{
				ours("memory-pressure", corev1.TaintEffectNoExecute),
				ours("out-of-service", corev1.TaintEffectNoExecute),
				ours("not-ready", corev1.TaintEffectPreferNoSchedule),
			},
			same: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := &corev1.Node{}
			object.Spec.Taints, object.Spec.Unschedulable = test.has, test.cordoned
			object.Status.Conditions = test.conditions
			got, differ := node.TaintsFor(object, test.evicting)
			assert.Equal(t, !test.same, differ)
			for i := range got {
				got[i].TimeAdded = nil
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestNodesThatComeAndGoAreToldOf(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		deleteNode(c, "node-1")
		c.Settle()
		assert.Equal(t, []string{
			"Normal RegisteredNode node-controller: Node node-1 event: Registered Node node-1 in Controller",
			"Normal RemovingNode node-controller: Node node-1 event: Removing Node node-1 from Controller",
		}, saidOf(c, "node-controller"))
	})
}

// Sixteen nodes run at once, one falls silent, and comes back.
func TestNodesLiveAndFallSilentWhileAllRuns(t *testing.T) {
	inNodes(t, 16, func(c *kubetest.Cluster, x *cables) {
		kubetest.Create(c, podWith("web", hosted("node-7"), tolerating(60)))
		c.Run()
		c.Advance(25 * time.Second)
		node := nodeNamed(c, "node-7")
		c.Stop()
		x.pull("node-7")
		c.Restart()
		c.Run()
		c.Advance(3 * time.Minute)
		assert.Equal(t, corev1.ConditionUnknown, readyOf(c, "node-7"))
		assert.Equal(t, "web", departing(c))
		for n := 1; n <= 16; n++ {
			if name := fmt.Sprintf("node-%d", n); name != node.Name {
				assert.Empty(t, taintsOf(c, name))
			}
		}
		c.Stop()
	})
}
