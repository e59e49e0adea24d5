package request_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/06-daemonset/scheduler/request"
	"reconcile/internal/kubetest"
)

// container needs so many of something.
func needing(n string) corev1.Container {
	return corev1.Container{Name: "c" + n, Resources: corev1.ResourceRequirements{
		Requests: kubetest.Resources("cpu=" + n),
	}}
}

func sidecar(n string) corev1.Container {
	c := needing(n)
	c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	return c
}

// sumOf adds up a Pod of these init containers and these containers.
func sumOf(inits, containers []corev1.Container) int64 {
	return request.AddUp(
		&corev1.PodSpec{InitContainers: inits, Containers: containers},
		func(c *corev1.Container) int64 { return c.Resources.Requests.Cpu().Value() })
}

type cs = []corev1.Container

//book:exercise 6k
func TestContainersRunTogether(t *testing.T) {
	assert.Equal(t, int64(2), sumOf(nil, cs{needing("2")}), "one")
	assert.Equal(t, int64(6), sumOf(nil, cs{needing("1"), needing("2"), needing("3")}), "three")
}

// They are gone when the containers start, each when the next one starts.
//
//book:exercise 6k
func TestOnlyTheLargestInitContainerCounts(t *testing.T) {
	small := cs{needing("1"), needing("1")}
	assert.Equal(t, int64(5), sumOf(cs{needing("5"), needing("3")}, small), "the first needs the most")
	assert.Equal(t, int64(5), sumOf(cs{needing("3"), needing("5")}, small), "the last needs the most")
	assert.Equal(t, int64(2), sumOf(cs{needing("1"), needing("2")}, small),
		"the containers together need as much")
}

//book:exercise 6k
func TestASidecarRunsBesideTheContainers(t *testing.T) {
	assert.Equal(t, int64(3), sumOf(cs{sidecar("2")}, cs{needing("1")}), "one beside one")
	assert.Equal(t, int64(6), sumOf(cs{sidecar("2"), sidecar("3")}, cs{needing("1")}), "two beside one")
}

// An init container has beside it the sidecars that were started before it, and
// no others.
//
//book:exercise 6k
func TestASidecarRunsBesideTheInitContainersAfterIt(t *testing.T) {
	one := cs{needing("1")}
	assert.Equal(t, int64(7), sumOf(cs{sidecar("2"), needing("5")}, one), "the sidecar comes first")
	assert.Equal(t, int64(5), sumOf(cs{needing("5"), sidecar("2")}, one), "the sidecar comes last")
	assert.Equal(t, int64(9), sumOf(
		cs{sidecar("2"), needing("1"), sidecar("1"), needing("6"), sidecar("1")}, one),
		"two sidecars come before the one that needs 6, and one behind it")
}

func TestWhatAPodRequests(t *testing.T) {
	pod := kubetest.Pod("p")
	pod.Spec.Containers[0].Resources.Requests = kubetest.Resources(
		"cpu=300m memory=1Gi ephemeral-storage=1Gi example.com/gpu=2")
	for name, want := range map[corev1.ResourceName]int64{
		"cpu": 300, "memory": 1 << 30, "ephemeral-storage": 1 << 30,
		"example.com/gpu": 2, "example.com/fpga": 0,
	} {
		assert.Equal(t, want, request.Of(&pod.Spec, name, 0), name)
	}
	pod.Spec.Overhead = kubetest.Resources("cpu=50m")
	assert.EqualValues(t, 350, request.Of(&pod.Spec, "cpu", 0), "and what running it costs")
	pod.Spec.Resources = &corev1.ResourceRequirements{
		Requests: kubetest.Resources("cpu=1 example.com/gpu=9")}
	assert.EqualValues(t, 1050, request.Of(&pod.Spec, "cpu", 0), "what it asks for as a whole")
	assert.EqualValues(t, 2, request.Of(&pod.Spec, "example.com/gpu", 0),
		"a device cannot be asked for as a whole")
}
