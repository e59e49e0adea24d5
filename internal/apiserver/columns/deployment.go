package columns

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Deployment is what a table shows of Deployments.
var Deployment = of(deploymentCells,
	name,
	text("Ready", "Number of the pod with ready state"),
	text("Up-to-date", appsv1.DeploymentStatus{}.SwaggerDoc()["updatedReplicas"]),
	text("Available", appsv1.DeploymentStatus{}.SwaggerDoc()["availableReplicas"]),
	created,
	containersColumn,
	imagesColumn,
	wide(text("Selector", appsv1.DeploymentSpec{}.SwaggerDoc()["selector"])),
)

func deploymentCells(d *appsv1.Deployment, now time.Time) []any {
	names, images := containerCells(d.Spec.Template.Spec.Containers)
	return []any{
		d.Name,
		ready(d.Status.ReadyReplicas, d.Spec.Replicas),
		int64(d.Status.UpdatedReplicas),
		int64(d.Status.AvailableReplicas),
		age(d.CreationTimestamp, now),
		names,
		images,
		selected(d.Spec.Selector),
	}
}

func selected(s *metav1.LabelSelector) string {
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return "<invalid>"
	}
	return selector.String()
}
