package controlloop

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What the API server refuses. Rules, messages and paths, oddities included,
// are Kubernetes': pkg/apis/core/validation/validation.go.

func validateReplicationController(obj Object) field.ErrorList {
	spec := obj.(*corev1.ReplicationController).Spec
	at := placeAt(field.NewPath("spec"))
	nonnegative(at.child("minReadySeconds"), spec.MinReadySeconds)
	at.child("selector").required(len(spec.Selector) > 0)
	if at.child("replicas").required(spec.Replicas != nil) {
		nonnegative(at.child("replicas"), *spec.Replicas)
	}
	if at.child("template").required(spec.Template != nil) {
		replaceable(at.child("template"), spec.Template, spec.Selector)
	}
	return *at.errs
}

// replaceable checks a template whose Pods are replaced when they are gone.
// Were they not selected, more of them would be made for ever; could they
// end, what is done would be done again.
func replaceable(
	at place, template *corev1.PodTemplateSpec, selector labels.Set,
) {
	if !selector.AsSelector().Matches(labels.Set(template.Labels)) {
		at.child("metadata").child("labels").invalid(template.Labels,
			"`selector` does not match template `labels`")
	}
	at.add(ValidatePodTemplate(template, at.path)...)
	at = at.child("spec")
	oneOf(at.child("restartPolicy"),
		template.Spec.RestartPolicy, corev1.RestartPolicyAlways)
	if template.Spec.ActiveDeadlineSeconds != nil {
		at.child("activeDeadlineSeconds").forbidden(
			"activeDeadlineSeconds in ReplicationController is not Supported")
	}
}

// ValidatePodTemplate returns what is wrong with the template at a path, say
// spec.template. It calls the labels there spec.template.labels, without the
// metadata, as Kubernetes does.
func ValidatePodTemplate(
	template *corev1.PodTemplateSpec, path *field.Path,
) field.ErrorList {
	return slices.Concat(
		metavalidation.ValidateLabels(template.Labels, path.Child("labels")),
		apivalidation.ValidateAnnotations(
			template.Annotations, path.Child("annotations")),
		validatePodSpec(&template.Spec, path.Child("spec")))
}

func validatePod(obj Object) field.ErrorList {
	return validatePodSpec(&obj.(*corev1.Pod).Spec, field.NewPath("spec"))
}

func validatePodSpec(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	at := placeAt(path)
	volumes := sets.Set[string]{}
	for i, volume := range spec.Volumes {
		name := at.child("volumes").index(i).child("name")
		name.label(volume.Name)
		name.unique(volume.Name, volumes)
	}
	validateContainers(at, spec, volumes)
	oneOf(at.child("restartPolicy"), spec.RestartPolicy,
		corev1.RestartPolicyAlways,
		corev1.RestartPolicyOnFailure,
		corev1.RestartPolicyNever)
	if spec.NodeName != "" {
		at.child("nodeName").invalid(spec.NodeName,
			validation.IsDNS1123Subdomain(spec.NodeName)...)
	}
	grace := at.child("terminationGracePeriodSeconds")
	if grace.required(spec.TerminationGracePeriodSeconds != nil) {
		nonnegative(grace, *spec.TerminationGracePeriodSeconds)
	}
	deadline := spec.ActiveDeadlineSeconds
	if deadline != nil && (*deadline < 1 || *deadline > math.MaxInt32) {
		at.child("activeDeadlineSeconds").invalid(*deadline,
			validation.InclusiveRangeError(1, math.MaxInt32))
	}
	return *at.errs
}

// validateContainers: names are unique over both lists. Host ports are over
// the containers, which all run at once, but init containers run one by one.
func validateContainers(
	at place, spec *corev1.PodSpec, volumes sets.Set[string],
) {
	at.child("containers").required(len(spec.Containers) > 0)
	names, hostPorts := sets.Set[string]{}, sets.Set[string]{}
	for i, c := range spec.Containers {
		at := at.child("containers").index(i)
		validateContainer(at, c, volumes)
		validatePorts(at.child("ports"), c.Ports, hostPorts)
		validateProbes(at, c)
		at.child("name").unique(c.Name, names)
	}
	for i, c := range spec.InitContainers {
		at := at.child("initContainers").index(i)
		validateContainer(at, c, volumes)
		validatePorts(at.child("ports"), c.Ports, sets.Set[string]{})
		forbidProbes(at, c)
		at.child("name").unique(c.Name, names)
	}
}

func validateContainer(at place, c corev1.Container, volumes sets.Set[string]) {
	at.child("name").label(c.Name)
	at.child("image").required(c.Image != "")
	oneOf(at.child("imagePullPolicy"), c.ImagePullPolicy,
		corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)
	paths := sets.Set[string]{}
	for i, mount := range c.VolumeMounts {
		at := at.child("volumeMounts").index(i)
		at.child("name").required(mount.Name != "")
		if !volumes.Has(mount.Name) {
			at.add(field.NotFound(at.path.Child("name"), mount.Name))
		}
		at.child("mountPath").required(mount.MountPath != "")
		if paths.Has(mount.MountPath) {
			at.child("mountPath").invalid(mount.MountPath, "must be unique")
		}
		paths.Insert(mount.MountPath)
	}
}

func validatePorts(
	at place, ports []corev1.ContainerPort, hostPorts sets.Set[string],
) {
	names := sets.Set[string]{}
	for i, port := range ports {
		at := at.index(i)
		if port.Name != "" {
			name := at.child("name")
			name.invalid(port.Name, validation.IsValidPortName(port.Name)...)
			name.unique(port.Name, names)
		}
		if at.child("containerPort").required(port.ContainerPort != 0) {
			at.child("containerPort").port(port.ContainerPort)
		}
		if port.HostPort != 0 {
			at.child("hostPort").port(port.HostPort)
			at.child("hostPort").unique(fmt.Sprintf("%s/%s/%d",
				port.Protocol, port.HostIP, port.HostPort), hostPorts)
		}
		oneOf(at.child("protocol"), port.Protocol,
			corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)
	}
}
