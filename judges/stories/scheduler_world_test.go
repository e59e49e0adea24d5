package stories

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"

	controlloop "reconcile/chapters/01-control-loop"
)

// world holds all that a scheduler sees when a Pod's turn comes.
type world struct {
	pod      *corev1.Pod
	nodes    []*corev1.Node
	pods     []*corev1.Pod // on nodes
	promised []*corev1.Pod // those that wait for a node which was promised to them

	namespaces []*corev1.Namespace
	groups     []controlloop.Object // Services, ReplicaSets and the like
	budgets    []*policyv1.PodDisruptionBudget
	storage    []controlloop.Object // claims, volumes and classes
}

// objects returns all objects.
func (w *world) objects() []controlloop.Object {
	all := append([]controlloop.Object{w.pod}, w.groups...)
	all = append(all, w.storage...)
	all = appendAll(all, w.nodes)
	all = appendAll(all, w.pods)
	all = appendAll(all, w.promised)
	all = appendAll(all, w.namespaces)
	return appendAll(all, w.budgets)
}

func appendAll[T controlloop.Object](
	all []controlloop.Object, more []T,
) []controlloop.Object {
	for _, obj := range more {
		all = append(all, obj)
	}
	return all
}

// on returns the Pods on a node.
func (w *world) on(node string) (pods []*corev1.Pod) {
	for _, pod := range w.pods {
		if pod.Spec.NodeName == node {
			pods = append(pods, pod)
		}
	}
	return pods
}

// String returns everything, one object after the other, for a person to read.
func (w *world) String() string {
	var b strings.Builder
	for _, obj := range w.objects() {
		text, err := yaml.Marshal(obj)
		if err != nil {
			panic(err)
		}
		lines := slices.DeleteFunc(strings.Split(string(text), "\n"), isOfNoInterest)
		fmt.Fprintf(&b, "---\n%s\n", strings.Join(lines, "\n"))
	}
	return b.String()
}

// isOfNoInterest reports whether all objects have such a line.
func isOfNoInterest(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line == "status: {}" || line == "resources: {}" ||
		strings.HasPrefix(line, "uid: ") ||
		strings.HasPrefix(line, "resourceVersion: ") ||
		strings.HasPrefix(line, "apiVersion: ")
}

// shrunk drops the objects that differ does not need to report a difference:
// one after the other, as long as one can be dropped.
func (w *world) shrunk(differ func(*world) string) *world {
	for {
		next := w.smaller(differ)
		if next == nil {
			return w
		}
		w = next
	}
}

// smaller returns a world with an object less that still differs, or nil.
func (w *world) smaller(differ func(*world) string) *world {
	for _, next := range w.without() {
		if differ(next) != "" {
			return next
		}
	}
	return nil
}

// without returns the worlds with one object less. A node takes its Pods with
// it.
func (w *world) without() (worlds []*world) {
	but := func(change func(next *world)) {
		next := *w
		change(&next)
		worlds = append(worlds, &next)
	}
	for i, node := range w.nodes {
		if len(w.nodes) > 1 {
			but(func(next *world) {
				next.nodes = dropped(w.nodes, i)
				next.pods = slices.DeleteFunc(slices.Clone(w.pods),
					func(p *corev1.Pod) bool { return p.Spec.NodeName == node.Name })
			})
		}
	}
	for i := range w.pods {
		but(func(next *world) { next.pods = dropped(w.pods, i) })
	}
	for i := range w.promised {
		but(func(next *world) { next.promised = dropped(w.promised, i) })
	}
	for i := range w.groups {
		but(func(next *world) { next.groups = dropped(w.groups, i) })
	}
	for i := range w.storage {
		if isSpare(w, w.storage[i].GetName()) {
			but(func(next *world) { next.storage = dropped(w.storage, i) })
		}
	}
	for i := range w.budgets {
		but(func(next *world) { next.budgets = dropped(w.budgets, i) })
	}
	for i := range w.namespaces {
		but(func(next *world) { next.namespaces = dropped(w.namespaces, i) })
	}
	return worlds
}

// isSpare reports whether no Pod and no claim names an object, be it as a class.
func isSpare(w *world, name string) bool {
	for _, claim := range of[*corev1.PersistentVolumeClaim](w.storage) {
		if claim.Spec.VolumeName == name || *claim.Spec.StorageClassName == name {
			return false
		}
	}
	for _, pod := range append(slices.Clone(w.pods), w.pod) {
		for _, v := range pod.Spec.Volumes {
			if v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == name {
				return false
			}
		}
	}
	return true
}

func dropped[T any](all []T, i int) []T {
	return slices.Delete(slices.Clone(all), i, i+1)
}
