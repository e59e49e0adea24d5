package discovery

import (
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// aggregate returns the groups of the lists, which clients get in one document
// rather than in one for each group.
func aggregate(lists []metav1.APIResourceList) apidiscoveryv2.APIGroupDiscoveryList {
	all := apidiscoveryv2.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{
			Kind:       "APIGroupDiscoveryList",
			APIVersion: apidiscoveryv2.SchemeGroupVersion.String(),
		},
		Items: []apidiscoveryv2.APIGroupDiscovery{},
	}
	for _, list := range lists {
		gv, _ := schema.ParseGroupVersion(list.GroupVersion)
		last := len(all.Items) - 1
		if last < 0 || all.Items[last].Name != gv.Group {
			all.Items = append(all.Items, apidiscoveryv2.APIGroupDiscovery{
				ObjectMeta: metav1.ObjectMeta{Name: gv.Group},
			})
			last++
		}
		all.Items[last].Versions = append(all.Items[last].Versions,
			apidiscoveryv2.APIVersionDiscovery{
				Version:   gv.Version,
				Resources: nested(list.APIResources),
				Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent,
			})
	}
	return all
}

// nested puts each subresource into its resource, which comes before it.
func nested(flat []metav1.APIResource) []apidiscoveryv2.APIResourceDiscovery {
	var all []apidiscoveryv2.APIResourceDiscovery
	for _, r := range flat {
		kind := &metav1.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
		if _, name, ok := strings.Cut(r.Name, "/"); ok {
			parent := &all[len(all)-1]
			parent.Subresources = append(parent.Subresources,
				apidiscoveryv2.APISubresourceDiscovery{
					Subresource: name, ResponseKind: kind, Verbs: r.Verbs,
				})
			continue
		}
		all = append(all, apidiscoveryv2.APIResourceDiscovery{
			Resource:         r.Name,
			ResponseKind:     kind,
			Scope:            scope(r),
			SingularResource: r.SingularName,
			Verbs:            r.Verbs,
			ShortNames:       r.ShortNames,
			Categories:       r.Categories,
		})
	}
	return all
}

func scope(r metav1.APIResource) apidiscoveryv2.ResourceScope {
	if r.Namespaced {
		return apidiscoveryv2.ScopeNamespace
	}
	return apidiscoveryv2.ScopeCluster
}
