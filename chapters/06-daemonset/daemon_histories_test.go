package daemonset_test

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

// What no story tells: nodes that come, go and change what they say while a set
// is updated this way and that, Pods that fail, die, lose their labels or belong
// to nobody, a controller that is killed after any write, connections that break
// and a notification that gets lost. What must hold is checked at every write;
// when all of it has ceased there is one on each node that is meant, of the
// newest template, and then nothing moves any more.
func TestRandomHistoriesEndWithOneOnEach(t *testing.T) {
	kubetest.Histories(t, liveAsDaemons)
}

// daemonLife is one history.
type daemonLife struct {
	*kubetest.Cluster
	*rand.Rand
	t *testing.T
	n int
}

func liveAsDaemons(t *testing.T, n uint64) {
	setup := daemons()
	setup.Seed, setup.DetectMutations = n, false
	l := &daemonLife{
		Cluster: kubetest.New(t, setup), Rand: rand.New(rand.NewPCG(n, 6)), t: t,
	}
	for range 1 + l.IntN(4) {
		l.disturbNodes()
	}
	kubetest.Create(l.Cluster, logs(l.strategy(), readyFor(int32(l.IntN(2)*l.IntN(20)))))
	l.LoseNotification(1 + l.IntN(300))
	for range 10 + l.IntN(20) {
		if l.IntN(8) == 0 {
			l.Client.CrashAtWrite(1+l.IntN(6), kubetest.When(l.IntN(2)))
		}
		l.disturb()
		l.Advance(time.Duration(l.IntN(15)) * time.Second)
		if l.IntN(3) > 0 {
			serveDaemons(l.Cluster, []string{"broken", fresh}[l.IntN(2)])
		}
		if l.Crashed() {
			l.Restart()
		}
	}
	l.LoseNotification(0)
	l.Restart()
	change(l.Cluster, image("last"), unavailable("1"))
	for range 40 {
		l.heal()
		l.Advance(time.Minute)
		serveDaemons(l.Cluster)
	}
	l.judge()
	l.AssertQuiet(time.Hour)
}

func (l *daemonLife) strategy() setChange {
	return []setChange{
		onDelete, unavailable("1"), unavailable("50%"), surging("1"), surging("50%"), bounds("1", "1"),
	}[l.IntN(6)]
}

// disturb has something happen.
func (l *daemonLife) disturb() {
	l.n++
	pods := l.Pods()
	switch k := l.IntN(12); {
	case k < 3 || len(pods) == 0:
		l.disturbNodes()
	case k == 3:
		change(l.Cluster, image([]string{old, fresh, "broken"}[l.IntN(3)]))
	case k == 4:
		change(l.Cluster, l.strategy())
	case k == 5:
		change(l.Cluster, []setChange{only("disk", "ssd"), func(ds setType) {
			ds.Spec.Template.Spec.NodeSelector = nil
		}}[l.IntN(2)])
	case k == 6:
		pod := kubetest.Pod("logs")
		pod.Name = fmt.Sprintf("stray-%d", l.n)
		pod.Spec.NodeName = fmt.Sprintf("n%d", 1+l.IntN(6))
		kubetest.Create(l.Cluster, pod)
	case k == 7:
		l.Client.BreakWatches(errors.New("connection reset by peer"))
	default:
		l.disturbPod(pods[l.IntN(len(pods))])
	}
}

// disturbNodes has a node come, go, or say something else.
func (l *daemonLife) disturbNodes() {
	name := fmt.Sprintf("n%d", 1+l.IntN(6))
	_, err := l.Store.Get(l.t.Context(), controlloop.NodeKind, controlloop.Key{Name: name})
	if err != nil {
		kubetest.Create(l.Cluster, host(name, hostWith("disk", []string{"ssd", "hdd"}[l.IntN(2)])))
		return
	}
	switch l.IntN(4) {
	case 0:
		removeNode(l.t, l.Cluster, name)
	case 1:
		kubetest.Edit(l.Cluster, host(name), clean)
	case 2:
		kubetest.Edit(l.Cluster, host(name), hostWith("disk", []string{"ssd", "hdd"}[l.IntN(2)]))
	case 3:
		kubetest.Edit(l.Cluster, host(name), tainted("gpu",
			[]corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute}[l.IntN(2)]))
	}
}

func (l *daemonLife) disturbPod(pod *corev1.Pod) {
	switch l.IntN(4) {
	case 0:
		byHand(l.Cluster, pod)
	case 1:
		byHand(l.Cluster, pod, kubetest.Grace(0))
	case 2:
		if pod.Status.Phase == corev1.PodRunning {
			says(l.Cluster, pod, []corev1.PodPhase{corev1.PodFailed, corev1.PodSucceeded, corev1.PodRunning}[l.IntN(3)], false)
		}
	case 3:
		kubetest.Edit(l.Cluster, pod, func(p *corev1.Pod) { p.Labels = map[string]string{"app": "none"} })
	}
}

// heal has every Pod that runs be ready, and takes away those of nobody and of
// nodes that are gone, as the garbage collectors do.
func (l *daemonLife) heal() {
	nodes := map[string]bool{}
	for _, node := range kubetest.All[*corev1.Node](l.Cluster, controlloop.NodeKind) {
		nodes[node.Name] = true
	}
	for _, pod := range l.Pods() {
		switch {
		case metav1.GetControllerOf(pod) == nil,
			pod.Spec.NodeName != "" && !nodes[pod.Spec.NodeName]:
			l.DeletePod(pod.Name, kubetest.Grace(0))
		case pod.Spec.NodeName != "" && !kubetest.Ready(pod) &&
			!controlloop.HasEnded(pod) && pod.DeletionTimestamp == nil:
			says(l.Cluster, pod, corev1.PodRunning, true)
		}
	}
}

// judge looks at what has become of everything.
func (l *daemonLife) judge() {
	ds := kubetest.Get(l.Cluster, logs())
	want := 0
	on := map[string]int{}
	for _, pod := range l.Pods() {
		require.Equal(l.t, "last", pod.Spec.Containers[0].Image, onEach(l.Cluster))
		on[pod.Spec.NodeName]++
	}
	for _, node := range kubetest.All[*corev1.Node](l.Cluster, controlloop.NodeKind) {
		meant, _ := daemonset.NodeShouldRunPod(ds, node)
		if meant {
			want++
		}
		require.Equal(l.t, meant, on[node.Name] == 1, "%s: %s", node.Name, onEach(l.Cluster))
		require.LessOrEqual(l.t, on[node.Name], 1, onEach(l.Cluster))
	}
	require.Equal(l.t, fmt.Sprint(want, want, 0, want, want, want, 0), numbers(l.Cluster))
}
