// Package greeting is a controller of one's own for a kind of one's own: each
// ConfigMap with the label kind: Greeting has a Deployment that says its text.
package greeting

import (
	"context"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// These are the words of a Greeting, and of what is made of it.
const (
	KindLabel      = "kind"     // of the ConfigMap: "Greeting"
	NameLabel      = "greeting" // of the Deployment and its Pods: the ConfigMap's name
	TextAnnotation = "greeting.example/text"
	Container      = "greeting"
	Image          = "nginx:1.27"
)

// ConfigMapKind is the kind that Greetings are of.
var ConfigMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")

// Greetings has a Deployment for each Greeting, of its name.
type Greetings struct {
	Client      controlloop.Client
	ConfigMaps  *controlloop.Indexer
	Deployments *controlloop.Indexer
	Recorder    controlloop.Recorder
}

// New makes the controller part of a system. A Deployment concerns the ConfigMap
// of its name, whosever it is.
func New(s *controlloop.System) *controlloop.Controller {
	configMaps := s.Informer(ConfigMapKind, controlloop.ListOptions{})
	deployments := s.Informer(deployment.DeploymentKind, controlloop.ListOptions{})
	c := controlloop.NewController("greeting", &Greetings{
		Client: s.Client, ConfigMaps: configMaps.Cache, Deployments: deployments.Cache,
		Recorder: s.RecorderFor("greeting-controller", ""),
	})
	s.Add(c)
	c.Watch(configMaps, controlloop.Self)
	c.Watch(deployments, controlloop.Self)
	return c
}

// selector selects the Deployments that a ConfigMap may have: those that say so,
// as long as it is a Greeting.
func selector(cm *corev1.ConfigMap) labels.Selector {
	if cm.Labels[KindLabel] != "Greeting" {
		return labels.Nothing()
	}
	return labels.SelectorFromSet(labels.Set{NameLabel: cm.Name})
}

// begun returns a Deployment that a ConfigMap owns, and that says nothing yet.
func begun(cm *corev1.ConfigMap) *appsv1.Deployment {
	says := map[string]string{NameLabel: cm.Name}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: cm.Namespace, Name: cm.Name, Labels: says,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(cm, ConfigMapKind)},
	}}
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: says}
	d.Spec.Template.Labels = says
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: Container, Image: Image}}
	return d
}

// Reconcile implements controlloop.Reconciler.
//
//book:exercise 7m
func (g *Greetings) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := g.ConfigMaps.Get(key)
	if !ok || obj.GetDeletionTimestamp() != nil {
		return controlloop.Result{}, nil // the rest is the collector's
	}
	cm := obj.(*corev1.ConfigMap)
	var there []*appsv1.Deployment // of its name: one or none
	if obj, ok := g.Deployments.Get(key); ok {
		there = append(there, obj.(*appsv1.Deployment))
	}
	claims := &deployment.Claims{
		Client: g.Client, Kind: ConfigMapKind, Owner: cm, Selector: selector(cm),
	}
	ours, err := deployment.Claim(ctx, claims, there)
	if err != nil || cm.Labels[KindLabel] != "Greeting" {
		return controlloop.Result{}, err
	}
	if len(there) > len(ours) {
		g.Recorder.Eventf(cm, corev1.EventTypeWarning, "NotOurs",
			"Deployment %q already exists and is not controlled by this ConfigMap", cm.Name)
		return controlloop.Result{}, nil // its next change brings us back
	}
	replicas, err := strconv.ParseInt(cm.Data["replicas"], 10, 32)
	if err != nil || replicas < 0 {
		g.Recorder.Eventf(cm, corev1.EventTypeWarning, "BadReplicas",
			"data.replicas: %q is no number of replicas", cm.Data["replicas"])
		return controlloop.Result{}, nil // until somebody mends it
	}
	if len(ours) == 0 {
		_, err := g.Client.Create(ctx, say(begun(cm), int32(replicas), cm.Data["text"]))
		return controlloop.Result{}, err
	}
	want := say(ours[0], int32(replicas), cm.Data["text"])
	if equality.Semantic.DeepEqual(ours[0].Spec, want.Spec) {
		return controlloop.Result{}, nil
	}
	_, err = g.Client.Update(ctx, want)
	return controlloop.Result{}, err
}

// say returns a copy of a Deployment with all that a Greeting has a say in: how
// many, which image, which text. The rest stays as it is.
//
//book:exercise 7m
func say(d *appsv1.Deployment, replicas int32, text string) *appsv1.Deployment {
	next := controlloop.Copy(d)
	next.Spec.Replicas = &replicas
	template := &next.Spec.Template
	metav1.SetMetaDataAnnotation(&template.ObjectMeta, TextAnnotation, text)
	for i := range template.Spec.Containers {
		if c := &template.Spec.Containers[i]; c.Name == Container {
			c.Image = Image
		}
	}
	return next
}
