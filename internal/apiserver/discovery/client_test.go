package discovery_test

import (
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientdiscovery "k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"reconcile/internal/apiserver/discovery"
	"reconcile/internal/apiserver/kinds"
)

// client returns client-go's, of a server that says what it serves.
func client(t *testing.T, all []kinds.Kind) *clientdiscovery.DiscoveryClient {
	t.Helper()
	server := httptest.NewServer(discovery.Handler(all))
	t.Cleanup(server.Close)
	return clientdiscovery.NewDiscoveryClientForConfigOrDie(&rest.Config{Host: server.URL})
}

// flatten lists what a client found: group, version, resource and kind. Of
// what a subresource is called alone, client-go has another view in each form.
func flatten(lists []*metav1.APIResourceList) []string {
	var all []string
	for _, list := range lists {
		for _, r := range list.APIResources {
			all = append(all, list.GroupVersion+" "+r.Name+" "+r.Kind)
		}
	}
	slices.Sort(all)
	return all
}

func TestClientsFindTheSameInBothForms(t *testing.T) {
	c := client(t, kinds.All())
	_, newer, err := c.ServerGroupsAndResources()
	require.NoError(t, err)
	c.UseLegacyDiscovery = true
	_, older, err := c.ServerGroupsAndResources()
	require.NoError(t, err)
	assert.Equal(t, flatten(older), flatten(newer))
	assert.Len(t, newer, 16)
}

// Else programs that delete whatever is in a namespace, or watch all that there
// is, would trip over them.
func TestWhatIsAbsentIsListedAndPassedBy(t *testing.T) {
	_, lists, err := client(t, kinds.All()).ServerGroupsAndResources()
	require.NoError(t, err)
	listable := clientdiscovery.FilteredBy(clientdiscovery.SupportsAllVerbs{Verbs: []string{"list"}}, lists)
	for _, group := range []string{"autoscaling/v1", "autoscaling/v2", "apiextensions.k8s.io/v1", "rbac.authorization.k8s.io/v1"} {
		in := func(l *metav1.APIResourceList) bool { return l.GroupVersion == group }
		assert.True(t, slices.ContainsFunc(lists, in), group)
		assert.False(t, slices.ContainsFunc(listable, in), group)
	}
}

func TestShortNamesLeadToKinds(t *testing.T) {
	cached := memory.NewMemCacheClient(client(t, kinds.All()))
	mapper := restmapper.NewShortcutExpander(
		restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)
	for _, kind := range kinds.All() {
		for _, name := range append(kind.ShortNames, kind.Resource) {
			got, err := mapper.KindFor(schema.GroupVersionResource{Resource: name})
			require.NoError(t, err)
			assert.Equal(t, kind.GroupVersionKind, got, name)
		}
	}
}

func TestAllMeansTheWorkloadsAndWhatServesThem(t *testing.T) {
	expander := restmapper.NewDiscoveryCategoryExpander(client(t, kinds.All()))
	all, ok := expander.Expand("all")
	require.True(t, ok)
	var names []string
	for _, r := range all {
		names = append(names, r.Resource)
	}
	assert.ElementsMatch(t, []string{
		"pods", "replicationcontrollers", "services",
		"daemonsets", "deployments", "replicasets", "statefulsets",
		"cronjobs", "jobs",
	}, names)
}
