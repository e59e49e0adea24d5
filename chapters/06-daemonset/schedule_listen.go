package daemonset

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

var namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")

// listen has the scheduler hear of all that it knows. (Kubernetes:
// pkg/scheduler/eventhandlers.go.)
func (s *Scheduler) listen(sys *controlloop.System, c *controlloop.Controller) {
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
		on(kind, func(_, _ controlloop.Object) { s.happened(&event{volumes: true}) })
	}
	c.Watch(sys.Informer(BudgetKind, controlloop.ListOptions{}), s.next)
	c.Watch(sys.Informer(namespaceKind, controlloop.ListOptions{}), s.next)
	s.nodes.namespaces = sys.Informer(
		namespaceKind, controlloop.ListOptions{}).Cache
	s.nodes.groups = newGroups(sys,
		func(i *controlloop.Informer) { c.Watch(i, s.next) })
}

// next is the key of a scheduler that can go on.
func (s *Scheduler) next(controlloop.Object) []controlloop.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue.isReady() {
		return []controlloop.Key{goOn}
	}
	return nil
}

// nodeChanged: s.mu is held, here and in what follows.
func (s *Scheduler) nodeChanged(old, obj controlloop.Object) {
	e := &event{}
	if old != nil {
		e.was = old.(*corev1.Node)
	}
	if obj == nil {
		s.nodes.unset(e.was.Name)
		s.happened(e)
		return
	}
	e.is = obj.(*corev1.Node)
	s.nodes.set(e.is)
	if e.was == nil || matters(e.was, e.is) {
		s.happened(e)
	}
}

// matters reports whether a node has changed in what a filter looks at: a
// heartbeat is none of it.
func matters(was, is *corev1.Node) bool {
	return was.Spec.Unschedulable != is.Spec.Unschedulable ||
		!maps.Equal(was.Labels, is.Labels) ||
		!equality.Semantic.DeepEqual(was.Spec.Taints, is.Spec.Taints) ||
		!equality.Semantic.DeepEqual(was.Status.Allocatable, is.Status.Allocatable)
}

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
	if d := s.nodes.drop(pod.UID); d != nil {
		s.happened(&event{left: d})
	}
	s.nodes.nominate(&demand{Pod: pod}, "")
}

func (s *Scheduler) podOnNode(pod *corev1.Pod) {
	s.queue.remove(pod.UID)
	was := s.nodes.pods[pod.UID]
	isNews := was == nil || was.isAssumed()
	s.nodes.put(pod)
	is := s.nodes.pods[pod.UID]
	s.nodes.nominate(is, "")
	switch {
	case isNews:
		s.happened(&event{came: is})
	case was != is:
		s.happened(&event{left: was, came: is})
	}
}

// podWaits: the news of a Pod's binding may be newer than this.
func (s *Scheduler) podWaits(old controlloop.Object, pod *corev1.Pod) {
	if s.nodes.pods[pod.UID] != nil && s.queue.all[pod.UID] == nil {
		return
	}
	d, changed, promised := demandOf(pod), false, false
	if old != nil {
		was := old.(*corev1.Pod)
		changed = !maps.Equal(was.Labels, pod.Labels) ||
			!equality.Semantic.DeepEqual(was.Spec, pod.Spec)
		promised = was.Status.NominatedNodeName != ""
	}
	s.queue.add(d, changed)
	if node := pod.Status.NominatedNodeName; node != "" || promised {
		s.nodes.nominate(d, node)
	}
}
