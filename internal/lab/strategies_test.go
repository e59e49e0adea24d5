package lab_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/lab"
)

func TestDeploymentsRollByTheStrategyThatWasChosen(t *testing.T) {
	for strategy, old := range map[string]int{"": 0, "rolling": 0, "canary": 3, "swap": 0} {
		running(t, lab.Options{Nodes: 1, Choices: lab.Choices{Strategy: strategy}}, func(f fixture) {
			labels := map[string]string{"app": "web"}
			d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
			d.Spec.Replicas = new(int32(3))
			d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
			d.Spec.Template.Labels, d.Spec.Template.Spec = labels, pod("", "").Spec
			f.create(d)
			time.Sleep(10 * time.Second)
			stored, err := f.Store.Get(f.t.Context(), deployment.DeploymentKind, controlloop.KeyOf(d))
			require.NoError(f.t, err)
			next := controlloop.Copy(stored.(*appsv1.Deployment))
			next.Spec.Template.Spec.Containers[0].Image = "nginx:1.28"
			f.update(next)
			time.Sleep(time.Minute)
			kept := 0
			for _, p := range f.pods("default") {
				if p.Spec.Containers[0].Image == "nginx:1.27" {
					kept++
				}
			}
			assert.Equal(f.t, old, kept, "strategy %q", strategy)
		})
	}
	_, err := lab.New(lab.Options{Choices: lab.Choices{Strategy: "blue"}})
	assert.EqualError(t, err, `there is no strategy "blue"; there are canary, rolling, swap`)
}
