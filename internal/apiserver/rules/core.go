package rules

import (
	"crypto/tls"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"

	controlloop "reconcile/chapters/01-control-loop"
)

var v1 = corev1.SchemeGroupVersion

var core = map[schema.GroupVersionKind]server{
	v1.WithKind("ConfigMap"): strategy[*api.ConfigMap]{
		create: validation.ValidateConfigMap,
		update: validation.ValidateConfigMapUpdate,
	},
	v1.WithKind("Endpoints"): strategy[*api.Endpoints]{
		create: validation.ValidateEndpointsCreate,
		update: validation.ValidateEndpointsUpdate,
		warn:   warnOfEndpoints,
	},
	// Events are kept in their older form, whichever they were sent in (CheckNewerEvent).
	v1.WithKind("Event"): strategy[*api.Event]{
		create: func(e *api.Event) field.ErrorList {
			return validation.ValidateEventCreate(e, v1)
		},
		update: func(e, old *api.Event) field.ErrorList {
			return validation.ValidateEventUpdate(e, old, v1)
		},
	},
	v1.WithKind("LimitRange"): strategy[*api.LimitRange]{
		prepare: func(r *api.LimitRange) {
			controlloop.Fill(&r.Name, string(uuid.NewUUID()))
		},
		create: validation.ValidateLimitRange,
		update: func(r, _ *api.LimitRange) field.ErrorList {
			return validation.ValidateLimitRange(r)
		},
	},
	v1.WithKind("Namespace"): strategy[*api.Namespace]{
		prepare: prepareNamespace,
		create:  validation.ValidateNamespace,
		update: func(n, old *api.Namespace) field.ErrorList {
			return append(validation.ValidateNamespace(n),
				validation.ValidateNamespaceUpdate(n, old)...)
		},
		status: validation.ValidateNamespaceStatusUpdate,
	},
	controlloop.NodeKind: strategy[*api.Node]{
		// the feature InPlacePodVerticalScalingSchedulerPreemption is off
		prepare: func(n *api.Node) { n.Spec.PodPreemptionPolicy = nil },
		create:  validation.ValidateNode,
		update: func(n, old *api.Node) field.ErrorList {
			return append(validation.ValidateNode(n), validation.ValidateNodeUpdate(n, old)...)
		},
		status:  validation.ValidateNodeUpdate,
		warn:    warnOfNode,
		options: map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": false},
	},
	v1.WithKind("ResourceQuota"): strategy[*api.ResourceQuota]{
		create: validation.ValidateResourceQuota,
		update: validation.ValidateResourceQuotaUpdate,
		status: validation.ValidateResourceQuotaStatusUpdate,
		warn:   warnOfQuota,
	},
	v1.WithKind("Secret"): strategy[*api.Secret]{
		create: validation.ValidateSecret,
		update: validation.ValidateSecretUpdate,
		warn:   warnOfSecret,
	},
	v1.WithKind("ServiceAccount"): strategy[*api.ServiceAccount]{
		prepare: func(a *api.ServiceAccount) {
			for i, secret := range a.Secrets {
				a.Secrets[i] = api.ObjectReference{Name: secret.Name}
			}
		},
		create: validation.ValidateServiceAccount,
		update: validation.ValidateServiceAccountUpdate,
	},
}

// CheckNewerEvent returns what is wrong with a new Event that is sent as one of
// events.k8s.io/v1. More is asked of it than of the older form, by whose rules it is
// then kept.
func CheckNewerEvent(obj controlloop.Object) field.ErrorList {
	event, _, err := internals[*api.Event](obj, nil)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	return validation.ValidateEventCreate(event, eventsv1.SchemeGroupVersion)
}

// prepareNamespace gives a namespace the finalizer that keeps it until it is
// empty, and its name as a label, for selectors match labels only.
func prepareNamespace(n *api.Namespace) {
	controlloop.Fill(&n.Status.Phase, api.NamespaceActive)
	if n.ResourceVersion == "" && !slices.Contains(n.Spec.Finalizers, api.FinalizerKubernetes) {
		n.Spec.Finalizers = append(n.Spec.Finalizers, api.FinalizerKubernetes)
	}
	if n.Name == "" {
		return
	}
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	n.Labels[corev1.LabelMetadataName] = n.Name
}

func warnOfEndpoints(e, _ *api.Endpoints) (all []string) {
	if e.Labels["endpoints.kubernetes.io/managed-by"] == "endpoint-controller" {
		return nil
	}
	for i, subset := range e.Subsets {
		path := field.NewPath("subsets").Index(i)
		for j, at := range subset.Addresses {
			all = append(all, utilvalidation.GetWarningsForIP(
				path.Child("addresses").Index(j).Child("ip"), at.IP)...)
		}
		for j, at := range subset.NotReadyAddresses {
			all = append(all, utilvalidation.GetWarningsForIP(
				path.Child("notReadyAddresses").Index(j).Child("ip"), at.IP)...)
		}
	}
	return all
}

func warnOfNode(n, _ *api.Node) (all []string) {
	//lint:ignore SA1019 it is removed, which is what they are told
	if n.Spec.ConfigSource != nil {
		all = append(all, "spec.configSource: the feature is removed")
	}
	if n.Spec.DoNotUseExternalID != "" {
		all = append(all,
			"spec.externalID: this field is deprecated, and is unused by Kubernetes")
	}
	for i, addresses := range n.Spec.PodCIDRs {
		all = append(all, utilvalidation.GetWarningsForCIDR(
			specPath.Child("podCIDRs").Index(i), addresses)...)
	}
	return all
}

// warnOfQuota warns of a new quota that lets more be requested than used.
func warnOfQuota(q, old *api.ResourceQuota) (all []string) {
	if old != nil {
		return nil
	}
	for _, name := range []api.ResourceName{
		api.ResourceCPU, api.ResourceMemory, api.ResourceStorage,
		api.ResourceEphemeralStorage,
	} {
		asked := "requests." + name
		request, ok := q.Spec.Hard[asked]
		if !ok && (name == api.ResourceCPU || name == api.ResourceMemory) {
			asked = name
			request, ok = q.Spec.Hard[asked]
		}
		limit, limited := q.Spec.Hard["limits."+name]
		if ok && limited && request.Cmp(limit) > 0 {
			all = append(all, fmt.Sprintf("ResourceQuota %s (%s) should be less than "+
				"limits.%s (%s)", asked, request.String(), name, limit.String()))
		}
	}
	return all
}

func warnOfSecret(s, _ *api.Secret) []string {
	if s.Type != api.SecretTypeTLS {
		return nil
	}
	_, err := tls.X509KeyPair(s.Data[api.TLSCertKey], s.Data[api.TLSPrivateKeyKey])
	if err != nil {
		return []string{err.Error()}
	}
	return nil
}
