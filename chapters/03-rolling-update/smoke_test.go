package rollingupdate_test

import (
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

func TestSmoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, kubetest.Setup{
			Kinds:       controlloop.CoreKinds().With(deployment.Kinds()...).With(rollingupdate.Kinds()...),
			Controllers: []kubetest.Controller{rollingupdate.NewDeployments, deployment.NewReplicaSets},
			Nodes:       1, DetectMutations: true,
			Images: controlloop.Images{"nginx:1.28": controlloop.Nginx},
		})
		n := int32(3)
		pod := kubetest.Pod("web")
		d := kubetest.Create(c, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{Replicas: &n,
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec}}})
		c.Advance(10 * time.Second)
		kubetest.Edit(c, d, func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "nginx:1.28" })
		c.Advance(10 * time.Second)
		msg, err := rollingupdate.Undo(t.Context(), c.Store, kubetest.Named("web"), 0)
		t.Log(msg, err)
		c.Advance(10 * time.Second)
		kubetest.Edit(c, d, func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "nginx:bad" })
		c.Advance(700 * time.Second)
		for _, e := range c.Events() {
			t.Log(e)
		}
		d = kubetest.Get(c, d)
		t.Logf("%+v", d.Status)
		for _, rs := range kubetest.All[*appsv1.ReplicaSet](c, deployment.ReplicaSetKind) {
			t.Log(rs.Name, rs.Annotations, *rs.Spec.Replicas)
		}
	})
}
