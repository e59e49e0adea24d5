package rules

import (
	networkingv1 "k8s.io/api/networking/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/coordination"
	coordinationvalidation "k8s.io/kubernetes/pkg/apis/coordination/validation"
	"k8s.io/kubernetes/pkg/apis/discovery"
	discoveryvalidation "k8s.io/kubernetes/pkg/apis/discovery/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/kubernetes/pkg/apis/resource"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingvalidation "k8s.io/kubernetes/pkg/apis/scheduling/validation"

	rollingupdate "reconcile/chapters/03-rolling-update"
	daemonset "reconcile/chapters/06-daemonset"
)

var others = map[schema.GroupVersionKind]server{
	daemonset.LeaseKind: strategy[*coordination.Lease]{
		prepare: func(l *coordination.Lease) { // the feature CoordinatedLeaderElection is off
			l.Spec.Strategy, l.Spec.PreferredHolder = nil, nil
		},
		create: coordinationvalidation.ValidateLease,
		update: coordinationvalidation.ValidateLeaseUpdate,
	},
	rollingupdate.EndpointSliceKind: strategy[*discovery.EndpointSlice]{
		prepare: func(s *discovery.EndpointSlice) {
			for i := range s.Endpoints {
				s.Endpoints[i].DeprecatedTopology = nil
			}
		},
		create: discoveryvalidation.ValidateEndpointSliceCreate,
		update: discoveryvalidation.ValidateEndpointSliceUpdate,
		warn:   warnOfSlice,
	},
	daemonset.BudgetKind: strategy[*policy.PodDisruptionBudget]{
		create: func(b *policy.PodDisruptionBudget) field.ErrorList {
			return policyvalidation.ValidatePodDisruptionBudget(
				b, policyvalidation.PodDisruptionBudgetValidationOptions{})
		},
		update: func(b, old *policy.PodDisruptionBudget) field.ErrorList {
			return policyvalidation.ValidatePodDisruptionBudget(
				b, policyvalidation.PodDisruptionBudgetValidationOptions{
					AllowInvalidLabelValueInSelector: old.Spec.Selector != nil &&
						metavalidation.LabelSelectorHasInvalidLabelValue(old.Spec.Selector),
				})
		},
		status: func(b, old *policy.PodDisruptionBudget) field.ErrorList {
			return policyvalidation.ValidatePodDisruptionBudgetStatusUpdate(b.Status,
				old.Status, field.NewPath("status"), daemonset.BudgetKind.GroupVersion())
		},
	},
	daemonset.PriorityKind: strategy[*scheduling.PriorityClass]{
		create: schedulingvalidation.ValidatePriorityClass,
		update: schedulingvalidation.ValidatePriorityClassUpdate,
	},
	// What is written by hand about devices is for CEL to judge, which is not here.
	resourcev1.SchemeGroupVersion.WithKind("DeviceClass"):   strategy[*resource.DeviceClass]{},
	resourcev1.SchemeGroupVersion.WithKind("ResourceClaim"): strategy[*resource.ResourceClaim]{},
	resourcev1.SchemeGroupVersion.WithKind("ResourceSlice"): strategy[*resource.ResourceSlice]{
		options: map[string]bool{"DRAPartitionableDevicesType": false},
	},
	networkingv1.SchemeGroupVersion.WithKind("Ingress"): strategy[*networking.Ingress]{
		create: networkingvalidation.ValidateIngressCreate,
		update: networkingvalidation.ValidateIngressUpdate,
		status: networkingvalidation.ValidateIngressStatusUpdate,
		warn: func(i, old *networking.Ingress) []string {
			const class = "kubernetes.io/ingress.class"
			if _, given := i.Annotations[class]; !given || old != nil ||
				i.Spec.IngressClassName != nil {
				return nil
			}
			return []string{"annotation \"" + class +
				"\" is deprecated, please use 'spec.ingressClassName' instead"}
		},
	},
}

func warnOfSlice(s, old *discovery.EndpointSlice) (all []string) {
	if old == nil && s.AddressType == discovery.AddressTypeFQDN {
		all = append(all, "spec.addressType: FQDN endpoints are deprecated")
	}
	for i, endpoint := range s.Endpoints {
		for j, at := range endpoint.Addresses {
			all = append(all, utilvalidation.GetWarningsForIP(field.NewPath("endpoints").
				Index(i).Child("addresses").Index(j), at)...)
		}
	}
	return all
}
