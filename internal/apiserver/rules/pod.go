package rules

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubectl/pkg/util/qos"

	controlloop "reconcile/chapters/01-control-loop"
)

// Pod returns the rules of core/v1 Pod beyond those of chapter 1.
func Pod() controlloop.Rules {
	return typed[*corev1.Pod]{
		fill: defaultPod, check: checkPod, change: changePod,
	}.rules()
}

func changePod(pod, old *corev1.Pod) field.ErrorList {
	return slices.Concat(onlyOpened(pod, old), keepEphemeral(pod, old))
}

// defaultPod fills in a Pod: how much of a node it is promised, and where it has
// no network but the node's, the node's ports that it listens on.
func defaultPod(pod *corev1.Pod) {
	gated(pod)
	controlloop.Fill(&pod.Status.QOSClass, qos.GetPodQOS(pod))
	if !pod.Spec.HostNetwork {
		return
	}
	for _, all := range [][]corev1.Container{
		pod.Spec.Containers, pod.Spec.InitContainers,
	} {
		for _, c := range all {
			for i := range c.Ports {
				controlloop.Fill(&c.Ports[i].HostPort, c.Ports[i].ContainerPort)
			}
		}
	}
}

func checkPod(pod *corev1.Pod) field.ErrorList {
	return slices.Concat(
		checkDeletionCost(pod.Annotations, field.NewPath("metadata", "annotations")),
		checkPodSpec(&pod.Spec, specPath),
		// A template is not asked for this.
		validation.ValidateNonnegativeField(*pod.Spec.TerminationGracePeriodSeconds,
			specPath.Child("terminationGracePeriodSeconds")),
		notYet(pod))
}

// checkDeletionCost wants the one way to write a number: neither +5 nor 05.
func checkDeletionCost(
	annotations map[string]string, path *field.Path,
) field.ErrorList {
	cost, given := annotations[corev1.PodDeletionCost]
	if !given {
		return nil
	}
	_, err := strconv.ParseInt(cost, 10, 32)
	if err == nil && (cost == "0" || !strings.ContainsAny(cost[:1], "+0")) {
		return nil
	}
	return field.ErrorList{field.Invalid(
		path.Key(corev1.PodDeletionCost), cost, "must be a 32bit integer")}
}

func checkPodSpec(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	volumes := sets.Set[string]{}
	errs := slices.Concat(
		checkVolumes(spec.Volumes, volumes, path.Child("volumes")),
		checkContainers(spec, volumes, path.Child("containers")),
		checkInitContainers(spec, volumes, path.Child("initContainers")),
		checkEphemeral(spec, volumes, path.Child("ephemeralContainers")),
		checkHostNetwork(spec, path.Child("containers")),
		checkPodSecurity(spec.SecurityContext, path.Child("securityContext")),
		labelIfSet(spec.Hostname, path.Child("hostname")),
		labelIfSet(spec.Subdomain, path.Child("subdomain")),
		oneOf(spec.RestartPolicy, path.Child("restartPolicy"),
			corev1.RestartPolicyAlways,
			corev1.RestartPolicyOnFailure,
			corev1.RestartPolicyNever),
		metavalidation.ValidateLabels(spec.NodeSelector, path.Child("nodeSelector")),
		checkNames(spec, path.Child("dnsConfig")),
		checkAffinity(spec.Affinity, path.Child("affinity")),
		checkSpread(spec.TopologySpreadConstraints,
			path.Child("topologySpreadConstraints")))
	if spec.NodeName != "" {
		errs = append(errs, invalid(spec.NodeName, path.Child("nodeName"),
			utilvalidation.IsDNS1123Subdomain(spec.NodeName))...)
	}
	deadline := spec.ActiveDeadlineSeconds
	if deadline != nil && (*deadline < 1 || *deadline > math.MaxInt32) {
		errs = append(errs, field.Invalid(path.Child("activeDeadlineSeconds"),
			*deadline, utilvalidation.InclusiveRangeError(1, math.MaxInt32)))
	}
	errs = append(errs,
		checkTolerations(spec.Tolerations, path.Child("tolerations"))...)
	errs = append(errs,
		checkGates(spec.SchedulingGates, path.Child("schedulingGates"))...)
	if spec.PriorityClassName != "" {
		errs = append(errs, invalid(spec.PriorityClassName,
			path.Child("priorityClassName"),
			validation.NameIsDNSSubdomain(spec.PriorityClassName, false))...)
	}
	if spec.PreemptionPolicy != nil {
		errs = append(errs, checkPreemption(
			*spec.PreemptionPolicy, path.Child("preemptionPolicy"))...)
	}
	return errs
}

// Of servers there may be this many, and of domains, which together may be as
// long as that.
const mostServers, mostDomains, longestDomains = 3, 32, 2048

// checkNames checks whom a Pod asks for names, and what a name may be short for.
func checkNames(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	config := spec.DNSConfig
	if spec.DNSPolicy == corev1.DNSNone {
		switch {
		case config == nil:
			return field.ErrorList{field.Required(
				path, "must provide `dnsConfig` when `dnsPolicy` is None")}
		case len(config.Nameservers) == 0:
			return field.ErrorList{field.Required(path.Child("nameservers"),
				"must provide at least one DNS nameserver when `dnsPolicy` is None")}
		}
	}
	if config == nil {
		return nil
	}
	var errs field.ErrorList
	servers, domains := path.Child("nameservers"), path.Child("searches")
	if len(config.Nameservers) > mostServers {
		errs = append(errs, field.Invalid(servers, config.Nameservers,
			fmt.Sprintf("must not have more than %d nameservers", mostServers)))
	}
	for i, server := range config.Nameservers {
		errs = append(errs, utilvalidation.IsValidIPForLegacyField(
			servers.Index(i), server, false, nil)...)
	}
	if len(config.Searches) > mostDomains {
		errs = append(errs, field.Invalid(domains, config.Searches,
			fmt.Sprintf("must not have more than %d search paths", mostDomains)))
	}
	if len(strings.Join(config.Searches, " ")) > longestDomains {
		errs = append(errs, field.Invalid(domains, config.Searches, fmt.Sprintf(
			"must not have more than %d characters (including spaces) in the search list",
			longestDomains)))
	}
	for i, option := range config.Options {
		if option.Name == "" {
			errs = append(errs, field.Required(
				path.Child("options").Index(i), "must not be empty"))
		}
	}
	return errs
}

// checkHostNetwork checks that on the node's network a port is the
// same inside and outside. Ports that a template leaves out are filled
// in when the Pod is made.
func checkHostNetwork(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !spec.HostNetwork {
		return nil
	}
	for i, c := range spec.Containers {
		for j, port := range c.Ports {
			if port.HostPort != 0 && port.HostPort != port.ContainerPort {
				errs = append(errs, field.Invalid(
					path.Index(i).Child("ports").Index(j).Child("hostPort"), port.HostPort,
					"must match `containerPort` when `hostNetwork` is true"))
			}
		}
	}
	return errs
}

// checkVolumes fills in names, which containers may mount.
func checkVolumes(
	volumes []corev1.Volume, names sets.Set[string], path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	for i, volume := range volumes {
		at := path.Index(i).Child("name")
		errs = append(errs, checkSource(&volume.VolumeSource, path.Index(i))...)
		errs = append(errs, label(volume.Name, at)...)
		errs = append(errs, unique(volume.Name, names, at)...)
	}
	return errs
}
