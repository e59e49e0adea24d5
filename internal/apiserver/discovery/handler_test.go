package discovery_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"reconcile/internal/apiserver/discovery"
	"reconcile/internal/apiserver/kinds"
)

const (
	aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	beta       = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
)

func ask(t *testing.T, method, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	discovery.Handler(kinds.All()).ServeHTTP(w, r)
	return w
}

func get[T any](t *testing.T, path string, header ...string) T {
	t.Helper()
	w := ask(t, http.MethodGet, path, header...)
	require.Equal(t, http.StatusOK, w.Code)
	var answer T
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
	return answer
}

func TestTheServerSaysWhichKubernetesItSpeaksLike(t *testing.T) {
	v := get[version.Info](t, "/version")
	assert.Equal(t, []string{"1", "37", "v1.37.2+reconcile"},
		[]string{v.Major, v.Minor, v.GitVersion})
	assert.NotEmpty(t, v.Platform)
}

func TestGroupsComeInTheOrderOfTheirKinds(t *testing.T) {
	assert.Equal(t, []string{"v1"}, get[metav1.APIVersions](t, "/api").Versions)
	var groups []string
	for _, group := range get[metav1.APIGroupList](t, "/apis").Groups {
		groups = append(groups, group.PreferredVersion.GroupVersion)
		assert.Equal(t, group.PreferredVersion, group.Versions[0])
	}
	assert.Equal(t, []string{
		"apps/v1", "storage.k8s.io/v1", "coordination.k8s.io/v1",
		"discovery.k8s.io/v1", "batch/v1", "networking.k8s.io/v1", "policy/v1",
		"scheduling.k8s.io/v1", "resource.k8s.io/v1",
		"authentication.k8s.io/v1", "authorization.k8s.io/v1",
		"autoscaling/v2", "apiextensions.k8s.io/v1", "rbac.authorization.k8s.io/v1",
	}, groups)
}

func TestVersionsOfOneGroupComeTogether(t *testing.T) {
	all := kinds.All()
	for _, kind := range kinds.All() {
		if kind.Group == "apps" {
			kind.Version = "v2"
			all = append(all, kind)
		}
	}
	c := client(t, all)
	for _, legacy := range []bool{true, false} {
		c.UseLegacyDiscovery = legacy
		groups, err := c.ServerGroups()
		require.NoError(t, err)
		seen := map[string][]string{}
		for _, group := range groups.Groups {
			require.NotContains(t, seen, group.Name)
			for _, version := range group.Versions {
				seen[group.Name] = append(seen[group.Name], version.Version)
			}
		}
		assert.Equal(t, []string{"v1", "v2"}, seen["apps"])
		assert.Equal(t, []string{"v1"}, seen["storage.k8s.io"])
	}
}

func TestAGroupAloneIsServedToo(t *testing.T) {
	group := get[metav1.APIGroup](t, "/apis/apps")
	assert.Equal(t, metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}, group.TypeMeta)
	assert.Equal(t, "apps/v1", group.PreferredVersion.GroupVersion)
}

// resource returns one resource of a group and version.
func resource(t *testing.T, path, name string) metav1.APIResource {
	t.Helper()
	for _, r := range get[metav1.APIResourceList](t, path).APIResources {
		if r.Name == name {
			return r
		}
	}
	require.Fail(t, "not served", "%s at %s", name, path)
	return metav1.APIResource{}
}

