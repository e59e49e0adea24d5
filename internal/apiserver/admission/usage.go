package admission

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	resourcehelper "k8s.io/component-helpers/resource"

	controlloop "reconcile/chapters/01-control-loop"
)

// measures reports whether a quota can limit a resource under this name.
func measures(of schema.GroupResource, name corev1.ResourceName) bool {
	return slices.Contains(names(of), name) ||
		of.Group == "" && of.Resource == "pods" && isLoose(name)
}

// isLoose reports whether containers can ask for an amount under a name that is
// in no list: what else nodes have to give ("extended resources",
// example.com/gpu), of which a quota limits requests only.
func isLoose(name corev1.ResourceName) bool {
	what, isRequest := strings.CutPrefix(
		string(name), corev1.DefaultResourceRequestsPrefix)
	return isRequest && isExtended(corev1.ResourceName(what))
}

// isExtended reports whether a resource is none of Kubernetes' own.
func isExtended(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/") &&
		!strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

// names returns those names that are in a list.
func names(of schema.GroupResource) []corev1.ResourceName {
	names := []corev1.ResourceName{counted(of)}
	if of.Group != "" {
		return names
	}
	switch of.Resource {
	case "pods":
		return append(names, slices.Concat(asked, []corev1.ResourceName{
			corev1.ResourcePods, corev1.ResourceEphemeralStorage,
			corev1.ResourceRequestsEphemeralStorage,
			corev1.ResourceLimitsEphemeralStorage})...)
	case "services":
		return append(names, corev1.ResourceServices,
			corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers)
	case "persistentvolumeclaims":
		return append(names, corev1.ResourcePersistentVolumeClaims,
			corev1.ResourceRequestsStorage)
	case "configmaps", "replicationcontrollers", "resourcequotas", "secrets":
		return append(names, corev1.ResourceName(of.Resource))
	}
	return names
}

// counted returns the name under which a quota counts any resource:
// "count/deployments.apps".
func counted(of schema.GroupResource) corev1.ResourceName {
	return corev1.ResourceName("count/" + of.String())
}

// asked lists the amounts that every container has to give if a quota limits
// them.
var asked = []corev1.ResourceName{
	corev1.ResourceCPU, corev1.ResourceMemory,
	corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory,
	corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
}

// usage returns what an object takes (Kubernetes: pkg/quota/v1/evaluator/core).
func usage(of schema.GroupResource, obj controlloop.Object) corev1.ResourceList {
	one := resource.MustParse("1")
	used := corev1.ResourceList{counted(of): one}
	if plain := corev1.ResourceName(of.Resource); of.Resource != "pods" &&
		slices.Contains(names(of), plain) {
		used[plain] = one
	}
	switch obj := obj.(type) {
	case *corev1.Pod:
		if phase := obj.Status.Phase; phase != corev1.PodSucceeded &&
			phase != corev1.PodFailed {
			used[corev1.ResourcePods] = one
			options := resourcehelper.PodResourcesOptions{}
			maps.Copy(used, compute(resourcehelper.PodRequests(obj, options),
				resourcehelper.PodLimits(obj, options)))
		}
	case *corev1.PersistentVolumeClaim:
		if size, ok := obj.Spec.Resources.Requests[corev1.ResourceStorage]; ok {
			used[corev1.ResourceRequestsStorage] = size
		}
	case *corev1.Service:
		ports := *resource.NewQuantity(int64(len(obj.Spec.Ports)), resource.DecimalSI)
		switch obj.Spec.Type {
		case corev1.ServiceTypeLoadBalancer:
			used[corev1.ResourceServicesLoadBalancers] = one
			used[corev1.ResourceServicesNodePorts] = ports
		case corev1.ServiceTypeNodePort:
			used[corev1.ResourceServicesNodePorts] = ports
		}
	}
	return used
}

// compute returns requests and limits under the names that quotas have for
// them.
func compute(requests, limits corev1.ResourceList) corev1.ResourceList {
	named := corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{
		corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage,
	} {
		if request, ok := requests[name]; ok {
			named[name], named["requests."+name] = request, request
		}
		if limit, ok := limits[name]; ok {
			named["limits."+name] = limit
		}
	}
	for name, request := range requests {
		if isExtended(name) {
			named["requests."+name] = request
		}
	}
	return named
}

// unsaid returns an error that names the amounts which the containers of a Pod
// leave open though a quota limits them, or nil.
func unsaid(pod *corev1.Pod, hard corev1.ResourceList) error {
	if resourcehelper.IsPodLevelResourcesSet(pod) {
		return nil
	}
	missing := map[corev1.ResourceName]sets.Set[string]{}
	for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
		said := compute(c.Resources.Requests, c.Resources.Limits)
		for _, name := range asked {
			_, limited := hard[name]
			if _, ok := said[name]; limited && !ok {
				if missing[name] == nil {
					missing[name] = sets.New[string]()
				}
				missing[name].Insert(c.Name)
			}
		}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		all = append(all, fmt.Sprintf("%s for: %s", name,
			strings.Join(sets.List(missing[name]), ",")))
	}
	if all == nil {
		return nil
	}
	return fmt.Errorf("must specify %s", strings.Join(all, "; "))
}
