package statefulset_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/kubetest"
)

// A set of five is scaled to three while web-1 is not ready: what next decides
// at four moments, as figures/walk.svg has it.
func TestRunOfABadMorning(t *testing.T) {
	type moment struct {
		Pods []string `json:"pods"`
		Does string   `json:"does"`
	}
	states := map[string]func(*corev1.Pod){
		"ready": func(*corev1.Pod) {}, "not ready": notReady, "ending": going,
	}
	var moments []moment
	for _, pods := range [][]string{
		{"ready", "not ready", "ready", "ready", "ready"},
		{"ready", "ready", "ready", "ready", "ready"},
		{"ready", "ready", "ready", "ready", "ending"},
		{"ready", "ready", "ready", "ready"},
	} {
		var all []*corev1.Pod
		for ordinal, state := range pods {
			all = append(all, pod(fmt.Sprintf("web-%d", ordinal), states[state]))
		}
		does := "nothing"
		if steps, _ := statefulset.Next(web(3), all...); len(steps) > 0 {
			does = steps[0]
		}
		moments = append(moments, moment{pods, does})
	}
	kubetest.RecordedJSON(t, "walk.json", map[string]any{"moments": moments})
}
