package deployment_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// ladder counts the writes and looks that bring up a Deployment of three.
type ladder struct {
	Looks  map[string]int `json:"looks"` // by controller, for ten seconds
	Writes map[string]int `json:"writes"`
	Idle   struct {
		Looks  int `json:"looks"` // in the hour after
		Writes int `json:"writes"`
	} `json:"idle"`
}

// rung is a write on the way down and up, as figures/ladder.svg has it.
type rung struct {
	At   time.Duration `json:"at"`
	Who  string        `json:"who"`
	Kind string        `json:"kind"`
	Says string        `json:"says"`
	// Available counts the Pods of which a Deployment or a ReplicaSet says so.
	Available *int32 `json:"available,omitempty"`
}

func newRung(w kubetest.Write, who, kind string) rung {
	r := rung{At: w.At, Who: who, Kind: kind, Says: says(w)}
	switch obj := w.Object.(type) {
	case *appsv1.Deployment:
		r.Available = &obj.Status.AvailableReplicas
	case *appsv1.ReplicaSet:
		r.Available = &obj.Status.AvailableReplicas
	}
	return r
}

// says returns what a write has changed, in a few words.
func says(w kubetest.Write) string {
	switch obj := w.Object.(type) {
	case *appsv1.Deployment:
		if w.Old == nil {
			return fmt.Sprintf("wants %d", *obj.Spec.Replicas)
		}
		s := obj.Status
		return fmt.Sprintf("there %d, ready %d, available %d",
			s.Replicas, s.ReadyReplicas, s.AvailableReplicas)
	case *appsv1.ReplicaSet:
		if w.Old == nil {
			return fmt.Sprintf("wants %d", *obj.Spec.Replicas)
		}
		return fmt.Sprintf("there %d, ready %d, available %d",
			obj.Status.Replicas, obj.Status.ReadyReplicas, obj.Status.AvailableReplicas)
	case *corev1.Pod:
		if obj.Spec.NodeName == "" {
			return "created"
		}
		if w.Old != nil && w.Old.(*corev1.Pod).Spec.NodeName == "" {
			return "bound to " + obj.Spec.NodeName
		}
		if kubetest.Ready(obj) {
			return "Ready"
		}
		return string(obj.Status.Phase)
	}
	return ""
}

// Every write between one object and five that do their work, and the
// controller that made it.
func TestRunOfTheLadder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kinds := controlloop.CoreKinds().With(deployment.Kinds()...)
		who, log := "you", &bytes.Buffer{}
		count := ladder{Looks: map[string]int{}, Writes: map[string]int{}}
		total := 0
		var climb []rung
		c := kubetest.New(t, kubetest.Setup{
			Kinds: kinds, Nodes: 1, DetectMutations: true,
			Controllers: []kubetest.Controller{
				deployment.NewReplicaSets, deployment.NewDeployments,
			},
			Trace: func(s controlloop.Step) {
				if s.Action == "reconcile" {
					who = s.Lane
					count.Looks[s.Lane]++
					total++
				}
			},
			Invariants: []kubetest.Invariant{func(w kubetest.Write, _ []kubetest.Write) error {
				kind := w.Object.GetObjectKind().GroupVersionKind().Kind
				count.Writes[kind]++
				climb = append(climb, newRung(w, who, kind))
				name := strings.TrimPrefix(w.Object.GetName(), "nginx-deployment-")
				fmt.Fprintf(log, "%3s  %-17s %-10s %-17s %s\n",
					w.At, who, kind, name, says(w))
				return nil
			}},
		})
		data, err := os.ReadFile("manifests/nginx-deployment.yaml")
		require.NoError(t, err)
		kubetest.Create(c, kubetest.Objects(t, kinds, string(data))[0])
		c.Advance(10 * time.Second)
		kubetest.Recorded(t, "ladder.txt", log.Bytes())
		kubetest.RecordedJSON(t, "climb.json", map[string]any{"writes": climb})

		before := total
		writes := c.Client.Writes()
		looks := map[string]int{}
		for lane, n := range count.Looks {
			looks[lane] = n
		}
		c.Advance(time.Hour)
		count.Looks = looks
		count.Idle.Looks, count.Idle.Writes = total-before, c.Client.Writes()-writes
		kubetest.RecordedJSON(t, "ladder.json", count)
	})
}
