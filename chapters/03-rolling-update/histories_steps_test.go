package rollingupdate_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// historyImages are the images of histories. Those of the last two never work:
// one cannot be pulled, one starts and is never ready.
var historyImages = []string{"v1", "v2", "v3", "v4", "missing", "hangs"}

// step lets something happen, and mostly lets the controllers answer.
func (h *chronicle) step() {
	weights := []struct {
		weight int
		what   func()
	}{
		{10, h.editTemplate}, {6, h.scale}, {3, h.editBounds}, {2, h.editLimits},
		{4, h.pauseOrResume}, {4, h.undo}, {1, h.annotate}, {1, h.restartPods},
		{2, h.changeStrategy},
		{30, h.podsMove}, {5, h.podsSuffer}, {4, h.timePasses},
		{5, h.crash}, {3, h.loseEvents}, {3, h.failCalls}, {4, h.holdCaches},
	}
	total := 0
	for _, w := range weights {
		total += w.weight
	}
	n := h.rand.IntN(total)
	for _, w := range weights {
		if n -= w.weight; n < 0 {
			h.act(w.what)
			break
		}
	}
	h.settle()
	if h.c.Crashed() && h.rand.IntN(2) == 0 {
		h.sayf("the controllers are started again")
		h.c.Restart()
		h.settle()
	}
}

func (h *chronicle) edit(changes ...func(*appsv1.Deployment)) { edit(h.c, "web", changes...) }

func (h *chronicle) editTemplate() {
	version := historyImages[h.rand.IntN(len(historyImages))]
	h.sayf("image %s", version)
	h.edit(image("web:" + version))
}

// changeStrategy changes between the two strategies, and sometimes the size in the
// same edit.
func (h *chronicle) changeStrategy() {
	if h.calm {
		return
	}
	strategy := appsv1.DeploymentStrategy{}
	if h.rand.IntN(2) == 0 {
		strategy.Type = appsv1.RecreateDeploymentStrategyType
	}
	h.edit(func(d *appsv1.Deployment) {
		d.Spec.Strategy = strategy
		if h.rand.IntN(2) == 0 {
			d.Spec.Replicas = new(int32(h.rand.IntN(21)))
		}
	})
	d := get(h.c, "web")
	h.sayf("strategy %s, %d replicas", d.Spec.Strategy.Type, *d.Spec.Replicas)
}

func (h *chronicle) scale() {
	if h.calm {
		return
	}
	n := int32(h.rand.IntN(21))
	h.sayf("%d replicas", n)
	h.edit(sized(n))
}

// anyBounds returns maxSurge and maxUnavailable, of which at least one is not
// zero.
func (h *chronicle) anyBounds() (surge, unavailable string) {
	part := func(most int) string {
		switch h.rand.IntN(4) {
		case 0:
			return "0"
		case 1:
			return strconv.Itoa(h.rand.IntN(8))
		}
		return strconv.Itoa(h.rand.IntN(most+1)) + "%"
	}
	for {
		surge, unavailable = part(150), part(100)
		if slices.ContainsFunc([]string{surge, unavailable}, func(s string) bool {
			return s != "0" && s != "0%"
		}) {
			return surge, unavailable
		}
	}
}

func boundsSaid(d *appsv1.Deployment) string {
	r := d.Spec.Strategy.RollingUpdate
	return fmt.Sprintf("surge %s, unavailable %s", r.MaxSurge, r.MaxUnavailable)
}

func (h *chronicle) editBounds() {
	if h.calm {
		return
	}
	surge, unavailable := h.anyBounds()
	h.sayf("surge %s, unavailable %s", surge, unavailable)
	h.edit(bounds(surge, unavailable))
}

func (h *chronicle) editLimits() {
	limit, ready := int32(h.rand.IntN(4)), int32(h.rand.IntN(3)*4)
	h.sayf("keeps %d, ready for %d s", limit, ready)
	h.edit(func(d *appsv1.Deployment) {
		d.Spec.RevisionHistoryLimit = &limit
		if !h.calm {
			d.Spec.MinReadySeconds = ready
		}
	})
}

