package node_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// What no story tells: machines whose cables are pulled and plugged while others
// are drained, taken away and put back, taints that come and go, Pods that bear
// them for some time, for ever or not at all, a controller that is killed after
// any write, connections that break and a notification that gets lost. What must
// hold is checked at every write; when all of it has ceased every node is well,
// as many Pods as are wanted are ready, and then no Pod is written any more.
func TestRandomHistoriesOfNodesKeepTheirTimesAndBudgets(t *testing.T) {
	kubetest.Histories(t, liveOnNodes)
}

// nodeLife is one history.
type nodeLife struct {
	*kubetest.Cluster
	*rand.Rand
	t      *testing.T
	cables *cables
	// calm: nothing fails but controllers and connections, and nobody but a drain
	// takes Pods away. Then a budget is kept to the letter.
	calm bool
	n    int
}

func liveOnNodes(t *testing.T, n uint64) {
	dice, x := rand.New(rand.NewPCG(n, 6)), newCables()
	calm := dice.IntN(3) == 0
	setup := living(2+dice.IntN(3), x)
	setup.PerNode[0] = x.of(willing)
	setup.Controllers = append(setup.Controllers, controlloop.NewReplication)
	setup.Invariants = append(setup.Invariants, paidFor)
	if calm {
		setup.Invariants = append(setup.Invariants, withinBudget)
	}
	setup.Seed, setup.DetectMutations = n, false
	l := &nodeLife{kubetest.New(t, setup), dice, t, x, calm, 0}
	l.begin()
	for range 10 + l.IntN(15) {
		if l.IntN(8) == 0 {
			l.Client.CrashAtWrite(1+l.IntN(6), kubetest.When(l.IntN(2)))
		}
		l.disturb()
		l.Advance(time.Duration(l.IntN(30)) * time.Second)
		drain(l.Cluster)
		if l.Crashed() {
			l.Restart()
		}
	}
	l.heal()
	l.judge()
}

// begin makes what lives there: some web servers, and their budget.
func (l *nodeLife) begin() {
	budgets := []string{"1", "2", "50%"}
	budget := limits("web", atMost(budgets[l.IntN(3)]))
	if l.IntN(2) == 0 {
		budget = limits("web", atLeast(budgets[l.IntN(3)]))
	}
	kubetest.Create(l.Cluster, budget)
	rc := kubetest.ReplicationController("web", int32(1+l.IntN(4)),
		kubetest.Container("nginx", kubetest.Nginx))
	rc.Spec.Template.Spec.Tolerations = l.bearings()
	kubetest.Create(l.Cluster, rc)
	l.Advance(30 * time.Second)
	if !l.calm && l.IntN(2) == 0 {
		l.LoseNotification(l.Notifications() + 1 + l.IntN(300))
	}
}

// bearings are what a Pod tolerates.
func (l *nodeLife) bearings() (all []corev1.Toleration) {
	for _, key := range []string{
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, "gpu",
	} {
		switch seconds := int64(l.IntN(60)); l.IntN(4) {
		case 0:
			all = append(all, endures(key))
		case 1, 2:
			all = append(all, endures(key, seconds))
		}
	}
	return all
}

// disturb has something happen.
func (l *nodeLife) disturb() {
	l.n++
	name := l.Nodes[l.IntN(len(l.Nodes))].Name
	switch k := l.IntN(13); {
	case k < 3:
		if l.exists(name) {
			cordon(l.Cluster, name, l.IntN(2) == 0)
		}
	case k == 3:
		l.Client.BreakWatches(errors.New("connection reset by peer"))
	case l.calm:
	case k == 4:
		l.cables.pull(name)
	case k == 5:
		l.cables.plug(name)
	case k == 6:
		l.exchange(name)
	case k == 7 && l.exists(name):
		l.taint(name)
	case k > 9 && l.exists("node-1"): // again and again
		l.taint("node-1")
	case k == 8 && l.exists(name):
		kubetest.Create(l.Cluster, podWith(fmt.Sprint("guest-", l.n),
			hosted(name), func(pod *corev1.Pod) {
				pod.Spec.Tolerations = l.bearings()
			}))
	case k == 9:
		if pods := l.Pods(); len(pods) > 0 {
			pod := pods[l.IntN(len(pods))]
			kubetest.Edit(l.Cluster, pod, func(p *corev1.Pod) {
				p.Annotations = map[string]string{"by": "hand"}
			})
			l.DeletePod(pod.Name)
		}
	}
}

func (l *nodeLife) exists(node string) bool {
	_, err := l.Store.Get(l.t.Context(), controlloop.NodeKind,
		controlloop.Key{Name: node})
	return err == nil
}

// exchange has a Node deleted, or registered anew.
func (l *nodeLife) exchange(name string) {
	if l.exists(name) {
		deleteNode(l.Cluster, name)
		return
	}
	kubetest.Create(l.Cluster, host(name))
}

// taint puts a taint on a node, or takes it away.
func (l *nodeLife) taint(name string) {
	effects := []corev1.TaintEffect{
		corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule,
	}
	gpu := taint("gpu", effects[l.IntN(2)])
	kubetest.Edit(l.Cluster, host(name), func(node *corev1.Node) {
		if !without("gpu")(node) {
			node.Spec.Taints = append(node.Spec.Taints, gpu)
		}
	})
}

// without takes a taint away, and reports whether it was there.
func without(key string) func(*corev1.Node) bool {
	return func(node *corev1.Node) bool {
		var others []corev1.Taint
		for _, t := range node.Spec.Taints {
			if t.Key != key {
				others = append(others, t)
			}
		}
		was := len(others) < len(node.Spec.Taints)
		node.Spec.Taints = others
		return was
	}
}

// heal puts everything right that was made wrong, and waits.
func (l *nodeLife) heal() {
	l.LoseNotification(0)
	for _, node := range l.Nodes {
		l.cables.plug(node.Name)
		if !l.exists(node.Name) {
			kubetest.Create(l.Cluster, host(node.Name))
		}
		kubetest.Edit(l.Cluster, host(node.Name), func(n *corev1.Node) {
			without("gpu")(n)
			n.Spec.Unschedulable = false
		})
	}
	l.Restart()
	l.Advance(5 * time.Minute)
}

// judge looks at what has become of everything.
func (l *nodeLife) judge() {
	for _, node := range l.Nodes {
		require.Equal(l.t, corev1.ConditionTrue, readyOf(l.Cluster, node.Name))
		require.Empty(l.t, taintsOf(l.Cluster, node.Name), node.Name)
	}
	rc := kubetest.Get(l.Cluster, kubetest.ReplicationController("web", 0))
	serving := int32(0)
	for _, pod := range l.Pods() {
		require.Nil(l.t, pod.DeletionTimestamp, pod.Name)
		require.True(l.t, kubetest.Ready(pod), pod.Name)
		if metav1.IsControlledBy(pod, rc) {
			serving++
		}
	}
	require.Equal(l.t, *rc.Spec.Replicas, serving)
	status := kubetest.Get(l.Cluster, limits("web")).Status
	require.Equal(l.t, serving, status.CurrentHealthy)
	require.Empty(l.t, status.DisruptedPods)
	before := len(l.Writes())
	l.Restart()
	l.Advance(3 * time.Minute)
	for _, w := range l.Writes()[before:] {
		kind := w.Object.GetObjectKind().GroupVersionKind()
		require.NotContains(l.t, []string{"Pod", daemonset.BudgetKind.Kind},
			kind.Kind, "nothing has changed, and there is a write: %s", w)
	}
}
