package daemonset

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"

	controlloop "reconcile/chapters/01-control-loop"
)

// hashOfRevision is on the revisions of StatefulSets.
const hashOfRevision = "controller.kubernetes.io/hash"

// dataOf returns what a revision remembers: a patch that puts this template in
// the place of whichever there is. Two templates are the same if these bytes
// are. (Kubernetes: getPatch in pkg/controller/daemon/update.go.)
func dataOf(template *corev1.PodTemplateSpec) ([]byte, error) {
	text, err := json.Marshal(template)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	fields["$patch"] = "replace"
	return json.Marshal(map[string]any{
		"spec": map[string]any{"template": fields},
	})
}

// templateOf returns the template that a revision remembers.
func templateOf(r *appsv1.ControllerRevision) (*corev1.PodTemplateSpec, error) {
	var data struct {
		Spec struct{ Template corev1.PodTemplateSpec }
	}
	if err := json.Unmarshal(r.Data.Raw, &data); err != nil {
		return nil, fmt.Errorf("data of revision %s: %w", r.Name, err)
	}
	return &data.Spec.Template, nil
}

// dataHash returns a short name for what a revision remembers. (Kubernetes:
// HashControllerRevision in pkg/controller/history/controller_history.go.)
func dataHash(data []byte, collisions int32) string {
	h := fnv.New32()
	h.Write(data)
	h.Write(strconv.AppendInt(nil, int64(collisions), 10))
	return rand.SafeEncodeString(fmt.Sprint(h.Sum32()))
}

// newRevision returns a revision that is not stored yet. Whatever its owner
// says of itself in annotations, kubernetes.io/change-cause too, it says from
// now on.
func (h *History) newRevision(
	owner controlloop.Object, template *corev1.PodTemplateSpec, data []byte,
	number int64,
) *appsv1.ControllerRevision {
	hash := h.hash(owner, template, data)
	labels := map[string]string{}
	maps.Copy(labels, template.Labels)
	labels[h.label] = hash
	return &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   owner.GetNamespace(),
			Name:        nameOfRevision(owner.GetName(), hash),
			Labels:      labels,
			Annotations: owner.GetAnnotations(),
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(owner, h.kind),
			},
		},
		Data:     runtime.RawExtension{Raw: data},
		Revision: number,
	}
}

// nameOfRevision leaves room for the hash: a name has 253 characters at most.
func nameOfRevision(owner, hash string) string {
	return owner[:min(len(owner), 223)] + "-" + hash
}