func (h *chronicle) pauseOrResume() {
	h.edit(func(d *appsv1.Deployment) {
		d.Spec.Paused = !d.Spec.Paused
		h.sayf("paused %t", d.Spec.Paused)
	})
}

func (h *chronicle) undo() {
	to := int64(h.rand.IntN(2) * h.rand.IntN(6))
	said, err := rollingupdate.Undo(h.ctx(), h.c.Store, kubetest.Named("web"), to)
	h.sayf("undo to %d: %s, %v", to, said, err)
}

func (h *chronicle) annotate() {
	cause := fmt.Sprint("because of ", h.rand.IntN(100))
	h.sayf("noted %s", cause)
	h.edit(func(d *appsv1.Deployment) {
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, rollingupdate.ChangeCauseAnnotation, cause)
	})
}

func (h *chronicle) restartPods() {
	err := rollingupdate.Restart(h.ctx(), h.c.Store, kubetest.Named("web"))
	h.sayf("restart: %v", err)
}

func (h *chronicle) timePasses() {
	d := []time.Duration{5 * time.Second, 20 * time.Second, 70 * time.Second, 11 * time.Minute}[h.rand.IntN(4)]
	h.sayf("%s pass", d)
	h.acting = false
	h.c.Advance(d)
}

func (h *chronicle) crash() {
	if h.c.Crashed() {
		return
	}
	when := []kubetest.When{kubetest.Before, kubetest.After}[h.rand.IntN(2)]
	n := 1 + h.rand.IntN(12)
	h.sayf("will crash %s write %d from here", when, n)
	h.c.Client.CrashAtWrite(h.c.Client.Writes()+n, when)
}

func (h *chronicle) loseEvents() {
	switch h.rand.IntN(3) {
	case 0:
		h.sayf("all connections break")
		h.c.Client.BreakWatches(io.ErrUnexpectedEOF)
	case 1:
		h.sayf("all events are forgotten")
		h.c.Client.BreakWatches(apierrors.NewResourceExpired("too old resource version"))
	case 2:
		n := 1 + h.rand.IntN(10)
		h.sayf("nobody will hear of event %d from here", n)
		h.c.LoseNotification(h.c.Notifications() + n)
	}
}

// failCalls makes some calls of one verb fail.
func (h *chronicle) failCalls() {
	verb := []string{"create", "update", "update status", "delete"}[h.rand.IntN(4)]
	after, n := h.rand.IntN(4), 1+h.rand.IntN(3)
	h.sayf("after %d calls to %s %d fail", after, verb, n)
	calls := make(chan int, 1)
	calls <- 0
	h.c.Client.Fail(func(call kubetest.Call) error {
		if call.Verb != verb {
			return nil
		}
		count := <-calls
		calls <- count + 1
		if count < after || count >= after+n {
			return nil
		}
		if verb == "update" {
			return apierrors.NewConflict(schema.GroupResource{Resource: call.Kind.Kind}, call.Key.Name, errors.New("changed"))
		}
		return apierrors.NewInternalError(errors.New("etcdserver: leader changed"))
	})
}

// holdCaches lets the events of one kind wait, or come at last.
func (h *chronicle) holdCaches() {
	if !h.late {
		return
	}
	kind := []schema.GroupVersionKind{
		deployment.DeploymentKind, deployment.ReplicaSetKind, controlloop.PodKind,
	}[h.rand.IntN(3)]
	h.held[kind] = !h.held[kind]
	if kind == controlloop.PodKind {
		h.since = time.Now()
	}
	h.sayf("events of a %s wait: %t", kind.Kind, h.held[kind])
}

// longHeld reports whether a controller may have given up on waiting for an
// event about a Pod: after five minutes it does.
func (h *chronicle) longHeld() bool {
	return h.late && !h.since.IsZero() && time.Since(h.since) > 4*time.Minute
}

// podsOfWeb returns the Deployment's Pods, the oldest first.
func (h *chronicle) podsOfWeb() []*corev1.Pod {
	pods := slices.DeleteFunc(h.c.Pods(), func(p *corev1.Pod) bool {
		return h.firm[p.UID]
	})
	return pods
}
