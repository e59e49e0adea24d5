package controlloop

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// The API server fills in what a manifest leaves out before it stores the
// object, so that no reader has to know what an empty field means. The values
// are Kubernetes': pkg/apis/core/v1/defaults.go.

func defaultPod(obj Object) {
	pod := obj.(*corev1.Pod)
	Fill(&pod.Status.Phase, corev1.PodPending)
	for c := range Containers(&pod.Spec) {
		requestLimits(&c.Resources)
	}
	Fill(&pod.Spec.EnableServiceLinks, new(corev1.DefaultEnableServiceLinks))
	defaultPodSpec(&pod.Spec)
}

func defaultReplicationController(obj Object) {
	rc := obj.(*corev1.ReplicationController)
	Fill(&rc.Spec.Replicas, new(int32(1)))
	template := rc.Spec.Template
	if template == nil {
		return
	}
	if len(rc.Spec.Selector) == 0 {
		rc.Spec.Selector = maps.Clone(template.Labels)
	}
	if len(rc.Labels) == 0 {
		rc.Labels = maps.Clone(template.Labels)
	}
	DefaultPodTemplate(template)
}

// defaultNamespace gives a namespace its name as a label, for selectors match
// labels only, and the finalizer that keeps it until it is empty.
func defaultNamespace(obj Object) {
	namespace := obj.(*corev1.Namespace)
	Fill(&namespace.Status.Phase, corev1.NamespaceActive)
	if namespace.UID == "" {
		namespace.Spec.Finalizers = []corev1.FinalizerName{
			corev1.FinalizerKubernetes}
	}
	if namespace.Name != "" {
		if namespace.Labels == nil {
			namespace.Labels = map[string]string{}
		}
		namespace.Labels[corev1.LabelMetadataName] = namespace.Name
	}
}

func defaultNode(obj Object) {
	node := obj.(*corev1.Node)
	if node.Status.Allocatable == nil {
		node.Status.Allocatable = node.Status.Capacity.DeepCopy()
	}
}

// DefaultPodTemplate fills in the defaults that every Pod made from the
// template shares. They are fewer than a Pod's: a template that gained a field
// would be another template, and in chapter 2 another template is a rollout.
func DefaultPodTemplate(template *corev1.PodTemplateSpec) {
	defaultPodSpec(&template.Spec)
}

func defaultPodSpec(spec *corev1.PodSpec) {
	Fill(&spec.RestartPolicy, corev1.RestartPolicyAlways)
	Fill(&spec.TerminationGracePeriodSeconds,
		new(int64(corev1.DefaultTerminationGracePeriodSeconds)))
	Fill(&spec.DNSPolicy, corev1.DNSClusterFirst)
	Fill(&spec.SchedulerName, corev1.DefaultSchedulerName)
	Fill(&spec.SecurityContext, &corev1.PodSecurityContext{})
	for i := range spec.Volumes {
		defaultVolume(&spec.Volumes[i].VolumeSource)
	}
	for c := range Containers(spec) {
		defaultContainer(c)
	}
}

func defaultVolume(source *corev1.VolumeSource) {
	Fill(source, corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}})
	if source.ConfigMap != nil {
		Fill(&source.ConfigMap.DefaultMode,
			new(corev1.ConfigMapVolumeSourceDefaultMode))
	}
	if source.Secret != nil {
		Fill(&source.Secret.DefaultMode,
			new(corev1.SecretVolumeSourceDefaultMode))
	}
	if source.HostPath != nil {
		Fill(&source.HostPath.Type, new(corev1.HostPathUnset))
	}
}

func defaultContainer(c *corev1.Container) {
	Fill(&c.ImagePullPolicy, pullPolicy(c.Image))
	Fill(&c.TerminationMessagePath, corev1.TerminationMessagePathDefault)
	Fill(&c.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	for i := range c.Ports {
		Fill(&c.Ports[i].Protocol, corev1.ProtocolTCP)
	}
	for _, env := range c.Env {
		if env.ValueFrom != nil && env.ValueFrom.FieldRef != nil {
			Fill(&env.ValueFrom.FieldRef.APIVersion, "v1")
		}
	}
	defaultProbe(c.LivenessProbe)
	defaultProbe(c.ReadinessProbe)
	defaultProbe(c.StartupProbe)
}

func defaultProbe(probe *corev1.Probe) {
	if probe == nil {
		return
	}
	Fill(&probe.TimeoutSeconds, 1)
	Fill(&probe.PeriodSeconds, 10)
	Fill(&probe.SuccessThreshold, 1)
	Fill(&probe.FailureThreshold, 3)
	if probe.HTTPGet != nil {
		Fill(&probe.HTTPGet.Path, "/")
		Fill(&probe.HTTPGet.Scheme, corev1.URISchemeHTTP)
	}
}

// pullPolicy returns the default for an image: a moving tag is looked up again
// at every start, and no tag means latest. A digest never moves.
//
//	nginx, nginx:latest, registry:5000/nginx    Always
//	nginx:1.27, nginx@sha256:…                  IfNotPresent
func pullPolicy(image string) corev1.PullPolicy {
	name, _, pinned := strings.Cut(image, "@")
	_, tag, tagged := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	if tag == "latest" || !tagged && !pinned {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

// requestLimits requests as much as is allowed, for resources of
// which nothing is requested.
func requestLimits(resources *corev1.ResourceRequirements) {
	if resources.Limits != nil && resources.Requests == nil {
		resources.Requests = corev1.ResourceList{}
	}
	for name, limit := range resources.Limits {
		if _, asked := resources.Requests[name]; !asked {
			resources.Requests[name] = limit.DeepCopy()
		}
	}
}

// Fill sets an empty field.
func Fill[T comparable](field *T, value T) {
	var empty T
	if *field == empty {
		*field = value
	}
}
