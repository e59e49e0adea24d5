package stories

import (
	"context"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// change makes n Pods of a version ready, unready or dead, one after the other;
// without a number, until none is left that could be.
func (s *story) change(verb, version string, number []string) {
	s.t.Helper()
	for n := 0; len(number) == 0 || n < count(number); n++ {
		pod := s.find(func(p *corev1.Pod) bool {
			return p.DeletionTimestamp == nil && versionOf(p.Spec) == version &&
				(verb == "die" || controlloop.IsReady(p) == (verb == "unready"))
		})
		if pod == nil && len(number) == 0 {
			return
		}
		require.NotNil(s.t, pod, "no Pod of %s can be made %s", version, verb)
		if verb == "die" {
			s.remove(pod)
		} else {
			s.report(s.bind(pod), verb == "ready")
		}
		s.settle()
	}
}

// find returns the oldest Pod for which is holds, or nil.
func (s *story) find(is func(*corev1.Pod) bool) *corev1.Pod {
	s.t.Helper()
	list, err := s.Store.List(
		context.Background(), controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(s.t, err)
	var found *corev1.Pod
	for _, obj := range list.Items {
		pod := obj.(*corev1.Pod)
		if is(pod) && (found == nil || deployment.OlderFirst(pod, found) < 0) {
			found = pod
		}
	}
	return found
}

// versionOf returns the tag of a Pod's image.
func versionOf(spec corev1.PodSpec) string {
	_, version, _ := strings.Cut(spec.Containers[0].Image, ":")
	return version
}

// bind puts a Pod on a node, if it is on none yet.
func (s *story) bind(pod *corev1.Pod) *corev1.Pod {
	s.t.Helper()
	if pod.Spec.NodeName != "" {
		return pod
	}
	ctx := context.Background()
	require.NoError(s.t, s.Store.Bind(ctx, controlloop.NewBinding(pod, "node-1")))
	bound, err := s.Store.Get(ctx, controlloop.PodKind, controlloop.KeyOf(pod))
	require.NoError(s.t, err)
	return bound.(*corev1.Pod)
}

// report writes into a Pod's status that it runs, and whether it is ready.
func (s *story) report(pod *corev1.Pod, ready bool) {
	s.t.Helper()
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	next := controlloop.Copy(pod)
	next.Status.Phase = corev1.PodRunning
	next.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: status,
		LastTransitionTime: metav1.NewTime(time.Now().Truncate(time.Second)),
	}}
	_, err := s.Store.UpdateStatus(context.Background(), next)
	require.NoError(s.t, err)
}

// endOne lets the first Pod that was told to end do so, if there is one.
func (s *story) endOne() bool {
	s.t.Helper()
	pod := s.find(func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
	if pod != nil {
		s.remove(pod)
	}
	return pod != nil
}

func (s *story) remove(pod *corev1.Pod) {
	s.t.Helper()
	require.NoError(s.t, s.Store.Delete(context.Background(), controlloop.PodKind,
		controlloop.KeyOf(pod), *metav1.NewDeleteOptions(0)))
}
