package daemonset_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// lookedAt is what a controller has looked at because of an event, as
// figures/looks.svg has it.
type lookedAt struct {
	Read  int   `json:"read"`  // how many nodes, a node at each look
	Nodes []int `json:"nodes"` // which
}

// Four events among five nodes, and which of them each of the two ways looks at.
func TestRunOfLooksAtNodes(t *testing.T) {
	type event struct {
		At   string              `json:"at"`
		Ways map[string]lookedAt `json:"ways"`
	}
	events := []event{{At: "n2"}, {At: "n3"}, {At: "n4"}, {At: "the set"}}
	for _, way := range ways {
		f := newFleet(t, 5, way.by)
		f.create(logs(onDelete))
		f.live()
		f.judge(5)
		counted := daemonset.Count(f.daemons)
		for i, strike := range []func(){
			func() { f.beat("n2") },
			func() { f.relabel("n3", "yes") },
			func() { f.unready("n4") },
			f.edit,
		} {
			counted.Nodes = 0
			clear(counted.Names)
			strike()
			f.settle()
			saw := lookedAt{Read: counted.Nodes, Nodes: []int{}}
			for name := range counted.Names {
				n, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
				require.NoError(t, err)
				saw.Nodes = append(saw.Nodes, n)
			}
			slices.Sort(saw.Nodes)
			if events[i].Ways == nil {
				events[i].Ways = map[string]lookedAt{}
			}
			events[i].Ways[way.name] = saw
		}
	}
	kubetest.RecordedJSON(t, "looks.json", map[string]any{"events": events})
}

// beat has a node say nothing but that it is there.
func (f *fleet) beat(name string) {
	node := host(name)
	node.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now(),
	}}
	if _, err := f.store.UpdateStatus(f.b.Context(), node); err != nil {
		f.b.Fatal(err)
	}
}

// unready has a node say of its Pod that it is not ready any more.
func (f *fleet) unready(node string) {
	pods, err := f.store.List(f.b.Context(), controlloop.PodKind, controlloop.ListOptions{})
	if err != nil {
		f.b.Fatal(err)
	}
	for _, obj := range pods.Items {
		if pod := controlloop.Copy(obj.(*corev1.Pod)); pod.Spec.NodeName == node {
			pod.ResourceVersion, pod.Status.Conditions[0].Status = "", corev1.ConditionFalse
			if _, err := f.store.UpdateStatus(f.b.Context(), pod); err != nil {
				f.b.Fatal(err)
			}
		}
	}
}
