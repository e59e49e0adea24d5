package discovery

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconcile/internal/apiserver/kinds"
)

// versions returns what is served, a list for each group and version: groups
// in the order in which the kinds name them, then those of the reviews and of
// what is absent.
func versions(all []kinds.Kind) []metav1.APIResourceList {
	var groups []string
	var order []schema.GroupVersion
	resourcesOf := map[schema.GroupVersion][]metav1.APIResource{}
	add := func(gv schema.GroupVersion, resources ...metav1.APIResource) {
		if !slices.Contains(groups, gv.Group) {
			groups = append(groups, gv.Group)
		}
		if !slices.Contains(order, gv) {
			order = append(order, gv)
		}
		resourcesOf[gv] = append(resourcesOf[gv], resources...)
	}
	for _, kind := range all {
		add(kind.GroupVersion(), resources(kind)...)
	}
	for _, review := range reviews {
		add(review.group, review.resource)
	}
	for _, a := range absent {
		add(a.group, a.resource)
	}
	slices.SortStableFunc(order, func(a, b schema.GroupVersion) int {
		return slices.Index(groups, a.Group) - slices.Index(groups, b.Group)
	})
	var served []metav1.APIResourceList
	for _, gv := range order {
		served = append(served, listOf(gv, resourcesOf[gv]))
	}
	return served
}

func listOf(gv schema.GroupVersion, resources []metav1.APIResource) metav1.APIResourceList {
	return metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: gv.String(),
		APIResources: slices.SortedFunc(slices.Values(resources),
			func(a, b metav1.APIResource) int { return cmp.Compare(a.Name, b.Name) }),
	}
}

// resources returns the resource of a kind and its subresources.
func resources(kind kinds.Kind) []metav1.APIResource {
	name := kind.GroupVersionKind.Kind
	all := []metav1.APIResource{{
		Name:         kind.Resource,
		SingularName: strings.ToLower(name),
		Namespaced:   kind.Namespaced,
		Kind:         name,
		Verbs:        verbs(kind),
		ShortNames:   kind.ShortNames,
		Categories:   kind.Categories,
	}}
	sub := func(name string, of metav1.APIResource) {
		of.Name = kind.Resource + "/" + name
		of.Namespaced = kind.Namespaced
		all = append(all, of)
	}
	for _, name := range kind.Subresources {
		sub(name, subresource(kind, name))
	}
	if kind.Scale != nil {
		sub("scale", metav1.APIResource{
			Group: "autoscaling", Version: "v1", Kind: "Scale",
			Verbs: metav1.Verbs{"get", "patch", "update"},
		})
	}
	if kind.HasStatus {
		sub("status", metav1.APIResource{
			Kind: name, Verbs: metav1.Verbs{"get", "patch", "update"},
		})
	}
	return all
}

func verbs(kind kinds.Kind) metav1.Verbs {
	all := metav1.Verbs{
		"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch",
	}
	if kind.OneByOne {
		return slices.DeleteFunc(all, func(v string) bool { return v == "deletecollection" })
	}
	return all
}

// subresource returns the kind of the objects that are sent to a path below an
// object: if no case names another, the object's own kind.
func subresource(kind kinds.Kind, name string) metav1.APIResource {
	switch name {
	case "attach":
		return metav1.APIResource{Kind: "PodAttachOptions", Verbs: metav1.Verbs{"create", "get"}}
	case "binding":
		return metav1.APIResource{Kind: "Binding", Verbs: metav1.Verbs{"create"}}
	case "ephemeralcontainers":
		return metav1.APIResource{
			Kind: kind.GroupVersionKind.Kind, Verbs: metav1.Verbs{"get", "patch", "update"},
		}
	case "eviction":
		return metav1.APIResource{
			Group: "policy", Version: "v1", Kind: "Eviction", Verbs: metav1.Verbs{"create"},
		}
	case "exec":
		return metav1.APIResource{Kind: "PodExecOptions", Verbs: metav1.Verbs{"create", "get"}}
	case "finalize":
		return metav1.APIResource{Kind: kind.GroupVersionKind.Kind, Verbs: metav1.Verbs{"update"}}
	case "portforward":
		return metav1.APIResource{
			Kind: "PodPortForwardOptions", Verbs: metav1.Verbs{"create", "get"},
		}
	case "proxy":
		return metav1.APIResource{
			Kind:  kind.GroupVersionKind.Kind + "ProxyOptions",
			Verbs: metav1.Verbs{"create", "delete", "get", "patch", "update"},
		}
	}
	return metav1.APIResource{Kind: kind.GroupVersionKind.Kind, Verbs: metav1.Verbs{"get"}}
}
