package rollingupdate_test

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// These are the nodes of histories: a Pod's status says what they have done,
// and nothing runs.

// podsMove takes some Pods one step further: to a node, started, ready, gone.
func (h *chronicle) podsMove() {
	pods := h.podsOfWeb()
	if len(pods) == 0 {
		return
	}
	n := 1 + h.rand.IntN(len(pods))
	h.sayf("%d of %d Pods move", n, len(pods))
	for range n {
		h.move(pods[h.rand.IntN(len(pods))])
	}
}

// move takes a Pod one step further.
func (h *chronicle) move(pod *corev1.Pod) {
	pod = h.current(pod)
	switch {
	case pod == nil || hasEndedPod(pod) && pod.DeletionTimestamp == nil:
	case pod.DeletionTimestamp != nil:
		h.remove(pod)
	case pod.Spec.NodeName == "":
		h.c.Bind(pod, []string{"node-1", "node-2", "node-3"}[h.rand.IntN(3)])
	case strings.HasSuffix(pod.Spec.Containers[0].Image, ":missing"):
	case pod.Status.Phase != corev1.PodRunning:
		h.report(pod, corev1.PodRunning, false)
	case strings.HasSuffix(pod.Spec.Containers[0].Image, ":hangs"):
	case !kubetest.Ready(pod):
		h.report(pod, corev1.PodRunning, true)
	}
}

// podsSuffer makes something happen to a Pod that no user asked for.
func (h *chronicle) podsSuffer() {
	pods := h.podsOfWeb()
	if h.calm || len(pods) == 0 {
		return
	}
	for range 1 + h.rand.IntN(3) {
		pod := h.current(pods[h.rand.IntN(len(pods))])
		if pod == nil {
			continue
		}
		switch fate := h.rand.IntN(4); {
		case fate == 0:
			h.sayf("%s vanishes", pod.Name)
			h.remove(pod)
		case fate == 1:
			h.sayf("somebody deletes %s", pod.Name)
			h.c.DeletePod(pod.Name)
		case fate == 2 && pod.Spec.NodeName != "" && !hasEndedPod(pod):
			h.sayf("%s fails", pod.Name)
			h.report(pod, corev1.PodFailed, false)
		case pod.Status.Phase == corev1.PodRunning:
			h.sayf("%s is not ready any more", pod.Name)
			h.report(pod, corev1.PodRunning, false)
		}
	}
}

// current returns a Pod as it is now, or nil if it is gone.
func (h *chronicle) current(pod *corev1.Pod) *corev1.Pod { return h.world.pods[pod.UID] }

func hasEndedPod(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

func (h *chronicle) remove(pod *corev1.Pod) {
	h.c.DeletePod(pod.Name, kubetest.Grace(0))
}

func (h *chronicle) report(pod *corev1.Pod, phase corev1.PodPhase, ready bool) {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	next := controlloop.Copy(pod)
	next.Status.Phase = phase
	next.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: status,
		LastTransitionTime: metav1.Now().Rfc3339Copy(),
	}}
	_, err := h.c.Store.UpdateStatus(h.ctx(), next)
	require.NoError(h.t, err)
}

// everyoneReady moves all Pods until none moves, a second at a time, and has
// not for as long as it takes until one that is ready is available.
func (h *chronicle) everyoneReady() {
	idle := int32(0)
	for range 300 {
		before := len(h.c.Writes())
		h.act(func() {
			for _, pod := range h.podsOfWeb() {
				h.move(pod)
			}
		})
		h.c.Advance(time.Second)
		if idle++; len(h.c.Writes()) > before {
			idle = 0
		}
		if idle > h.world.deployment.Spec.MinReadySeconds {
			return
		}
	}
	h.t.Errorf("seed %d: after 300 s things still change", h.seed)
}
