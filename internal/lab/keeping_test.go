package lab_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
)

func TestPodsOfASetKeepWhatWasChosen(t *testing.T) {
	for keep, node := range map[string]string{"": "node-2", "disk": "node-2", "name": "node-2", "node": "node-1"} {
		running(t, lab.Options{Nodes: 2, Choices: lab.Choices{Keep: keep}}, func(f fixture) {
			labels := map[string]string{"app": "web"}
			set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
			set.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
			set.Spec.Template.Labels, set.Spec.Template.Spec = labels, pod("", "").Spec
			f.create(set)
			time.Sleep(10 * time.Second)
			require.Equal(f.t, "node-1", f.pods("default")[0].Spec.NodeName)
			for _, name := range []string{"one", "two"} { // now node-2 is the emptier one
				other := pod("default", name)
				other.Spec.NodeName = "node-1"
				f.create(other)
			}
			f.delete(controlloop.PodKind, "default", "web-0")
			time.Sleep(time.Minute)
			assert.Equal(f.t, node, f.pods("default")[2].Spec.NodeName, "it keeps its %q", keep)
		})
	}
	_, err := lab.New(lab.Options{Choices: lab.Choices{Keep: "head"}})
	assert.EqualError(t, err, `a Pod can keep no "head"; it can keep its disk or its name or its node`)
}
