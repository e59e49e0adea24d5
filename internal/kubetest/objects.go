package kubetest

import (
	"context"
	"strings"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
)

// Container returns a container that runs image.
func Container(name, image string) corev1.Container {
	return corev1.Container{Name: name, Image: image}
}

// Pod returns a Pod of these containers, or of one that runs nginx.
func Pod(name string, containers ...corev1.Container) *corev1.Pod {
	if containers == nil {
		containers = []corev1.Container{Container("nginx", Nginx)}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{"app": name},
		},
		Spec: corev1.PodSpec{Containers: containers},
	}
}

// ReplicationController returns one that wants replicas Pods of these
// containers, or of one that runs nginx and is ready when it answers.
func ReplicationController(
	name string, replicas int32, containers ...corev1.Container,
) *corev1.ReplicationController {
	if containers == nil {
		nginx := Container("nginx", Nginx)
		nginx.ReadinessProbe = HTTPGet("/", intstr.FromInt32(80))
		containers = []corev1.Container{nginx}
	}
	pod := Pod(name, containers...)
	return &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ReplicationControllerSpec{
			Replicas: &replicas,
			Template: &corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels},
				Spec:       pod.Spec,
			},
		},
	}
}

// Resources returns what "cpu=1 memory=2Gi" says.
func Resources(text string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, one := range strings.Fields(text) {
		name, amount, _ := strings.Cut(one, "=")
		list[corev1.ResourceName(name)] = resource.MustParse(amount)
	}
	return list
}

// HTTPGet, TCPSocket and Exec return a probe with all else left out.
func HTTPGet(path string, port intstr.IntOrString) *corev1.Probe {
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
		HTTPGet: &corev1.HTTPGetAction{Path: path, Port: port},
	}}
}

func TCPSocket(port intstr.IntOrString) *corev1.Probe {
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
		TCPSocket: &corev1.TCPSocketAction{Port: port},
	}}
}

func Exec(command ...string) *corev1.Probe {
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
		Exec: &corev1.ExecAction{Command: command},
	}}
}

// Named returns the key of a name in the default namespace.
func Named(name string) controlloop.Key {
	return controlloop.Key{Namespace: metav1.NamespaceDefault, Name: name}
}

// Named returns the key of a name in the cluster's namespace.
func (c *Cluster) Named(name string) controlloop.Key {
	return controlloop.Key{Namespace: c.setup.Namespace, Name: name}
}

// Create stores obj, as a user would, and returns it as it was stored.
func Create[T controlloop.Object](c *Cluster, obj T) T {
	c.t.Helper()
	kind, err := c.Store.Kinds().Of(obj)
	require.NoError(c.t, err)
	if kind.Namespaced && obj.GetNamespace() == "" {
		obj = controlloop.Copy(obj)
		obj.SetNamespace(c.setup.Namespace)
	}
	stored, err := c.Store.Create(context.Background(), obj)
	require.NoError(c.t, err)
	return stored.(T)
}

// Edit applies change to the newest state of obj, and stores the result; again,
// when another write was faster.
func Edit[T controlloop.Object](c *Cluster, obj T, change func(T)) T {
	c.t.Helper()
	for {
		next := controlloop.Copy(Get(c, obj))
		change(next)
		stored, err := c.Store.Update(context.Background(), next)
		if apierrors.IsConflict(err) {
			continue
		}
		require.NoError(c.t, err)
		return stored.(T)
	}
}

// Bind gives a Pod to a node, and returns it as it was stored.
func (c *Cluster) Bind(pod *corev1.Pod, node string) *corev1.Pod {
	c.t.Helper()
	require.NoError(c.t, c.Store.Bind(
		context.Background(), controlloop.NewBinding(Get(c, pod), node)))
	return Get(c, pod)
}

// Get returns the newest state of obj.
func Get[T controlloop.Object](c *Cluster, obj T) T {
	c.t.Helper()
	kind, err := c.Store.Kinds().Of(obj)
	require.NoError(c.t, err)
	key := controlloop.KeyOf(obj)
	if kind.Namespaced && key.Namespace == "" {
		key.Namespace = c.setup.Namespace
	}
	found, err := c.Store.Get(context.Background(), kind.GroupVersionKind, key)
	require.NoError(c.t, err)
	return found.(T)
}

// All returns all objects of a kind, sorted by key.
func All[T controlloop.Object](c *Cluster, kind schema.GroupVersionKind) []T {
	c.t.Helper()
	list, err := c.Store.List(
		context.Background(), kind, controlloop.ListOptions{})
	require.NoError(c.t, err)
	var all []T
	for _, obj := range list.Items {
		all = append(all, obj.(T))
	}
	return all
}

// Pods returns all Pods, sorted by key.
func (c *Cluster) Pods() []*corev1.Pod {
	c.t.Helper()
	return All[*corev1.Pod](c, controlloop.PodKind)
}

// Pod returns the Pod of that name.
func (c *Cluster) Pod(name string) *corev1.Pod {
	c.t.Helper()
	return Get(c, Pod(name))
}

// Scale gives a ReplicationController another number of Pods to want.
func (c *Cluster) Scale(name string, replicas int32) {
	c.t.Helper()
	Edit(c, ReplicationController(name, 0),
		func(rc *corev1.ReplicationController) { rc.Spec.Replicas = &replicas })
}

// DeletePod asks for a Pod to go; with options of a user's, if any.
func (c *Cluster) DeletePod(name string, opts ...metav1.DeleteOptions) {
	c.t.Helper()
	opts = append(opts, metav1.DeleteOptions{})
	require.NoError(c.t, c.Store.Delete(
		context.Background(), controlloop.PodKind, c.Named(name), opts[0]))
}

// Grace returns the option to give so many seconds.
func Grace(seconds int64) metav1.DeleteOptions {
	return metav1.DeleteOptions{GracePeriodSeconds: &seconds}
}

// Condition returns one of a Pod's conditions; the zero value if it has none.
func Condition(pod *corev1.Pod, want corev1.PodConditionType) corev1.PodCondition {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == want {
			return condition
		}
	}
	return corev1.PodCondition{}
}

// Ready reports whether a Pod is ready.
func Ready(pod *corev1.Pod) bool {
	return Condition(pod, corev1.PodReady).Status == corev1.ConditionTrue
}
