package discovery

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// absent are kinds that this server does not have, though people's manifests
// do. They are listed because kubectl sends no object of a kind that isn't, and
// guesses why: "ensure CRDs are installed first". It finds out from the answer.
// Programs that look for what they can list or delete pass these by.
var absent = []struct {
	group    schema.GroupVersion
	resource metav1.APIResource
	why      string
}{
	{autoscaling("v2"), hpa, unmeasured},
	{autoscaling("v1"), hpa, unmeasured},
	{schema.GroupVersion{Group: "apiextensions.k8s.io", Version: "v1"},
		notHere("CustomResourceDefinition", "customresourcedefinitions", false, "crd", "crds"),
		"its API has no kinds but Kubernetes' own"},
	{schema.GroupVersion{Group: "networking.k8s.io", Version: "v1"},
		notHere("NetworkPolicy", "networkpolicies", true, "netpol"),
		"its network lets everything through"},
	{rbac, notHere("Role", "roles", true), unguarded},
	{rbac, notHere("RoleBinding", "rolebindings", true), unguarded},
	{rbac, notHere("ClusterRole", "clusterroles", false), unguarded},
	{rbac, notHere("ClusterRoleBinding", "clusterrolebindings", false), unguarded},
}

const (
	unmeasured = "nothing here measures what Pods use"
	unguarded  = "whoever reaches its API may do everything"
)

var (
	hpa  = notHere("HorizontalPodAutoscaler", "horizontalpodautoscalers", true, "hpa")
	rbac = schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
)

func autoscaling(version string) schema.GroupVersion {
	return schema.GroupVersion{Group: "autoscaling", Version: version}
}

func notHere(kind, resource string, namespaced bool, short ...string) metav1.APIResource {
	return metav1.APIResource{
		Name: resource, SingularName: strings.ToLower(kind), Kind: kind,
		Namespaced: namespaced, ShortNames: short, Verbs: metav1.Verbs{"create"},
	}
}

// Absent says what kind a resource is of and why it is not here, or returns "":
// then it is, or nobody asks for it.
func Absent(gvr schema.GroupVersionResource) (kind, why string) {
	for _, a := range absent {
		if a.group.WithResource(a.resource.Name) == gvr {
			return a.resource.Kind, a.why
		}
	}
	return "", ""
}
