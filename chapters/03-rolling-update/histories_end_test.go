package rollingupdate_test

import (
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// end lets all calm down: broken parts work again, the template is one that
// can, nothing is paused, and Pods become ready. Then the Deployment completes,
// and after that nothing is written any more.
func (h *chronicle) end() {
	h.sayf("all calm down")
	clear(h.held)
	h.c.LoseNotification(0)
	h.c.Client.Repair()
	if h.c.Crashed() {
		h.c.Restart()
	}
	h.act(func() {
		h.edit(func(d *appsv1.Deployment) {
			d.Spec.Paused = false
			image := d.Spec.Template.Spec.Containers[0].Image
			if strings.HasSuffix(image, ":missing") || strings.HasSuffix(image, ":hangs") {
				d.Spec.Template.Spec.Containers[0].Image = "web:v1"
			}
		})
	})
	h.remind()
	h.everyoneReady()
	if h.late { // an expectation of a Pod that no cache ever saw lasts 5 minutes
		h.c.Advance(6 * time.Minute)
		h.everyoneReady()
	}
	h.complete()
	if h.t.Failed() {
		return
	}
	h.quiet("when all are reminded", h.remind)
	h.quiet("after a restart", h.c.Restart)
}

// remind makes all controllers look at everything again: one that has missed an
// event hears of it now.
func (h *chronicle) remind() {
	for _, kind := range []schema.GroupVersionKind{
		deployment.DeploymentKind, deployment.ReplicaSetKind, controlloop.PodKind,
	} {
		h.c.System.Informer(kind, controlloop.ListOptions{}).Resync()
	}
	h.c.Advance(time.Second)
}

// complete asserts that the Deployment is as it was wanted last.
func (h *chronicle) complete() {
	t, d := h.t, get(h.c, "web")
	want := *d.Spec.Replicas
	all := slices.DeleteFunc(sets(h.c), func(rs *appsv1.ReplicaSet) bool { return h.firm[rs.UID] })
	assert.True(t, deployment.Complete(d, &d.Status), "seed %d: not complete: %+v", h.seed, d.Status)
	assert.Contains(t, says(d, appsv1.DeploymentProgressing), "True NewReplicaSetAvailable: ", "seed %d", h.seed)
	assert.Contains(t, says(d, appsv1.DeploymentAvailable), "True MinimumReplicasAvailable: ", "seed %d", h.seed)
	numbers := map[int]bool{}
	for _, rs := range all {
		numbers[revisionOf(rs)] = true
		if !templatesMatch(rs.Spec.Template, d.Spec.Template) {
			assert.Zero(t, sizeOf(rs), "seed %d: an old ReplicaSet has Pods", h.seed)
			continue
		}
		assert.Equal(t, want, sizeOf(rs), "seed %d", h.seed)
		assert.Equal(t, revision(d), revision(rs), "seed %d", h.seed)
		for _, other := range all {
			assert.True(t, other == rs || revisionOf(other) < revisionOf(rs), "seed %d: the current has the highest number", h.seed)
		}
	}
	if !h.late { // a controller that does not see the last revision gives its number again, to another that gets old
		assert.Len(t, numbers, len(all), "seed %d: two ReplicaSets have one revision", h.seed)
	}
	assert.LessOrEqual(t, len(all)-1, int(*d.Spec.RevisionHistoryLimit), "seed %d: history is cleaned", h.seed)
}

// quiet asserts that for ten minutes nothing is written.
func (h *chronicle) quiet(when string, first func()) {
	before, tries := len(h.c.Writes()), h.c.Client.Writes()
	first()
	h.c.Advance(10 * time.Minute)
	for _, w := range h.c.Writes()[before:] {
		h.t.Errorf("seed %d: nothing happens, and %s there is a write: %s", h.seed, when, w)
	}
	assert.Equal(h.t, tries, h.c.Client.Writes(), "seed %d: %s writes are tried", h.seed, when)
}
