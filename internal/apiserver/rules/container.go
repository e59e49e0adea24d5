package rules

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func checkContainers(
	spec *corev1.PodSpec, volumes sets.Set[string], path *field.Path,
) field.ErrorList {
	containers := spec.Containers
	if len(containers) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	var errs field.ErrorList
	names := sets.Set[string]{}
	for i := range containers {
		c, at := &containers[i], path.Index(i)
		errs = append(errs, slices.Concat(
			checkContainer(c, volumes, at),
			unique(c.Name, names, at.Child("name")),
			checkProbes(c, at),
			checkLifecycle(spec, c, at.Child("lifecycle")))...)
	}
	return append(errs, checkHostPorts(containers, path)...)
}

// checkInitContainers checks them apart: they share their names with the
// containers, but run one by one, and so not their ports of the host. They are
// not asked how they are, only how they ended, but for those that stay.
func checkInitContainers(
	spec *corev1.PodSpec, volumes sets.Set[string], path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	names := sets.Set[string]{}
	for _, c := range spec.Containers {
		names.Insert(c.Name)
	}
	for i := range spec.InitContainers {
		c, at := &spec.InitContainers[i], path.Index(i)
		errs = append(errs, slices.Concat(
			checkContainer(c, volumes, at),
			unique(c.Name, names, at.Child("name")),
			checkHostPorts([]corev1.Container{*c}, path))...) // Kubernetes: of [0]
		if p := c.RestartPolicy; p != nil &&
			*p == corev1.ContainerRestartPolicyAlways {
			errs = append(errs, checkProbes(c, at)...)
			errs = append(errs, checkLifecycle(spec, c, at.Child("lifecycle"))...)
		} else {
			errs = append(errs, forbidProbes(c, at)...)
		}
	}
	return errs
}

func checkContainer(
	c *corev1.Container, volumes sets.Set[string], path *field.Path,
) field.ErrorList {
	errs := label(c.Name, path.Child("name"))
	if c.Image == "" {
		errs = append(errs, field.Required(path.Child("image"), ""))
	}
	return slices.Concat(errs,
		checkPorts(c.Ports, path.Child("ports")),
		checkEnv(c.Env, path.Child("env")),
		checkMounts(c.VolumeMounts, volumes, path.Child("volumeMounts")),
		oneOf(c.ImagePullPolicy, path.Child("imagePullPolicy"),
			corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever),
		checkResources(&c.Resources, path.Child("resources")),
		checkSecurity(c.SecurityContext, path.Child("securityContext")))
}

func checkEnv(env []corev1.EnvVar, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, v := range env {
		at := path.Index(i)
		if v.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		} else {
			errs = append(errs, invalid(v.Name, at.Child("name"),
				validation.IsRelaxedEnvVarName(v.Name))...)
		}
		if v.ValueFrom != nil && v.Value != "" {
			errs = append(errs, field.Invalid(at.Child("valueFrom"), "",
				"may not be specified when `value` is not empty"))
		}
	}
	return errs
}

func checkMounts(
	mounts []corev1.VolumeMount, volumes sets.Set[string], path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	places := sets.Set[string]{}
	for i, mount := range mounts {
		name, place := path.Index(i).Child("name"), path.Index(i).Child("mountPath")
		if mount.Name == "" {
			errs = append(errs, field.Required(name, ""))
		}
		if !volumes.Has(mount.Name) {
			errs = append(errs, field.NotFound(name, mount.Name))
		}
		if mount.MountPath == "" {
			errs = append(errs, field.Required(place, ""))
		}
		if places.Has(mount.MountPath) {
			errs = append(errs, field.Invalid(place, mount.MountPath, "must be unique"))
		}
		places.Insert(mount.MountPath)
	}
	return errs
}

func checkPorts(ports []corev1.ContainerPort, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := sets.Set[string]{}
	for i, port := range ports {
		at := path.Index(i)
		if name := at.Child("name"); port.Name != "" {
			errs = append(errs, invalid(port.Name, name,
				validation.IsValidPortName(port.Name))...)
			errs = append(errs, unique(port.Name, names, name)...)
		}
		if number := at.Child("containerPort"); port.ContainerPort == 0 {
			errs = append(errs, field.Required(number, ""))
		} else {
			errs = append(errs, checkPort(port.ContainerPort, number)...)
		}
		if port.HostPort != 0 {
			errs = append(errs, checkPort(port.HostPort, at.Child("hostPort"))...)
		}
		errs = append(errs, oneOf(port.Protocol, at.Child("protocol"),
			corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
	}
	return errs
}

// checkHostPorts refuses a port of the host that two containers
// want which run at once.
func checkHostPorts(
	containers []corev1.Container, path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	taken := sets.Set[string]{}
	for i, c := range containers {
		for j, port := range c.Ports {
			if port.HostPort != 0 {
				errs = append(errs, unique(fmt.Sprintf("%s/%s/%d",
					port.Protocol, port.HostIP, port.HostPort), taken,
					path.Index(i).Child("ports").Index(j).Child("hostPort"))...)
			}
		}
	}
	return errs
}
