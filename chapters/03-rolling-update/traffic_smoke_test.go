package rollingupdate_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestSmokeTraffic(t *testing.T) {
	for _, sc := range []struct {
		name   string
		typ    appsv1.DeploymentStrategyType
		probe  bool
		linger time.Duration
	}{{"recreate", "Recreate", true, 0}, {"a", "RollingUpdate", false, 0}, {"b", "RollingUpdate", true, 0}, {"c", "RollingUpdate", true, 5 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			web := rollingupdate.Web{WarmUp: 3 * time.Second, Work: 20 * time.Millisecond, Linger: sc.linger}
			proxy := &rollingupdate.Proxy{Network: rollingupdate.Network{}, Delay: 500 * time.Millisecond, Choose: rollingupdate.InTurn()}
			c := kubetest.New(t, kubetest.Setup{
				Kinds:       controlloop.CoreKinds().With(deployment.Kinds()...).With(rollingupdate.Kinds()...),
				Controllers: []kubetest.Controller{rollingupdate.NewDeployments, deployment.NewReplicaSets, rollingupdate.NewEndpoints, func(s *controlloop.System) *controlloop.Controller { return rollingupdate.NewProxy(s, proxy) }},
				Nodes:       2, DetectMutations: true,
				Images: controlloop.Images{"web:v1": web.Serve, "web:v2": web.Serve},
			})
			for _, n := range c.Nodes {
				proxy.Network[n.Name] = n.Runtime
			}
			n := int32(3)
			cont := kubetest.Container("web", "web:v1")
			if sc.probe {
				cont.ReadinessProbe = kubetest.HTTPGet("/", intstr.FromInt32(80))
				cont.ReadinessProbe.PeriodSeconds = 1
			}
			pod := kubetest.Pod("web", cont)
			d := kubetest.Create(c, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{Replicas: &n,
				Strategy: appsv1.DeploymentStrategy{Type: sc.typ},
				Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec}}})
			svc := kubetest.Create(c, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.ServiceSpec{Selector: pod.Labels, Ports: []corev1.ServicePort{{Port: 80}}}})
			c.Advance(10 * time.Second)
			load := &rollingupdate.Load{URL: "http://" + svc.Spec.ClusterIP + "/", Dial: proxy.DialContext, Rate: 50}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan rollingupdate.Answers)
			time.Sleep(time.Millisecond)
			go func() { done <- load.Run(ctx) }()
			c.Advance(5 * time.Second)
			kubetest.Edit(c, d, func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "web:v2" })
			c.Advance(55 * time.Second)
			cancel()
			answers := <-done
			errs := map[string]int{}
			for _, a := range answers {
				if a.Err != nil {
					errs[a.Err.Error()]++
				}
			}
			t.Log(sc.name, answers.ByVersion(), errs)
		})
	}
}
