package statefulset

import (
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// nameOf returns the name of the Pod of an ordinal: "web-0".
func nameOf(set *appsv1.StatefulSet, ordinal int) string {
	return set.Name + "-" + strconv.Itoa(ordinal)
}

// ordinalOf returns the ordinal of a Pod, by its name, or false if the set does
// not give such a name. (Kubernetes: getParentNameAndOrdinal in
// pkg/controller/statefulset/stateful_set_utils.go.)
//
//	set web   web-0 → 0   web-12 → 12   web-01, web-x, db-0, web → none
//
//book:exercise 4a
func ordinalOf(set *appsv1.StatefulSet, pod *corev1.Pod) (ordinal int, ok bool) {
	at := strings.LastIndexByte(pod.Name, '-')
	n, err := strconv.ParseInt(pod.Name[at+1:], 10, 32)
	if err != nil || pod.Name != nameOf(set, int(n)) {
		return 0, false
	}
	return int(n), true
}
