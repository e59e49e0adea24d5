package rules

import (
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	serviceutil "k8s.io/kubernetes/pkg/api/service"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
)

var services = map[schema.GroupVersionKind]server{
	rollingupdate.ServiceKind: strategy[*api.Service]{
		prepare: prepareService,
		create: func(s *api.Service) field.ErrorList {
			if errs := checkFamilies(s, nil); len(errs) > 0 {
				return errs
			}
			return append(validation.ValidateServiceCreate(s), checkRange(s)...)
		},
		update: func(s, old *api.Service) field.ErrorList {
			if errs := checkFamilies(s, old); len(errs) > 0 {
				return errs
			}
			return append(validation.ValidateServiceUpdate(s, old), checkRange(s)...)
		},
		status: validation.ValidateServiceStatusUpdate,
		warn:   serviceutil.GetWarningsForService,
	},
}

// prepareService does what Kubernetes does where it gives out addresses: a
// cluster here has one family of them. (pkg/registry/core/service/storage.)
func prepareService(s *api.Service) {
	spec := &s.Spec
	if len(spec.ClusterIPs) > 0 {
		controlloop.Fill(&spec.ClusterIP, spec.ClusterIPs[0])
	} else if spec.ClusterIP != "" {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	if spec.Type == api.ServiceTypeExternalName {
		return // another name for a host elsewhere: it has no address
	}
	if s.ResourceVersion == "" && spec.ClusterIP == api.ClusterIPNone && len(spec.Selector) == 0 &&
		spec.IPFamilyPolicy == nil && len(spec.IPFamilies) < 2 {
		// Its addresses are another's, and may be of any family.
		spec.IPFamilyPolicy = new(api.IPFamilyPolicyRequireDualStack)
		switch {
		case len(spec.IPFamilies) == 0:
			spec.IPFamilies = []api.IPFamily{api.IPv4Protocol, api.IPv6Protocol}
		case spec.IPFamilies[0] == api.IPv4Protocol:
			spec.IPFamilies = append(spec.IPFamilies, api.IPv6Protocol)
		case spec.IPFamilies[0] == api.IPv6Protocol:
			spec.IPFamilies = append(spec.IPFamilies, api.IPv4Protocol)
		}
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []api.IPFamily{api.IPv4Protocol}
	}
	controlloop.Fill(&spec.IPFamilyPolicy, new(api.IPFamilyPolicySingleStack))
}

// checkFamilies returns what is wrong with the addresses that a Service asks for.
// Kubernetes looks at nothing else as long as there is something. (initIPFamilyFields
// in pkg/registry/core/service/storage.)
func checkFamilies(s, old *api.Service) (errs field.ErrorList) {
	spec := &s.Spec
	if spec.Type == api.ServiceTypeExternalName {
		return nil
	}
	elsewhere := spec.ClusterIP == api.ClusterIPNone && len(spec.Selector) == 0
	if *spec.IPFamilyPolicy == api.IPFamilyPolicyRequireDualStack && !elsewhere {
		errs = append(errs, field.Invalid(specPath.Child("ipFamilyPolicy"), spec.IPFamilyPolicy,
			"this cluster is not configured for dual-stack services"))
	}
	for i, family := range spec.IPFamilies {
		if family == api.IPv6Protocol && !elsewhere {
			errs = append(errs, field.Invalid(specPath.Child("ipFamilies").Index(i), family,
				"not configured on this cluster"))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return validation.ValidateServiceClusterIPsRelatedFields(s, old)
}

// clusterIPs are the addresses of Services, of which chapter 3 gives one to each.
var clusterIPs = netip.MustParsePrefix("10.96.0.0/12")

func checkRange(s *api.Service) field.ErrorList {
	at, err := netip.ParseAddr(s.Spec.ClusterIP)
	if err != nil || clusterIPs.Contains(at) {
		return nil
	}
	return field.ErrorList{field.Invalid(specPath.Child("clusterIPs"), s.Spec.ClusterIPs,
		fmt.Sprintf("failed to allocate IP %v: the provided IP (%v) is not in the valid "+
			"range. The range of valid IPs is %v", at, at, clusterIPs))}
}
