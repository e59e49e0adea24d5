package controlloop_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// webRC returns a ReplicationController of so many nginx Pods.
func webRC(replicas int32) *corev1.ReplicationController {
	template := nginxPod("")
	template.Labels = map[string]string{"app": "nginx"}
	return &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec: corev1.ReplicationControllerSpec{
			Replicas: &replicas,
			Template: &corev1.PodTemplateSpec{
				ObjectMeta: template.ObjectMeta, Spec: template.Spec,
			},
		},
	}
}

// pathStep and lane are the input of a figure of the kind "path".
type pathStep struct {
	At      int64  `json:"at"`
	Lane    string `json:"lane"`
	Action  string `json:"action"`
	Object  string `json:"object,omitempty"`
	Version string `json:"version,omitempty"`
}

type lane struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// One Pod of three is deleted. This is all that happens until there are three
// again, and nothing is left to do.
func TestRunOfOneEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var steps []pathStep
		trace := func(s controlloop.Step) {
			object := s.Key.Name
			if s.Kind.Kind != "" {
				object = s.Kind.Kind + " " + object
			}
			steps = append(steps, pathStep{
				int64(s.At.Sub(start)), s.Lane, s.Action, object, s.Version,
			})
		}
		store := newStore(controlloop.WithTrace(trace))
		system := &controlloop.System{Client: store, Trace: trace}
		controlloop.NewReplication(system)
		mustCreate(t, store, webRC(3))
		settle(t, system)

		steps, start = nil, time.Now()
		pods, err := store.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
		require.NoError(t, err)
		require.NoError(t, store.Delete(t.Context(), controlloop.PodKind,
			controlloop.KeyOf(pods.Items[1]), metav1.DeleteOptions{}))
		settle(t, system)
		kubetest.RecordedJSON(t, "event-path.json", map[string]any{
			"title": "One Pod of three is deleted",
			"lanes": []lane{
				{"store", "store"}, {"reflector", "reflector"}, {"fifo", "fifo"},
				{"cache", "cache"}, {"replication queue", "queue"}, {"replication", "worker"},
			},
			"steps": steps,
		})
	})
}

// settle steps a system until no key waits.
func settle(t *testing.T, s *controlloop.System) {
	t.Helper()
	for more := true; more; {
		var err error
		more, err = s.Step(t.Context(), controlloop.InOrder)
		require.NoError(t, err)
	}
}

// crash is a Program that works for three seconds and then fails.
