package discovery

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// absent are kinds that people's manifests have and this server lacks. They are
// listed because kubectl doesn't send an object of an unlisted kind, and
// guesses "ensure CRDs are installed first"; of a listed kind, the server's
// answer tells it why. Programs that look for kinds to list or delete skip
// these.
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

// Absent returns the kind of a resource that is absent, and why it is; of all
// others it returns "".
func Absent(gvr schema.GroupVersionResource) (kind, why string) {
	for _, a := range absent {
		if a.group.WithResource(a.resource.Name) == gvr {
			return a.resource.Kind, a.why
		}
	}
	return "", ""
}
