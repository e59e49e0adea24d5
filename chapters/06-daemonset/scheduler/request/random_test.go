package request_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	"pgregory.net/rapid"

	"reconcile/chapters/06-daemonset/scheduler/request"
)

// What a Pod takes is said twice: here by hand, for a scheduler that asks it
// thousands of times, and by Kubernetes' own helper where quotas are counted.
func TestContainersAddUpAsKubernetesAddsThem(t *testing.T) {
	needs := func(t *rapid.T, sidecars bool) corev1.Container {
		c := corev1.Container{}
		if milli := rapid.Int64Range(-1, 4).Draw(t, "cpu"); milli >= 0 { // or it says nothing
			c.Resources.Requests = corev1.ResourceList{
				corev1.ResourceCPU: *resource.NewMilliQuantity(milli, resource.DecimalSI)}
		}
		if sidecars && rapid.Bool().Draw(t, "sidecar") {
			c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
		return c
	}
	rapid.Check(t, func(t *rapid.T) {
		inits := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) corev1.Container {
			return needs(t, true)
		}), 0, 5).Draw(t, "inits")
		containers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) corev1.Container {
			return needs(t, false)
		}), 1, 4).Draw(t, "containers")
		pod := &corev1.Pod{Spec: corev1.PodSpec{InitContainers: inits, Containers: containers}}
		theirs := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
		assert.Equal(t, theirs.Cpu().MilliValue(), request.AddUp(&pod.Spec,
			func(c *corev1.Container) int64 { return c.Resources.Requests.Cpu().MilliValue() }))
	})
}
