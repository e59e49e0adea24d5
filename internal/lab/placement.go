package lab

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

// placement gives Pods to nodes until chapter 6's scheduler does: of those that
// can take one, to that with the fewest Pods.
type placement struct {
	client   controlloop.Client
	waiting  *controlloop.Indexer // Pods without a node
	nodes    *controlloop.Indexer
	all      *controlloop.Indexer // Pods
	loads    *loads
	volumes  *storage.Consumers
	recorder controlloop.Recorder

	mu      sync.Mutex
	refused map[controlloop.Key]string // what those were told that fit nowhere
}

func newPlacement(s *controlloop.System) *controlloop.Controller {
	waiting := s.Informer(controlloop.PodKind, controlloop.ListOptions{
		Fields: fields.OneTermEqualSelector("spec.nodeName", ""),
	})
	nodes := s.Informer(nodeKind, controlloop.ListOptions{})
	all := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	p := &placement{
		client: s.Client, waiting: waiting.Cache, nodes: nodes.Cache,
		all: all.Cache, loads: newLoads(), volumes: storage.NewConsumers(s),
		recorder: s.RecorderFor(corev1.DefaultSchedulerName, ""),
		refused:  map[controlloop.Key]string{},
	}
	all.Handle(controlloop.Handler{
		OnAdd:    func(obj controlloop.Object) { p.loads.put(obj.(*corev1.Pod)) },
		OnUpdate: func(_, obj controlloop.Object) { p.loads.put(obj.(*corev1.Pod)) },
		OnDelete: func(obj controlloop.Object) { p.loads.drop(obj.(*corev1.Pod)) },
	})
	c := controlloop.NewController("placement", p)
	s.Add(c)
	c.Watch(waiting, controlloop.Self)
	c.Watch(all, p.freed)
	any := func(controlloop.Object) []controlloop.Key { return p.hopeful() }
	c.Watch(nodes, any)
	c.Watch(s.Informer(storage.VolumeKind, controlloop.ListOptions{}), any)
	c.Watch(s.Informer(storage.ClaimKind, controlloop.ListOptions{}), p.volumes.Of)
	return c
}

// freed returns who may fit when a Pod has left its node.
func (p *placement) freed(obj controlloop.Object) []controlloop.Key {
	pod := obj.(*corev1.Pod)
	now, there := p.all.Get(controlloop.KeyOf(pod))
	if there && now.GetUID() == pod.UID && !controlloop.HasEnded(pod) {
		return nil
	}
	return p.hopeful()
}

// hopeful are the Pods that did not fit anywhere.
func (p *placement) hopeful() []controlloop.Key {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Keys(p.refused),
		func(a, b controlloop.Key) int { return cmp.Compare(a.String(), b.String()) })
}

// Reconcile implements controlloop.Reconciler.
func (p *placement) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, waits := p.waiting.Get(key)
	if !waits || !isOurs(obj.(*corev1.Pod)) {
		p.told(key, "")
		return controlloop.Result{}, nil
	}
	pod := controlloop.Copy(obj.(*corev1.Pod))
	node, why := p.choose(pod)
	if node == nil {
		return controlloop.Result{}, p.refuse(ctx, pod, why)
	}
	settled, err := p.volumes.Settle(ctx, pod, node)
	if err != nil || !settled {
		return controlloop.Result{}, err // its claims bring it back
	}
	pod.Spec.NodeName = node.Name
	bound, err := p.client.Update(ctx, pod)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return controlloop.Result{}, nil // the watch brings us back, if there is cause
	}
	if err != nil {
		return controlloop.Result{}, err
	}
	p.loads.put(bound.(*corev1.Pod)) // the cache will know later
	p.told(key, "")
	p.recorder.Eventf(pod, corev1.EventTypeNormal, "Scheduled",
		"Successfully assigned %s to %s", key, node.Name)
	return controlloop.Result{}, nil
}

// isOurs reports whether a Pod waits for this scheduler, and for nothing else.
func isOurs(pod *corev1.Pod) bool {
	name := pod.Spec.SchedulerName
	return (name == "" || name == corev1.DefaultSchedulerName) &&
		pod.DeletionTimestamp == nil && len(pod.Spec.SchedulingGates) == 0
}

// choose returns the node that a Pod goes to, or says why it goes to none.
func (p *placement) choose(pod *corev1.Pod) (node *corev1.Node, why string) {
	nodes := p.nodes.List()
	if len(nodes) == 0 {
		return nil, "no nodes available to schedule pods"
	}
	obstacle := p.volumes.Obstacle(pod)
	if obstacle == "" {
		if node, obstacle = p.fewest(pod, nodes); node != nil {
			return node, ""
		}
	}
	return nil, fmt.Sprintf("0/%d nodes are available: %s.", len(nodes), obstacle)
}

// fewest returns the node with the fewest Pods of those that can take one, or
// says what speaks against how many.
func (p *placement) fewest(
	pod *corev1.Pod, nodes []controlloop.Object,
) (node *corev1.Node, why string) {
	wants, fewest := loadOf(pod), int64(0)
	against := map[string]int{}
	for _, obj := range nodes {
		n := obj.(*corev1.Node)
		has := p.loads.of(n.Name)
		reasons := p.against(pod, wants, n, has)
		for _, reason := range reasons {
			against[reason]++
		}
		if len(reasons) == 0 && (node == nil || has.pods < fewest) {
			node, fewest = n, has.pods
		}
	}
	var all []string
	for reason, n := range against {
		all = append(all, fmt.Sprintf("%d %s", n, reason))
	}
	slices.Sort(all)
	return node, strings.Join(all, ", ")
}

// against returns what speaks against a Pod on a node on which there is so much
// already; of its volumes only where nothing else does.
func (p *placement) against(
	pod *corev1.Pod, wants load, node *corev1.Node, has load,
) (reasons []string) {
	for _, r := range refusals(pod, wants, node, has) {
		reasons = append(reasons, r.reason)
	}
	if reasons == nil {
		return p.volumes.Refusals(pod, node)
	}
	return reasons
}

// refuse says on the Pod why it waits, if that is news.
func (p *placement) refuse(ctx context.Context, pod *corev1.Pod, why string) error {
	next := corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
		Reason: corev1.PodReasonUnschedulable, Message: why,
		LastTransitionTime: controlloop.Now(), ObservedGeneration: pod.Generation,
	}
	if changed := setCondition(&pod.Status, next); changed {
		if _, err := p.client.UpdateStatus(ctx, pod); err != nil {
			return err
		}
	}
	if p.told(controlloop.KeyOf(pod), why) {
		p.recorder.Eventf(
			pod, corev1.EventTypeWarning, "FailedScheduling", "%s", why)
	}
	return nil
}

// told notes what a Pod was told, "" when it waits no more, and reports whether
// that is news.
func (p *placement) told(key controlloop.Key, why string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	news := p.refused[key] != why
	if why == "" {
		delete(p.refused, key)
	} else {
		p.refused[key] = why
	}
	return news
}

// setCondition reports whether a status did not have that condition already.
func setCondition(status *corev1.PodStatus, next corev1.PodCondition) bool {
	at := slices.IndexFunc(status.Conditions,
		func(c corev1.PodCondition) bool { return c.Type == next.Type })
	if at < 0 {
		status.Conditions = append(status.Conditions, next)
		return true
	}
	old := status.Conditions[at]
	if old.Status == next.Status {
		next.LastTransitionTime = old.LastTransitionTime
	}
	status.Conditions[at] = next
	return old != next
}
