package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
)

func TestAPodSaysWhatItIsPromised(t *testing.T) {
	const all = "requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}"
	for want, resources := range map[corev1.PodQOSClass]string{
		corev1.PodQOSGuaranteed: all,
		corev1.PodQOSBurstable:  "requests: {cpu: 1}",
		corev1.PodQOSBestEffort: "requests: {example.com/dongle: 1}, limits: {example.com/dongle: 1}",
	} {
		_, obj := newStore(t, decode(t, pod(
			"containers: [{name: c, image: c, resources: {"+resources+"}}]")))
		assert.Equal(t, want, obj.(*corev1.Pod).Status.QOSClass)
	}
}
