package deployment

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/dump"
)

// hashLabel tells the Pods of one template from those of another.
const hashLabel = appsv1.DefaultDeploymentUniqueLabelKey

// TemplateHash returns a short name for a template. The same template always
// has the same one; another may have it too, and then collisions gives each of
// them one of its own. (Kubernetes: ComputeHash in
// pkg/controller/controller_utils.go, which gives the same names.)
func TemplateHash(template *corev1.PodTemplateSpec, collisions *int32) string {
	h := fnv.New32a()
	fmt.Fprintf(h, "%v", dump.ForHash(*template))
	if collisions != nil {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(*collisions)))
	}
	return rand.SafeEncodeString(fmt.Sprint(h.Sum32()))
}

// sameTemplate compares two templates but for the hash that one of them bears.
//
//book:exercise 2e
func sameTemplate(a, b *corev1.PodTemplateSpec) bool {
	a, b = a.DeepCopy(), b.DeepCopy()
	delete(a.Labels, hashLabel)
	delete(b.Labels, hashLabel)
	return equality.Semantic.DeepEqual(a, b)
}
