// Package chapter03 has the sliders of chapter 3.
package chapter03

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/cmd/bookgen/internal/slider"
	"reconcile/internal/kubetest"
)

// Sliders are those of the chapter.
var Sliders = []slider.Slider{fourWays}

var parts = []string{"0", "1", "2", "3", "4", "25%", "50%", "100%"}

// fourWays is an update of some Pods within the bounds that a reader sets, and
// killed at the moment that they choose.
var fourWays = slider.Slider{
	Name: "four-ways",
	Inputs: []slider.Input{
		{Name: "surge", Label: "maxSurge", Kind: "choice", Options: parts, Default: "1"},
		{Name: "unavailable", Label: "maxUnavailable", Kind: "choice", Options: parts, Default: "0"},
		{Name: "replicas", Label: "replicas", Kind: "range", Min: 1, Max: 12, Default: "4"},
		{Name: "broken", Label: "the new image is broken", Kind: "check"},
		{Name: "killed", Label: "kill all loops after write", Kind: "range", Min: 0, Max: 60, Default: "0"},
	},
	Never: map[string]string{"surge": "0", "unavailable": "0"},
	Draw: func(t *testing.T, values map[string]string) (string, error) {
		run, err := cross(t, values)
		if err != nil {
			return "", err
		}
		last := run.Counts[len(run.Counts)-1]
		return slider.Figure("lanes", "four-ways", run, fmt.Sprintf(
			"%d lanes, one for each Pod of an update with %s. Pods at the end: %d, available: %d.",
			len(run.Pods), run.Title, last.There, last.Available))
	},
}

// shown is how long a figure lasts at least: as long as those of the page.
const shown = 25 * time.Second

// cross updates a Deployment of Pods that need five seconds to come up and two to
// end. An image that is broken cannot be pulled.
func cross(t *testing.T, values map[string]string) (run *kubetest.Lanes, err error) {
	replicas, err := strconv.Atoi(values["replicas"])
	if err != nil {
		return nil, err
	}
	killed, err := strconv.Atoi(values["killed"])
	if err != nil {
		return nil, err
	}
	images := simulated.Images{"web:v1": serve}
	if values["broken"] == "" {
		images["web:v2"] = serve
	}
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, kubetest.Setup{
			Kinds: controlloop.CoreKinds().With(deployment.Kinds()...).With(rollingupdate.Kinds()...),
			Controllers: []kubetest.Controller{
				rollingupdate.NewDeployments, deployment.NewReplicaSets,
			},
			Nodes: 2, Images: images,
		})
		d := deploymentOf(int32(replicas), values["surge"], values["unavailable"])
		if _, err = c.Store.Create(t.Context(), d); err != nil {
			return
		}
		c.Advance(10 * time.Second)
		before := len(c.Writes())
		kubetest.Edit(c, d, func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "web:v2" })
		if killed > 0 {
			c.Client.CrashAtWrite(c.Client.Writes()+killed, kubetest.After)
		}
		advance(c, shown)
		for crossing := 0; crossing < replicas && values["broken"] == "" && !across(c, replicas); crossing++ {
			advance(c, 7*time.Second) // one Pod after the other
		}
		run = lanesWithin(d)
		most := run.Most
		if killed > 0 { // a Pod that nobody is there to delete stands above the bound until then
			run.Most = 2 * most
		}
		err = run.Add(c.Writes(), before)
		run.Most = most
	})
	if err == nil {
		run.Until = max(shown, run.Counts[len(run.Counts)-1].At+3*time.Second)
	}
	return run, err
}

// advance lets time pass. Loops that were killed are gone for three seconds of it.
func advance(c *kubetest.Cluster, by time.Duration) {
	for range by / time.Second {
		c.Advance(time.Second)
		if c.Crashed() {
			c.Advance(3 * time.Second)
			c.Restart()
		}
	}
}

// serve is a program that is ready when it has warmed up, and lingers when it is told
// to end. What asks whether it is ready is a command, where the page's asks a web
// server: a probe over HTTP costs a page far more than all else here.
func serve(ctx context.Context, p *simulated.Process) int {
	select {
	case <-time.After(4500 * time.Millisecond):
	case <-ctx.Done():
		return 143 // 128 + SIGTERM
	}
	p.HandleExec(func(context.Context, *simulated.Process) int { return 0 })
	<-ctx.Done()
	select {
	case <-time.After(2 * time.Second):
	case <-p.Killed():
	}
	return 0
}

// across reports whether an update is over: only Pods of the new version are there,
// and ready.
func across(c *kubetest.Cluster, replicas int) bool {
	pods := c.Pods()
	for _, pod := range pods {
		if pod.Spec.Containers[0].Image != "web:v2" || !kubetest.Ready(pod) {
			return false
		}
	}
	return len(pods) == replicas
}

// lanesWithin returns lanes without Pods, between the bounds of a Deployment.
func lanesWithin(d *appsv1.Deployment) *kubetest.Lanes {
	replicas := int(*d.Spec.Replicas)
	rolling := d.Spec.Strategy.RollingUpdate
	// Neither errs: what is no share was refused when it was created.
	surge, _ := intstr.GetScaledValueFromIntOrPercent(rolling.MaxSurge, replicas, true)
	unavailable, _ := intstr.GetScaledValueFromIntOrPercent(rolling.MaxUnavailable, replicas, false)
	if surge+unavailable == 0 {
		unavailable = 1
	}
	return &kubetest.Lanes{
		Title:    fmt.Sprintf("maxSurge %s, maxUnavailable %s", rolling.MaxSurge, rolling.MaxUnavailable),
		Replicas: replicas, Most: replicas + surge, Least: max(0, replicas-unavailable),
		Counts: []kubetest.Tally{{There: replicas, Available: replicas}},
	}
}

func deploymentOf(replicas int32, surge, unavailable string) *appsv1.Deployment {
	container := kubetest.Container("web", "web:v1")
	container.ReadinessProbe = kubetest.Exec("ready")
	container.ReadinessProbe.PeriodSeconds = 1
	pod := kubetest.Pod("web", container)
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: metav1.NamespaceDefault},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Template: template,
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxSurge: new(intstr.Parse(surge)), MaxUnavailable: new(intstr.Parse(unavailable)),
				},
			},
		},
	}
}
