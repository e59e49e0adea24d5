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
			return append(validation.ValidateServiceCreate(s), checkRange(s)...)
		},
		update: func(s, old *api.Service) field.ErrorList {
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
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []api.IPFamily{api.IPv4Protocol}
	}
	controlloop.Fill(&spec.IPFamilyPolicy, new(api.IPFamilyPolicySingleStack))
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
