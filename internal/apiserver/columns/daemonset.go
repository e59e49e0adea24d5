package columns

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// DaemonSet is what a table shows of DaemonSets.
var DaemonSet = of(daemonSetCells,
	name,
	integer("Desired", appsv1.DaemonSetStatus{}.SwaggerDoc()["desiredNumberScheduled"]),
	integer("Current", appsv1.DaemonSetStatus{}.SwaggerDoc()["currentNumberScheduled"]),
	integer("Ready", appsv1.DaemonSetStatus{}.SwaggerDoc()["numberReady"]),
	integer("Up-to-date", appsv1.DaemonSetStatus{}.SwaggerDoc()["updatedNumberScheduled"]),
	integer("Available", appsv1.DaemonSetStatus{}.SwaggerDoc()["numberAvailable"]),
	text("Node Selector", corev1.PodSpec{}.SwaggerDoc()["nodeSelector"]),
	created,
	containersColumn,
	imagesColumn,
	wide(text("Selector", appsv1.DaemonSetSpec{}.SwaggerDoc()["selector"])),
)

func daemonSetCells(ds *appsv1.DaemonSet, now time.Time) []any {
	pod := ds.Spec.Template.Spec
	names, images := containerCells(pod.Containers)
	return []any{
		ds.Name,
		int64(ds.Status.DesiredNumberScheduled),
		int64(ds.Status.CurrentNumberScheduled),
		int64(ds.Status.NumberReady),
		int64(ds.Status.UpdatedNumberScheduled),
		int64(ds.Status.NumberAvailable),
		labels.FormatLabels(pod.NodeSelector),
		age(ds.CreationTimestamp, now),
		names,
		images,
		metav1.FormatLabelSelector(ds.Spec.Selector),
	}
}
