package rollingupdate_test

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
	"reconcile/internal/kubetest"
)

func allKinds() controlloop.Kinds {
	return controlloop.CoreKinds().
		With(deployment.Kinds()...).With(rollingupdate.Kinds()...)
}

// rolled returns a cluster in which Deployments are rolled. The programs of its
// images take five seconds until they are ready.
func rolled() kubetest.Setup {
	server := rollingupdate.Web{WarmUp: 4500 * time.Millisecond}
	images := simulated.Images{}
	for v := range 6 {
		images[fmt.Sprintf("web:v%d", v+1)] = server.Serve
	}
	return kubetest.Setup{
		Kinds: allKinds(),
		Controllers: []kubetest.Controller{
			rollingupdate.NewDeployments, deployment.NewReplicaSets,
		},
		Nodes: 2, Images: images, DetectMutations: true,
	}
}

// in runs a test in a cluster in a bubble.
func in(t *testing.T, setup kubetest.Setup, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(kubetest.New(t, setup)) })
}

// web returns a Deployment of that name whose Pods run web:v1 and are ready
// when they answer.
func web(name string, replicas int32, changes ...func(*appsv1.Deployment)) *appsv1.Deployment {
	container := kubetest.Container("web", "web:v1")
	container.ReadinessProbe = kubetest.HTTPGet("/ready", intstr.FromInt32(80))
	container.ReadinessProbe.PeriodSeconds = 1
	pod := kubetest.Pod(name, container)
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec,
			},
		},
	}
	for _, change := range changes {
		change(d)
	}
	return d
}

// bounds sets maxSurge and maxUnavailable: "25%" or "1".
func bounds(maxSurge, maxUnavailable string) func(*appsv1.Deployment) {
	surge, unavailable := intstr.Parse(maxSurge), intstr.Parse(maxUnavailable)
	return func(d *appsv1.Deployment) {
		d.Spec.Strategy = appsv1.DeploymentStrategy{
			Type: appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxSurge: &surge, MaxUnavailable: &unavailable,
			},
		}
	}
}

func image(name string) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = name }
}

func sized(replicas int32) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.Replicas = &replicas }
}

func paused(yes bool) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.Paused = yes }
}

// refusing makes every call of a verb on a kind end with an error, and returns
// the errors that a controller reports, until the function that it returns is
// called.
func refusing(
	c *kubetest.Cluster, controller, verb string, kind schema.GroupVersionKind,
) (told func() []string) {
	c.Client.Fail(func(call kubetest.Call) error {
		if call.Verb == verb && call.Kind == kind {
			return io.ErrUnexpectedEOF
		}
		return nil
	})
	var all []string
	c.Controller(controller).OnError = func(_ controlloop.Key, err error) {
		all = append(all, err.Error())
	}
	return func() []string {
		c.Client.Fail(nil)
		return all
	}
}

// edit changes a Deployment as a user does.
func edit(c *kubetest.Cluster, name string, changes ...func(*appsv1.Deployment)) {
	kubetest.Edit(c, web(name, 0), func(d *appsv1.Deployment) {
		for _, change := range changes {
			change(d)
		}
	})
}

func get(c *kubetest.Cluster, name string) *appsv1.Deployment {
	return kubetest.Get(c, web(name, 0))
}

// sets returns all ReplicaSets, in order of their revision.
func sets(c *kubetest.Cluster) []*appsv1.ReplicaSet {
	return slices.SortedStableFunc(
		slices.Values(kubetest.All[*appsv1.ReplicaSet](c, deployment.ReplicaSetKind)),
		func(a, b *appsv1.ReplicaSet) int {
			return strings.Compare(revision(a), revision(b))
		})
}

func revision(obj controlloop.Object) string {
	return obj.GetAnnotations()[rollingupdate.RevisionAnnotation]
}

// sizes returns the ReplicaSets' sizes by revision: "1:2 2:1".
func sizes(c *kubetest.Cluster) string {
	var all []string
	for _, rs := range sets(c) {
		all = append(all, fmt.Sprintf("%s:%d", revision(rs), *rs.Spec.Replicas))
	}
	return strings.Join(all, " ")
}

// ready counts the ready Pods, by image.
func ready(c *kubetest.Cluster) map[string]int {
	count := map[string]int{}
	for _, pod := range c.Pods() {
		if kubetest.Ready(pod) && pod.DeletionTimestamp == nil {
			count[pod.Spec.Containers[0].Image]++
		}
	}
	return count
}

// scalings returns the events about sizes, with revisions in the place of
// names.
func scalings(c *kubetest.Cluster) (events []string) {
	numbers := map[string]string{}
	for _, rs := range sets(c) {
		numbers[rs.Name] = "of revision " + revision(rs)
	}
	for _, event := range c.Events() {
		text, ok := strings.CutPrefix(
			event, "Normal ScalingReplicaSet deployment-controller: ")
		if !ok {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(numbers)) {
			text = strings.ReplaceAll(text, name, numbers[name])
		}
		events = append(events, text)
	}
	return events
}

// says returns a condition of a Deployment: "True NewReplicaSetAvailable: …".
func says(d *appsv1.Deployment, which appsv1.DeploymentConditionType) string {
	c := deployment.FindCondition(&d.Status, which)
	if c == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s %s: %s", c.Status, c.Reason, c.Message)
}

// undo does what kubectl rollout undo does.
func undo(t *testing.T, c *kubetest.Cluster, name string, to int64) string {
	t.Helper()
	said, err := rollingupdate.Undo(t.Context(), c.Store, kubetest.Named(name), to)
	require.NoError(t, err)
	return said
}

// set returns a ReplicaSet that wants size Pods, of which so many are
// available.
func set(name string, size, available int32, changes ...func(*appsv1.ReplicaSet)) *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
	rs.Spec.Replicas = &size
	rs.Status.AvailableReplicas = available
	for _, change := range changes {
		change(rs)
	}
	return rs
}

// noting puts annotations on a ReplicaSet: names and values in turn.
func noting(pairs ...string) func(*appsv1.ReplicaSet) {
	return func(rs *appsv1.ReplicaSet) {
		for i := 0; i < len(pairs); i += 2 {
			metav1.SetMetaDataAnnotation(&rs.ObjectMeta, pairs[i], pairs[i+1])
		}
	}
}

func born(at int64) func(*appsv1.ReplicaSet) {
	return func(rs *appsv1.ReplicaSet) { rs.CreationTimestamp = metav1.Unix(at, 0) }
}

// inShort leaves of an event about sizes "up 0 1".
func inShort(event string) string {
	var direction, from, to string
	words := strings.Fields(event)
	direction, from, to = words[1], words[len(words)-3], words[len(words)-1]
	return direction + " " + from + " " + to
}
