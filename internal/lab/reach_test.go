package lab_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/lab"
)

// people returns an image that asks the Service that its argument names twenty
// times a second, until it is told to end.
func people(answers *rollingupdate.Answers) simulated.Image {
	return simulated.Image{Program: func(
		ctx context.Context, p *simulated.Process,
	) int {
		load := rollingupdate.Load{URL: p.Args[1], Dial: p.Dial, Rate: 20}
		*answers = load.Run(ctx)
		return 0
	}}
}

// website returns a Deployment of three Pods that are ready when they answer,
// and their Service.
func website(change func(*appsv1.Deployment)) (*appsv1.Deployment, *corev1.Service) {
	labels := map[string]string{"app": "web"}
	template := pod("", "").Spec
	template.Containers[0].Image = "web:v1"
	template.Containers[0].ReadinessProbe = &corev1.Probe{
		PeriodSeconds: 1,
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: "/ready", Port: intstr.FromInt32(80)}},
	}
	web := metav1.ObjectMeta{Namespace: "default", Name: "web"}
	d := &appsv1.Deployment{ObjectMeta: web, Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(3)),
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: template},
	}}
	change(d)
	return d, &corev1.Service{ObjectMeta: web, Spec: corev1.ServiceSpec{
		Selector: labels, Ports: []corev1.ServicePort{{Port: 80}}}}
}

// Chapter 3 measures what an update loses by asking its proxy. Here a Pod asks
// the Service's address.
func TestAPodThatWatchesAnUpdateLosesWhatChapter3Says(t *testing.T) {
	text, err := os.ReadFile("../../chapters/03-rolling-update/testdata/lost.json")
	require.NoError(t, err)
	var want map[string]struct{ Asked, Lost int }
	require.NoError(t, json.Unmarshal(text, &want))
	for name, how := range map[string]struct {
		change func(*appsv1.Deployment)
		linger time.Duration
	}{
		"recreate": {func(d *appsv1.Deployment) {
			d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
		}, 0},
		"no-probe": {func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Containers[0].ReadinessProbe = nil
		}, 0},
		"probe":    {func(*appsv1.Deployment) {}, 0},
		"graceful": {func(*appsv1.Deployment) {}, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			var answers rollingupdate.Answers
			running(t, lab.Options{Nodes: 2}, func(f fixture) {
				server := rollingupdate.Web{ // up before it is probed, not just then
					WarmUp: 2990 * time.Millisecond, Work: 15 * time.Millisecond,
					Linger: how.linger,
				}
				for _, image := range []string{"web:v1", "web:v2"} {
					f.Machines.SetImage(image, simulated.Image{Program: server.Serve})
				}
				f.Machines.SetImage("people", people(&answers))
				d, s := website(how.change)
				f.create(d)
				s = f.create(s).(*corev1.Service)
				time.Sleep(10 * time.Second)
				ada := pod("default", "ada")
				ada.Spec.Containers[0].Image = "people"
				ada.Spec.Containers[0].Args = []string{"http://" + s.Spec.ClusterIP + "/"}
				f.create(ada)
				time.Sleep(5 * time.Second)

				d = f.get(deployment.DeploymentKind, "web").(*appsv1.Deployment)
				d.Spec.Template.Spec.Containers[0].Image = "web:v2"
				f.update(d)
				time.Sleep(25 * time.Second)
				f.delete(controlloop.PodKind, "default", "ada")
				time.Sleep(2 * time.Second)
			})
			assert.Len(t, answers, want[name].Asked)
			if name == "probe" {
				// Whose turn it is when a Pod goes differs from run to run.
				assert.InDelta(t, want[name].Lost, answers.Lost(), 3)
				return
			}
			assert.Equal(t, want[name].Lost, answers.Lost())
		})
	}
}

// get returns an object of the default namespace, to be changed.
func (f fixture) get(kind schema.GroupVersionKind, name string) controlloop.Object {
	f.t.Helper()
	obj, err := f.Store.Get(f.t.Context(), kind,
		controlloop.Key{Namespace: "default", Name: name})
	require.NoError(f.t, err)
	return controlloop.Copy(obj)
}
