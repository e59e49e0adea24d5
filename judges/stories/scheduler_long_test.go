package stories

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
)

// A scheduler's memory from one Pod to the next must be what it would see if it
// looked anew: one that has lived through the history of a cluster says at each
// Pod's turn what Kubernetes' says of the cluster as it is then.
func TestSchedulersAgreeInTheLongRun(t *testing.T) {
	theirs := newKubeScheduler(t)
	about := topic{taints: 20, affinity: 20, ports: 10, resources: 25, spread: 50,
		groups: 40, near: 20, images: 20}
	decisions := 0
	for seed := *firstSeed; decisions < *cases; seed++ {
		h := newHistory(t, seed, about)
		h.onDecision(func(w *world, ours placement) {
			other := theirs.place(t, w)
			decisions++
			require.Empty(t, ours.differs(&other), "seed %d, after\n%v\n%s", seed, h.told, w)
		})
		for range 40 {
			h.happens()
		}
	}
}

// history is a cluster that is changed, again and again.
type history struct {
	dice
	t      *testing.T
	store  *controlloop.Store
	system *controlloop.System
	about  topic
	made   int
	told   []string
}

func newHistory(t *testing.T, seed uint64, about topic) *history {
	w := newWorld(seed, about)
	w.pods = nil // they come one after the other
	for _, obj := range w.objects() {
		obj.SetResourceVersion("1")
	}
	return &history{dice: newDice(seed), t: t, about: about,
		store: controlloop.NewStore(placedKinds, controlloop.WithObjects(1000, w.objects()...))}
}

// onDecision tells f of each decision, and of the cluster as it was then.
func (h *history) onDecision(f func(w *world, ours placement)) {
	h.system = &controlloop.System{Client: h.store}
	sched := plugins.NewScheduler(h.system).Reconciler.(*scheduler.Scheduler)
	sched.OnDecision = func(d scheduler.Decision) {
		p := placement{said: map[string]answer{}}
		p.recordDecision(d)
		f(h.now(d.Pod), p)
	}
}

// now returns the cluster as the store has it.
func (h *history) now(pod *corev1.Pod) *world {
	w := &world{pod: pod, nodes: stored[*corev1.Node](h, controlloop.NodeKind),
		namespaces: stored[*corev1.Namespace](h, corev1.SchemeGroupVersion.WithKind("Namespace"))}
	for _, p := range stored[*corev1.Pod](h, controlloop.PodKind) {
		if p.Spec.NodeName != "" && p.UID != pod.UID {
			w.pods = append(w.pods, p)
		}
	}
	for _, kind := range placedKinds.All() {
		if kind.GroupVersionKind == rollingupdate.ServiceKind || isOwner[kind.Kind] {
			w.groups = append(w.groups,
				stored[controlloop.Object](h, kind.GroupVersionKind)...)
		}
	}
	return w
}

var isOwner = map[string]bool{
	"ReplicationController": true, "ReplicaSet": true, "StatefulSet": true,
}

func stored[T controlloop.Object](h *history, kind schema.GroupVersionKind) []T {
	list, err := h.store.List(context.Background(), kind, controlloop.ListOptions{})
	require.NoError(h.t, err)
	return of[T](list.Items)
}

// happens changes something, and lets the Pods that are ready take their turn.
func (h *history) happens() {
	nodes := stored[*corev1.Node](h, controlloop.NodeKind)
	pods := stored[*corev1.Pod](h, controlloop.PodKind)
	switch n := h.IntN(100); {
	case n < 55 || len(nodes) == 0:
		h.made++
		pod := h.pod(fmt.Sprintf("p%d", h.made), h.about)
		h.told = append(h.told, "a Pod "+pod.Name)
		h.create(pod)
	case n < 70 && len(pods) > 0:
		pod := pick(h.dice, pods...)
		h.told = append(h.told, "no Pod "+pod.Name)
		h.delete(pod)
	case n < 75:
		h.made++
		node := h.node(fmt.Sprintf("m%d", h.made), h.about)
		h.told = append(h.told, "a node "+node.Name)
		h.create(node)
	case n < 80 && len(nodes) > 1:
		node := pick(h.dice, nodes...)
		h.told = append(h.told, "no node "+node.Name)
		for _, pod := range pods {
			if pod.Spec.NodeName == node.Name {
				h.delete(pod)
			}
		}
		h.delete(node)
	default:
		node := controlloop.Copy(pick(h.dice, nodes...))
		h.told = append(h.told, "another node "+node.Name)
		h.changes(node)
	}
	h.goesOn()
}

// changes turns a node into another, but for its name.
func (h *history) changes(node *corev1.Node) {
	next := h.node(node.Name, h.about)
	node.Labels, node.Spec = next.Labels, next.Spec
	stored, err := h.store.Update(context.Background(), node)
	require.NoError(h.t, err)
	if h.chance(50) {
		node = controlloop.Copy(stored.(*corev1.Node))
		node.Status = next.Status
		_, err = h.store.UpdateStatus(context.Background(), node)
		require.NoError(h.t, err)
	}
}

func (h *history) create(obj controlloop.Object) {
	obj.SetUID("")
	_, err := h.store.Create(context.Background(), obj)
	require.NoError(h.t, err)
}

// delete deletes at once: an object that is about to go is another matter.
func (h *history) delete(obj controlloop.Object) {
	kind, err := placedKinds.Of(obj)
	require.NoError(h.t, err)
	require.NoError(h.t, h.store.Delete(context.Background(), kind.GroupVersionKind,
		controlloop.KeyOf(obj), metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}))
}

func (h *history) goesOn() {
	for {
		more, err := h.system.Step(context.Background(), controlloop.InOrder)
		require.NoError(h.t, err)
		if !more {
			return
		}
	}
}
