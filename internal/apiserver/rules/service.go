package rules

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// Service returns the rules of core/v1 Service beyond those of chapter 3.
func Service() controlloop.Rules {
	return typed[*corev1.Service]{
		fill:  defaultService,
		check: checkService,
		allot: controlloop.Allotment{Of: nodePortsOf, Give: giveNodePorts},
	}.rules()
}

func defaultService(s *corev1.Service) {
	spec := &s.Spec
	defaultAffinity(spec)
	if spec.Type == corev1.ServiceTypeExternalName {
		return // another name for a host elsewhere: it has no address
	}
	if IsOutside(spec) {
		controlloop.Fill(&spec.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	}
	controlloop.Fill(&spec.InternalTrafficPolicy, new(corev1.ServiceInternalTrafficPolicyCluster))
	if spec.Type == corev1.ServiceTypeLoadBalancer {
		controlloop.Fill(&spec.AllocateLoadBalancerNodePorts, new(true))
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
	}
	controlloop.Fill(&spec.IPFamilyPolicy, new(corev1.IPFamilyPolicySingleStack))
}

func defaultAffinity(spec *corev1.ServiceSpec) {
	if spec.SessionAffinity == corev1.ServiceAffinityNone {
		spec.SessionAffinityConfig = nil
		return
	}
	if spec.SessionAffinity == corev1.ServiceAffinityClientIP {
		controlloop.Fill(&spec.SessionAffinityConfig, &corev1.SessionAffinityConfig{})
		controlloop.Fill(&spec.SessionAffinityConfig.ClientIP, &corev1.ClientIPConfig{})
		controlloop.Fill(&spec.SessionAffinityConfig.ClientIP.TimeoutSeconds,
			new(corev1.DefaultClientIPServiceAffinitySeconds))
	}
}

// mostAffinity is for how many seconds a client may be remembered: a day.
const mostAffinity = 86400

// checkAffinityTimeout checks what defaultAffinity has filled in.
func checkAffinityTimeout(config *corev1.SessionAffinityConfig, path *field.Path) field.ErrorList {
	if config == nil || config.ClientIP == nil {
		return nil
	}
	if n := config.ClientIP.TimeoutSeconds; *n <= 0 || *n > mostAffinity {
		return field.ErrorList{field.Invalid(path.Child("clientIP", "timeoutSeconds"), *n,
			fmt.Sprintf("must be greater than 0 and less than %d", mostAffinity))}
	}
	return nil
}

// IsOutside reports whether the Service can be reached from outside the cluster.
func IsOutside(spec *corev1.ServiceSpec) bool {
	return spec.Type == corev1.ServiceTypeLoadBalancer ||
		spec.Type == corev1.ServiceTypeNodePort ||
		spec.Type == corev1.ServiceTypeClusterIP && len(spec.ExternalIPs) > 0
}

func headless(spec *corev1.ServiceSpec) bool {
	return spec.ClusterIP == corev1.ClusterIPNone
}

func checkService(s *corev1.Service) field.ErrorList {
	spec := &s.Spec
	return slices.Concat(
		checkType(spec),
		checkServicePorts(spec, specPath.Child("ports")),
		metavalidation.ValidateLabels(spec.Selector, specPath.Child("selector")),
		oneOf(spec.SessionAffinity, specPath.Child("sessionAffinity"),
			corev1.ServiceAffinityClientIP, corev1.ServiceAffinityNone),
		checkAffinityTimeout(spec.SessionAffinityConfig, specPath.Child("sessionAffinityConfig")),
		checkClusterIP(spec),
		oneOf(spec.Type, specPath.Child("type"),
			corev1.ServiceTypeClusterIP, corev1.ServiceTypeExternalName,
			corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort))
}

// checkType checks that the fields of a Service go with its type.
func checkType(spec *corev1.ServiceSpec) field.ErrorList {
	addresses := specPath.Child("clusterIPs")
	switch spec.Type {
	case corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort:
		if headless(spec) {
			return field.ErrorList{field.Invalid(addresses.Index(0), spec.ClusterIP,
				"may not be set to 'None' for "+string(spec.Type)+" services")}
		}
	case corev1.ServiceTypeExternalName:
		var errs field.ErrorList
		if spec.ClusterIP != "" || len(spec.ClusterIPs) > 0 {
			errs = append(errs, field.Forbidden(
				addresses, "may not be set for ExternalName services"))
		}
		path, host := specPath.Child("externalName"), strings.TrimSuffix(spec.ExternalName, ".")
		if host == "" {
			return append(errs, field.Required(path, ""))
		}
		return append(errs, invalid(host, path, validation.IsDNS1123Subdomain(host))...)
	}
	return nil
}

func checkServicePorts(spec *corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names, seen := sets.Set[string]{}, sets.Set[shownPort]{}
	for i, port := range spec.Ports {
		at := path.Index(i)
		errs = append(errs, checkPortName(port.Name, names, at.Child("name"))...)
		errs = append(errs, oneOf(port.Protocol, at.Child("protocol"),
			corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
		errs = append(errs, checkTarget(port.TargetPort, at.Child("targetPort"))...)
		if port.NodePort != 0 && spec.Type == corev1.ServiceTypeClusterIP {
			errs = append(errs, field.Forbidden(at.Child("nodePort"),
				"may not be used when `type` is 'ClusterIP'"))
		}
		key := shownPort{Protocol: port.Protocol, Port: port.Port}
		if seen.Has(key) {
			errs = append(errs, field.Duplicate(at, key))
		}
		seen.Insert(key)
	}
	return errs
}

// shownPort is a port as Kubernetes' own code names its fields, and so do its
// messages.
type shownPort struct {
	Name        string
	Protocol    corev1.Protocol
	AppProtocol *string
	Port        int32
	TargetPort  intstr.IntOrString
	NodePort    int32
}

func checkPortName(
	name string, seen sets.Set[string], path *field.Path,
) field.ErrorList {
	if name == "" {
		return nil
	}
	errs := invalid(name, path, validation.IsDNS1123Label(name))
	if seen.Has(name) {
		errs = append(errs, field.Duplicate(path, name))
	}
	seen.Insert(name)
	return errs
}

// checkTarget takes a number, or the name of a port of the Pods.
func checkTarget(port intstr.IntOrString, path *field.Path) field.ErrorList {
	if port.Type == intstr.String {
		return invalid(port.StrVal, path, validation.IsValidPortName(port.StrVal))
	}
	return checkPort(port.IntVal, path)
}
