package stories

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
)

// setPlay is a play about one StatefulSet.
type setPlay struct {
	*play
	said string
	// versioned says that the revisions are written down as well.
	versioned bool
}

// makeSet creates a set, and has its Pods be ready.
func (s *setPlay) makeSet(replicas int32, changes ...func(*appsv1.StatefulSet)) {
	s.t.Helper()
	set := statefulSet(replicas, changes...)
	s.say("%d are wanted, %s", replicas, set.Spec.PodManagementPolicy)
	s.create(set)
	s.rest()
}

// rest does the nodes' work, and looks.
func (s *setPlay) rest(broken ...string) {
	s.t.Helper()
	s.serve(broken...)
	s.printStatus()
}

func (s *setPlay) edit(change func(*appsv1.StatefulSet)) {
	s.t.Helper()
	edit(s.play, statefulset.StatefulSetKind, "web", change)
}

func (s *setPlay) replicas(n int32) {
	s.t.Helper()
	s.edit(func(set *appsv1.StatefulSet) { set.Spec.Replicas = &n })
}

func (s *setPlay) scale(n int32) {
	s.t.Helper()
	s.say("%d are wanted", n)
	s.replicas(n)
	s.rest()
}

func (s *setPlay) template(image string) {
	s.t.Helper()
	s.edit(func(set *appsv1.StatefulSet) { set.Spec.Template.Spec.Containers[0].Image = image })
}

func (s *setPlay) delete(name string) {
	s.t.Helper()
	s.remove(controlloop.PodKind, name)
}

// printStatus prints the set's status, if that is news, and which Pods
// are of which template.
func (s *setPlay) printStatus() {
	set := get[*appsv1.StatefulSet](s.play, statefulset.StatefulSetKind, "web")
	st := set.Status
	text := fmt.Sprintf(
		"status: replicas %d, ready %d, available %d, current %d, updated %d, generation %d of %d, collisions %d\n",
		st.Replicas, st.ReadyReplicas, st.AvailableReplicas, st.CurrentReplicas, st.UpdatedReplicas,
		st.ObservedGeneration, set.Generation, *st.CollisionCount)
	if s.versioned {
		text += s.revisions()
	}
	for _, pod := range s.pods() {
		text += fmt.Sprintf("  %s %s, the set's: %t\n",
			pod.Name, pod.Spec.Containers[0].Image, metav1.IsControlledBy(pod, set))
	}
	if text != s.said {
		fmt.Fprint(&s.out, text)
	}
	s.said = text
}

// statefulSet returns a set of Pods without disks, that is updated on deletion.
func statefulSet(replicas int32, changes ...func(*appsv1.StatefulSet)) *appsv1.StatefulSet {
	labels := map[string]string{"app": "web"}
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: metav1.NamespaceDefault},
		Spec: appsv1.StatefulSetSpec{
			ServiceName: "nginx", Replicas: &replicas,
			Selector:            &metav1.LabelSelector{MatchLabels: labels},
			PodManagementPolicy: appsv1.OrderedReadyPodManagement,
			UpdateStrategy:      appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:v1"}}},
			},
		},
	}
	for _, change := range changes {
		change(set)
	}
	return set
}

func parallel(set *appsv1.StatefulSet) { set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement }

func rolling(set *appsv1.StatefulSet) {
	set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{}
}

func patient(seconds int32) func(*appsv1.StatefulSet) {
	return func(set *appsv1.StatefulSet) { set.Spec.MinReadySeconds = seconds }
}

// stranger returns a Pod that was made by hand, as an API server stores it: one
// that lacks these tolerations would get them when a controller writes to it.
func stranger(name, app string) *corev1.Pod {
	var forAWhile []corev1.Toleration
	for _, taint := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		forAWhile = append(forAWhile, corev1.Toleration{
			Key: taint, Operator: corev1.TolerationOpExists,
			Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300)),
		})
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: metav1.NamespaceDefault, Labels: map[string]string{"app": app},
		},
		Spec: corev1.PodSpec{
			NodeName:    "node-1",
			Tolerations: forAWhile,
			Containers:  []corev1.Container{{Name: "web", Image: "web:hand"}},
		},
	}
}
