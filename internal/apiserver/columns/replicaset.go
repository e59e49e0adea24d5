package columns

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
)

// ReplicaSet is what a table shows of ReplicaSets.
var ReplicaSet = of(replicaSetCells,
	name,
	integer("Desired", appsv1.ReplicaSetSpec{}.SwaggerDoc()["replicas"]),
	integer("Current", appsv1.ReplicaSetStatus{}.SwaggerDoc()["replicas"]),
	integer("Ready", appsv1.ReplicaSetStatus{}.SwaggerDoc()["readyReplicas"]),
	created,
	containersColumn,
	imagesColumn,
	wide(text("Selector", appsv1.ReplicaSetSpec{}.SwaggerDoc()["selector"])),
)

func replicaSetCells(rs *appsv1.ReplicaSet, now time.Time) []any {
	names, images := containerCells(rs.Spec.Template.Spec.Containers)
	return []any{
		rs.Name,
		int64(ptr.Deref(rs.Spec.Replicas, 0)),
		int64(rs.Status.Replicas),
		int64(rs.Status.ReadyReplicas),
		age(rs.CreationTimestamp, now),
		names,
		images,
		metav1.FormatLabelSelector(rs.Spec.Selector),
	}
}

// ReplicationController is what a table shows of ReplicationControllers.
var ReplicationController = of(replicationControllerCells,
	name,
	integer("Desired", corev1.ReplicationControllerSpec{}.SwaggerDoc()["replicas"]),
	integer("Current", corev1.ReplicationControllerStatus{}.SwaggerDoc()["replicas"]),
	integer("Ready", corev1.ReplicationControllerStatus{}.SwaggerDoc()["readyReplicas"]),
	created,
	containersColumn,
	imagesColumn,
	wide(text("Selector", corev1.ReplicationControllerSpec{}.SwaggerDoc()["selector"])),
)

func replicationControllerCells(
	rc *corev1.ReplicationController, now time.Time,
) []any {
	var names, images string
	if rc.Spec.Template != nil {
		names, images = containerCells(rc.Spec.Template.Spec.Containers)
	}
	return []any{
		rc.Name,
		int64(ptr.Deref(rc.Spec.Replicas, 0)),
		int64(rc.Status.Replicas),
		int64(rc.Status.ReadyReplicas),
		age(rc.CreationTimestamp, now),
		names,
		images,
		labels.FormatLabels(rc.Spec.Selector),
	}
}
