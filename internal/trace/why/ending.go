package why

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// ending says what an object waits for that is being deleted.
func (w *walk) ending(obj controlloop.Object) bool {
	at := obj.GetDeletionTimestamp().Time
	finalizers := obj.GetFinalizers()
	if p, isPod := obj.(*corev1.Pod); isPod && p.Spec.NodeName != "" && !isStopped(p) {
		return w.endingPod(p)
	}
	if ns, is := obj.(*corev1.Namespace); is {
		return w.emptied(ns)
	}
	w.say(obj, "was deleted at %s, and is still there", clock(at))
	switch {
	case slices.Contains(finalizers, metav1.FinalizerDeleteDependents):
		return w.dependents(obj)
	case len(finalizers) == 0, slices.Contains(finalizers, metav1.FinalizerOrphanDependents):
		return w.collector(obj)
	}
	return w.finalizer(obj, finalizers[0])
}

// orphan says what an object waits for whose owners are all gone.
func (w *walk) orphan(obj controlloop.Object) bool {
	refs := obj.GetOwnerReferences()
	if len(refs) == 0 || slices.ContainsFunc(w.Objects, func(o controlloop.Object) bool {
		return slices.ContainsFunc(refs, func(ref metav1.OwnerReference) bool { return ref.UID == o.GetUID() })
	}) {
		return false
	}
	w.say(obj, "is owned by a %s that is gone", refs[0].Kind)
	return w.keyed("garbage collector", string(obj.GetUID()), kindOf(obj), refs[0].Kind)
}

// isStopped reports whether a Pod has no container that runs, by what its kubelet says.
func isStopped(p *corev1.Pod) bool {
	return controlloop.HasEnded(p) && len(p.Finalizers) > 0
}

// endingPod says what a Pod waits for whose containers end.
func (w *walk) endingPod(p *corev1.Pod) bool {
	at := p.DeletionTimestamp.Time
	w.say(p, "is Terminating on %s", p.Spec.NodeName)
	node, there := named[*corev1.Node](w.World, "", p.Spec.NodeName)
	switch {
	case !there:
		return w.nodeless(p)
	case w.lost(node):
		w.beside("kubectl delete --force takes it away, and doesn't end it")
		return true
	case w.held("kubelet " + node.Name):
		return w.loop("kubelet "+node.Name, p)
	case at.After(w.Now):
		w.more("its containers have until %s to end", clock(at))
		return w.until(Time, at)
	case len(p.Finalizers) > 0 && controlloop.HasEnded(p):
		return w.finalizer(p, p.Finalizers[0])
	}
	return w.loop("kubelet "+node.Name, p)
}

// dependents goes on to what an object owns that blocks its end.
func (w *walk) dependents(obj controlloop.Object) bool {
	w.more("in the foreground, so its dependents go first")
	if w.held("garbage collector") {
		return w.collector(obj)
	}
	var own []controlloop.Object
	for _, other := range w.Objects {
		if slices.ContainsFunc(other.GetOwnerReferences(), func(ref metav1.OwnerReference) bool {
			return ref.UID == obj.GetUID() && isTrue(ref.BlockOwnerDeletion)
		}) {
			own = append(own, other)
		}
	}
	return w.worst(own...) || w.collector(obj)
}

// collector ends the chain at the garbage collector, whose keys are uids.
func (w *walk) collector(obj controlloop.Object) bool {
	return w.keyed("garbage collector", string(obj.GetUID()), kindOf(obj))
}

// finalizer ends the chain at a finalizer: at the controller that removes it or, if
// none here does, at a person.
func (w *walk) finalizer(obj controlloop.Object, name string) bool {
	protects := strings.HasSuffix(name, "-protection")
	switch obj := obj.(type) {
	case *corev1.PersistentVolumeClaim:
		pods := all(w.World, func(p *corev1.Pod) bool { return uses(p, obj) && !controlloop.HasEnded(p) })
		if protects && len(pods) > 0 {
			w.more("the finalizer %s holds it while it is used", name)
			return w.inUse(pods[0])
		}
		if protects {
			return w.loop("persistentvolumeclaim-protection-controller", obj)
		}
	case *corev1.PersistentVolume:
		if claim := obj.Spec.ClaimRef; protects && claim != nil && obj.Status.Phase == corev1.VolumeBound {
			if bound, there := named[*corev1.PersistentVolumeClaim](w.World, claim.Namespace, claim.Name); there {
				w.more("the finalizer %s holds it while it is used", name)
				w.beside("what is on the volume goes with its claim")
				return w.inUse(bound)
			}
		}
		if protects {
			return w.loop("persistentvolume-protection-controller", obj)
		}
	}
	w.more("the finalizer %s holds it, and no controller here takes that away", name)
	return w.end(Stopped, `kubectl patch %s --type=merge -p '{"metadata":{"finalizers":null}}'`, kubectlName(obj))
}

// inUse ends the chain at the user of an object.
func (w *walk) inUse(by controlloop.Object) bool {
	if by.GetDeletionTimestamp() != nil {
		return w.object(by)
	}
	w.say(by, "uses it")
	return w.end(Stopped, "kubectl delete %s", kubectlName(by))
}

// emptied goes on to what a namespace still holds.
func (w *walk) emptied(ns *corev1.Namespace) bool {
	w.say(ns, "is Terminating, and goes when it is empty")
	if w.held("namespace") {
		return w.loop("namespace", ns)
	}
	var inside []controlloop.Object
	for _, obj := range w.Objects {
		if obj.GetNamespace() == ns.Name && obj.GetDeletionTimestamp() != nil {
			inside = append(inside, obj)
		}
	}
	switch {
	case w.worst(inside...):
		return true
	case len(ns.Finalizers) > 0 && !w.isQueued("namespace", ns):
		return w.finalizer(ns, ns.Finalizers[0])
	}
	return w.loop("namespace", ns)
}