// Kubernetes' own answers are in its api/discovery/*.json.
func TestAResourceIsDescribedAsKubernetesDoes(t *testing.T) {
	all := metav1.Verbs{
		"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch",
	}
	change := metav1.Verbs{"get", "patch", "update"}
	for path, want := range map[string][]metav1.APIResource{
		"/api/v1": {
			{
				Name: "pods", SingularName: "pod", Namespaced: true, Kind: "Pod",
				Verbs: all, ShortNames: []string{"po"}, Categories: []string{"all"},
			},
			{Name: "pods/status", Namespaced: true, Kind: "Pod", Verbs: change},
			{Name: "pods/log", Namespaced: true, Kind: "Pod", Verbs: metav1.Verbs{"get"}},
			{
				Name: "pods/exec", Namespaced: true, Kind: "PodExecOptions",
				Verbs: metav1.Verbs{"create", "get"},
			},
			{
				Name: "pods/attach", Namespaced: true, Kind: "PodAttachOptions",
				Verbs: metav1.Verbs{"create", "get"},
			},
			{
				Name: "pods/portforward", Namespaced: true, Kind: "PodPortForwardOptions",
				Verbs: metav1.Verbs{"create", "get"},
			},
			{
				Name: "pods/proxy", Namespaced: true, Kind: "PodProxyOptions",
				Verbs: metav1.Verbs{"create", "delete", "get", "patch", "update"},
			},
			{
				Name: "pods/binding", Namespaced: true, Kind: "Binding",
				Verbs: metav1.Verbs{"create"},
			},
			{
				Name: "pods/ephemeralcontainers", Namespaced: true, Kind: "Pod", Verbs: change,
			},
			{
				Name: "pods/eviction", Namespaced: true, Group: "policy", Version: "v1",
				Kind: "Eviction", Verbs: metav1.Verbs{"create"},
			},
			{
				Name: "namespaces", SingularName: "namespace", Kind: "Namespace",
				Verbs:      metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"},
				ShortNames: []string{"ns"},
			},
			{Name: "namespaces/finalize", Kind: "Namespace", Verbs: metav1.Verbs{"update"}},
			{
				Name: "replicationcontrollers/scale", Namespaced: true, Group: "autoscaling",
				Version: "v1", Kind: "Scale", Verbs: change,
			},
			{
				Name: "persistentvolumes", SingularName: "persistentvolume",
				Kind: "PersistentVolume", Verbs: all, ShortNames: []string{"pv"},
			},
			{
				Name: "secrets", SingularName: "secret", Namespaced: true, Kind: "Secret",
				Verbs: all,
			},
		},
		"/apis/apps/v1": {
			{
				Name: "deployments", SingularName: "deployment", Namespaced: true,
				Kind: "Deployment", Verbs: all, ShortNames: []string{"deploy"},
				Categories: []string{"all"},
			},
			{Name: "deployments/status", Namespaced: true, Kind: "Deployment", Verbs: change},
			{
				Name: "deployments/scale", Namespaced: true, Group: "autoscaling",
				Version: "v1", Kind: "Scale", Verbs: change,
			},
			{
				Name: "controllerrevisions", SingularName: "controllerrevision",
				Namespaced: true, Kind: "ControllerRevision", Verbs: all,
			},
		},
		"/apis/authentication.k8s.io/v1": {{
			Name: "selfsubjectreviews", SingularName: "selfsubjectreview",
			Kind: "SelfSubjectReview", Verbs: metav1.Verbs{"create"},
		}},
		"/apis/authorization.k8s.io/v1": {{
			Name: "selfsubjectaccessreviews", SingularName: "selfsubjectaccessreview",
			Kind: "SelfSubjectAccessReview", Verbs: metav1.Verbs{"create"},
		}},
	} {
		for _, r := range want {
			assert.Equal(t, r, resource(t, path, r.Name))
		}
	}
}

func TestTheAggregatedFormIsGivenToWhoPrefersIt(t *testing.T) {
	for accept, want := range map[string]string{
		"":                               "application/json",
		"application/json":               "application/json",
		"*/*":                            "application/json",
		aggregated:                       aggregated,
		aggregated + ",application/json": aggregated,
		aggregated + ";profile=nopeer," + aggregated:  aggregated,
		beta + "," + aggregated + ",application/json": aggregated,
		beta + ",application/json":                    "application/json",
		"application/json," + aggregated:              "application/json",
	} {
		for _, path := range []string{"/api", "/apis"} {
			w := ask(t, http.MethodGet, path, "Accept", accept)
			assert.Equal(t, want, w.Header().Get("Content-Type"), "%s of %s", accept, path)
			assert.Equal(t, "Accept", w.Header().Get("Vary"))
		}
	}
}

func TestWhoHasTheNewestIsToldSo(t *testing.T) {
	w := ask(t, http.MethodGet, "/apis", "Accept", aggregated)
	etag := w.Header().Get("ETag")
	assert.Regexp(t, `^"[0-9A-F]+"$`, etag)
	again := ask(t, http.MethodGet, "/apis", "Accept", aggregated, "If-None-Match", etag)
	assert.Equal(t, http.StatusNotModified, again.Code)
	assert.Empty(t, again.Body.String())
	other := ask(t, http.MethodGet, "/apis", "Accept", aggregated, "If-None-Match", `"old"`)
	assert.Equal(t, http.StatusOK, other.Code)
	assert.Equal(t, etag, other.Header().Get("ETag"), "the same every time")
}

func TestWhatIsNotThereIsRefusedAsAStatus(t *testing.T) {
	for _, test := range []struct {
		method, path string
		code         int
		reason       metav1.StatusReason
	}{
		{http.MethodGet, "/apis/example.com", 404, metav1.StatusReasonNotFound},
		{http.MethodGet, "/apis/apps/v2", 404, metav1.StatusReasonNotFound},
		{http.MethodGet, "/api/v2", 404, metav1.StatusReasonNotFound},
		{http.MethodGet, "/", 404, metav1.StatusReasonNotFound},
		{http.MethodPost, "/apis", 405, metav1.StatusReasonMethodNotAllowed},
	} {
		w := ask(t, test.method, test.path)
		assert.Equal(t, test.code, w.Code, test.path)
		var status metav1.Status
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &status))
		assert.Equal(t, "Status", status.Kind)
		assert.Equal(t, test.reason, status.Reason)
		assert.EqualValues(t, test.code, status.Code)
	}
}

func TestASlashAtTheEndDoesNotMatter(t *testing.T) {
	assert.Equal(t, ask(t, http.MethodGet, "/apis").Body, ask(t, http.MethodGet, "/apis/").Body)
}
