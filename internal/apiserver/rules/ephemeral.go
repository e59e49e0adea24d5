package rules

import (
	"fmt"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const notEphemeral = "cannot be set for an Ephemeral Container"

// checkEphemeral checks that an ephemeral container has a name that no
// other has, and nothing by which a Pod's own containers are started
// again, placed or asked.
func checkEphemeral(
	spec *corev1.PodSpec, volumes sets.Set[string], path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	targets, names := sets.Set[string]{}, sets.Set[string]{}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		targets.Insert(c.Name)
		names.Insert(c.Name)
	}
	for i := range spec.EphemeralContainers {
		c, at := &spec.EphemeralContainers[i], path.Index(i)
		common := (*corev1.Container)(&c.EphemeralContainerCommon)
		errs = append(errs, slices.Concat(
			checkContainer(common, volumes, at),
			unique(c.Name, names, at.Child("name")))...)
		if target := c.TargetContainerName; target != "" && !targets.Has(target) {
			errs = append(errs, field.NotFound(at.Child("targetContainerName"), target))
		}
		errs = append(errs, forbidden(common, at)...)
	}
	return errs
}

// forbidden returns an error for each field that an ephemeral
// container must not have.
func forbidden(c *corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	forbid := func(at *field.Path, given bool) {
		if given {
			errs = append(errs, field.Forbidden(at, notEphemeral))
		}
	}
	forbid(path.Child("ports"), c.Ports != nil)
	forbid(path.Child("resources"), !reflect.ValueOf(c.Resources).IsZero())
	forbid(path.Child("resizePolicy"), c.ResizePolicy != nil)
	forbid(path.Child("restartPolicy"), c.RestartPolicy != nil)
	forbid(path.Child("restartPolicyRules"), c.RestartPolicyRules != nil)
	forbid(path.Child("livenessProbe"), c.LivenessProbe != nil)
	forbid(path.Child("readinessProbe"), c.ReadinessProbe != nil)
	forbid(path.Child("startupProbe"), c.StartupProbe != nil)
	forbid(path.Child("lifecycle"), c.Lifecycle != nil)
	for i, mount := range c.VolumeMounts {
		at := path.Child("volumeMounts").Index(i)
		forbid(at.Child("subPath"), mount.SubPath != "")
		forbid(at.Child("subPathExpr"), mount.SubPathExpr != "")
	}
	return errs
}

// keepEphemeral refuses changes: containers that were added stay, and stay as
// they are. Kubernetes also prints how they differ.
func keepEphemeral(pod, old *corev1.Pod) field.ErrorList {
	var errs field.ErrorList
	path := specPath.Child("ephemeralContainers")
	for _, was := range old.Spec.EphemeralContainers {
		at := slices.IndexFunc(pod.Spec.EphemeralContainers,
			func(c corev1.EphemeralContainer) bool { return c.Name == was.Name })
		switch {
		case at < 0:
			errs = append(errs, field.Forbidden(path, fmt.Sprintf(
				"existing ephemeral containers %q may not be removed\n", was.Name)))
		case !equality.Semantic.DeepEqual(was, pod.Spec.EphemeralContainers[at]):
			errs = append(errs, field.Forbidden(path, fmt.Sprintf(
				"existing ephemeral containers %q may not be changed\n", was.Name)))
		}
	}
	return errs
}
