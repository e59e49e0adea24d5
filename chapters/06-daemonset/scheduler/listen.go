package scheduler

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// listen has the scheduler hear of all that it knows, and of these kinds.
// (Kubernetes: pkg/scheduler/eventhandlers.go.)
func (s *Scheduler) listen(
	sys *controlloop.System, c *controlloop.Controller,
	kinds []schema.GroupVersionKind,
) {
	on := func(
		kind schema.GroupVersionKind, changed func(old, obj controlloop.Object),
	) {
		i := sys.Informer(kind, controlloop.ListOptions{})
		locked := func(old, obj controlloop.Object) {
			s.mu.Lock()
			defer s.mu.Unlock()
			changed(old, obj)
		}
		i.Handle(controlloop.Handler{
			OnAdd:    func(obj controlloop.Object) { locked(nil, obj) },
			OnUpdate: locked,
			OnDelete: func(obj controlloop.Object) { locked(obj, nil) },
		})
		c.Watch(i, s.next)
	}
	on(controlloop.NodeKind, s.nodeChanged)
	on(controlloop.PodKind, s.podChanged)
	for _, kind := range []schema.GroupVersionKind{
		storage.ClaimKind, storage.VolumeKind, storage.ClassKind,
	} {
		on(kind, func(_, _ controlloop.Object) {
			s.happened(&cache.Event{Volumes: true})
		})
	}
	c.Watch(sys.Informer(daemonset.BudgetKind, controlloop.ListOptions{}), s.next)
	s.nodes.Caches = map[schema.GroupVersionKind]*controlloop.Indexer{}
	for _, kind := range kinds {
		i := sys.Informer(kind, controlloop.ListOptions{})
		c.Watch(i, s.next)
		s.nodes.Caches[kind] = i.Cache
	}
}

// next returns the key of a scheduler that can go on.
func (s *Scheduler) next(controlloop.Object) []controlloop.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue.isReady() {
		return []controlloop.Key{goOn}
	}
	return nil
}

// nodeChanged takes in what a node says. s.mu is held, here and in what
// follows.
func (s *Scheduler) nodeChanged(old, obj controlloop.Object) {
	e := &cache.Event{}
	if old != nil {
		e.Was = old.(*corev1.Node)
	}
	if obj == nil {
		s.nodes.Unset(e.Was.Name)
		s.happened(e)
		return
	}
	e.Is = obj.(*corev1.Node)
	s.nodes.Set(e.Is)
	if e.Was == nil || cache.Differ(e.Was, e.Is) {
		s.happened(e)
	}
}

// podChanged takes in what has become of a Pod.
func (s *Scheduler) podChanged(old, obj controlloop.Object) {
	if obj == nil || old != nil && old.GetUID() != obj.GetUID() {
		s.podGone(old.(*corev1.Pod))
		old = nil
	}
	if obj == nil {
		return
	}
	pod := obj.(*corev1.Pod)
	switch {
	case controlloop.HasEnded(pod):
		s.podGone(pod)
	case pod.Spec.NodeName != "":
		s.podOnNode(pod)
	case isWaiting(pod):
		s.podWaits(old, pod)
	default:
		s.queue.remove(pod.UID)
	}
}

func (s *Scheduler) podGone(pod *corev1.Pod) {
	s.queue.remove(pod.UID)
	if d := s.nodes.Drop(pod.UID); d != nil {
		s.happened(&cache.Event{Left: d})
	}
	s.nodes.Nominate(&cache.PodInfo{Pod: pod}, "")
}

func (s *Scheduler) podOnNode(pod *corev1.Pod) {
	s.queue.remove(pod.UID)
	was := s.nodes.Pod(pod.UID)
	isNews := was == nil || was.IsAssumed()
	s.nodes.Put(pod)
	is := s.nodes.Pod(pod.UID)
	s.nodes.Nominate(is, "")
	switch {
	case isNews:
		s.happened(&cache.Event{Came: is})
	case was != is:
		s.happened(&cache.Event{Left: was, Came: is})
	}
}

// podWaits puts a Pod into the queue, unless the news of its binding was
// faster.
func (s *Scheduler) podWaits(old controlloop.Object, pod *corev1.Pod) {
	if s.nodes.Pod(pod.UID) != nil && s.queue.all[pod.UID] == nil {
		return
	}
	d, changed, promised := cache.NewPodInfo(pod), false, false
	if old != nil {
		was := old.(*corev1.Pod)
		changed = !maps.Equal(was.Labels, pod.Labels) ||
			!equality.Semantic.DeepEqual(was.Spec, pod.Spec)
		promised = was.Status.NominatedNodeName != ""
	}
	s.queue.add(d, changed)
	if node := pod.Status.NominatedNodeName; node != "" || promised {
		s.nodes.Nominate(d, node)
	}
}

// isWaiting reports whether a Pod waits for this scheduler, and for nothing
// else.
func isWaiting(pod *corev1.Pod) bool {
	name := pod.Spec.SchedulerName
	return (name == "" || name == corev1.DefaultSchedulerName) &&
		pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil &&
		len(pod.Spec.SchedulingGates) == 0 && !controlloop.HasEnded(pod)
}
