package lab_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/lab"
)

func TestACordonedNodeTakesNoPods(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		node := f.node("node-1")
		node.Spec.Unschedulable = true
		f.update(node)
		f.create(pod("default", "web"))
		assert.Empty(f.t, f.pods("default")[0].Spec.NodeName)

		node = f.node("node-1")
		node.Spec.Unschedulable = false
		f.update(node)
		assert.Equal(f.t, "node-1", f.pods("default")[0].Spec.NodeName,
			"what waited is taken when the node is open again")
	})
}

func TestATaintKeepsAwayWhoDoesNotTolerateIt(t *testing.T) {
	dedicated := corev1.Taint{
		Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule,
	}
	preferred := dedicated
	preferred.Effect = corev1.TaintEffectPreferNoSchedule
	for _, c := range []struct {
		name       string
		taint      corev1.Taint
		toleration corev1.Toleration
		selector   map[string]string
		placed     bool
	}{
		{"without a toleration", dedicated, corev1.Toleration{}, nil, false},
		{"only preferred", preferred, corev1.Toleration{}, nil, true},
		{"equal", dedicated, corev1.Toleration{Key: "dedicated", Value: "db"}, nil, true},
		{"another value", dedicated, corev1.Toleration{Key: "dedicated", Value: "web"}, nil, false},
		{"another key", dedicated, corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists}, nil, false},
		{"another effect", dedicated, corev1.Toleration{Key: "dedicated", Value: "db",
			Effect: corev1.TaintEffectNoExecute}, nil, false},
		{"the key exists", dedicated, corev1.Toleration{Key: "dedicated",
			Operator: corev1.TolerationOpExists}, nil, true},
		{"everything", dedicated, corev1.Toleration{Operator: corev1.TolerationOpExists}, nil, true},
		{"a label that it has", preferred, corev1.Toleration{},
			map[string]string{corev1.LabelHostname: "node-1"}, true},
		{"a label that it has not", preferred, corev1.Toleration{},
			map[string]string{"disk": "ssd"}, false},
	} {
		running(t, lab.Options{Nodes: 1}, func(f fixture) {
			node := f.node("node-1")
			node.Spec.Taints = []corev1.Taint{c.taint}
			f.update(node)
			p := pod("default", "web")
			if c.toleration != (corev1.Toleration{}) {
				p.Spec.Tolerations = []corev1.Toleration{c.toleration}
			}
			p.Spec.NodeSelector = c.selector
			f.create(p)
			assert.Equal(f.t, c.placed, f.pods("default")[0].Spec.NodeName != "", c.name)
		})
	}
}
