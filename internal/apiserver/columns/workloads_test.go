package columns_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/apiserver/columns"
)

var (
	template = corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		NodeSelector: map[string]string{"disk": "ssd"},
		Containers: []corev1.Container{
			{Name: "nginx", Image: "nginx:1.27"}, {Name: "log", Image: "busybox"},
		},
	}}
	selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
)

func TestADeploymentCountsItsPods(t *testing.T) {
	d := &appsv1.Deployment{
		ObjectMeta: web,
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(5)), Selector: selector, Template: template,
		},
		Status: appsv1.DeploymentStatus{
			Replicas: 6, UpdatedReplicas: 2, ReadyReplicas: 4, AvailableReplicas: 3,
		},
	}
	assert.Equal(t, []any{"web", "4/5", int64(2), int64(3), "5m",
		"nginx,log", "nginx:1.27,busybox", "app=web"}, cells(columns.Deployment, d))
}

func TestADeploymentWhoseSelectorNobodyUnderstands(t *testing.T) {
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "a", Operator: "Perhaps"},
		}},
	}}
	assert.Equal(t, "<invalid>", cells(columns.Deployment, d)[7])
}

func TestAReplicaSetCountsItsPods(t *testing.T) {
	rs := &appsv1.ReplicaSet{
		ObjectMeta: web,
		Spec: appsv1.ReplicaSetSpec{
			Replicas: new(int32(5)), Selector: selector, Template: template,
		},
		Status: appsv1.ReplicaSetStatus{Replicas: 4, ReadyReplicas: 3, AvailableReplicas: 2},
	}
	assert.Equal(t, []any{"web", int64(5), int64(4), int64(3), "5m",
		"nginx,log", "nginx:1.27,busybox", "app=web"}, cells(columns.ReplicaSet, rs))
}

func TestAReplicationControllerCountsItsPods(t *testing.T) {
	rc := &corev1.ReplicationController{
		ObjectMeta: web,
		Spec: corev1.ReplicationControllerSpec{
			Replicas: new(int32(5)), Template: &template,
			Selector: map[string]string{"app": "web", "a": "b"},
		},
		Status: corev1.ReplicationControllerStatus{Replicas: 4, ReadyReplicas: 3},
	}
	assert.Equal(t, []any{"web", int64(5), int64(4), int64(3), "5m", "nginx,log",
		"nginx:1.27,busybox", "a=b,app=web"}, cells(columns.ReplicationController, rc))
}

func TestAStatefulSetCountsWhatIsReady(t *testing.T) {
	s := &appsv1.StatefulSet{
		ObjectMeta: web,
		Spec:       appsv1.StatefulSetSpec{Replicas: new(int32(5)), Template: template},
		Status:     appsv1.StatefulSetStatus{Replicas: 4, ReadyReplicas: 2},
	}
	assert.Equal(t, []any{"web", "2/5", "5m", "nginx,log", "nginx:1.27,busybox"},
		cells(columns.StatefulSet, s))
}

func TestADaemonSetCountsNodes(t *testing.T) {
	ds := &appsv1.DaemonSet{
		ObjectMeta: web,
		Spec:       appsv1.DaemonSetSpec{Selector: selector, Template: template},
		Status: appsv1.DaemonSetStatus{
			DesiredNumberScheduled: 5, CurrentNumberScheduled: 4, NumberReady: 3,
			UpdatedNumberScheduled: 2, NumberAvailable: 1,
		},
	}
	assert.Equal(t, []any{"web", int64(5), int64(4), int64(3), int64(2), int64(1),
		"disk=ssd", "5m", "nginx,log", "nginx:1.27,busybox", "app=web"},
		cells(columns.DaemonSet, ds))
	ds.Spec.Template.Spec.NodeSelector = nil
	assert.Equal(t, "<none>", cells(columns.DaemonSet, ds)[6])
}

func TestARevisionSaysWhoseItIs(t *testing.T) {
	r := &appsv1.ControllerRevision{ObjectMeta: web, Revision: 7}
	assert.Equal(t, []any{"web", "<none>", int64(7), "5m"},
		cells(columns.ControllerRevision, r))
	r.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Node", Name: "not-the-controller"},
		{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "db", Controller: new(true)},
	}
	assert.Equal(t, "statefulset.apps/db", cells(columns.ControllerRevision, r)[1])
}
