package columns

import (
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// StatefulSet is what a table shows of StatefulSets.
var StatefulSet = of(statefulSetCells,
	name,
	text("Ready", "Number of the pod with ready state"),
	created,
	containersColumn,
	imagesColumn,
)

func statefulSetCells(s *appsv1.StatefulSet, now time.Time) []any {
	names, images := containerCells(s.Spec.Template.Spec.Containers)
	return []any{
		s.Name,
		ready(s.Status.ReadyReplicas, s.Spec.Replicas),
		age(s.CreationTimestamp, now),
		names,
		images,
	}
}

// ControllerRevision is what a table shows of ControllerRevisions.
var ControllerRevision = of(revisionCells,
	name,
	text("Controller", "Controller of the object"),
	text("Revision", appsv1.ControllerRevision{}.SwaggerDoc()["revision"]),
	created,
)

func revisionCells(r *appsv1.ControllerRevision, now time.Time) []any {
	controller := "<none>"
	if ref := metav1.GetControllerOf(r); ref != nil {
		kind := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind()
		controller = strings.ToLower(kind.String()) + "/" + ref.Name
	}
	return []any{r.Name, controller, r.Revision, age(r.CreationTimestamp, now)}
}
