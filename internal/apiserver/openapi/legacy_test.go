package openapi_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	explain "k8s.io/kubectl/pkg/explain"
	"k8s.io/kubectl/pkg/util/openapi"
	"k8s.io/kubectl/pkg/validation"

	"reconcile/internal/apiserver/kinds"
)

// legacy is what a client reads at /openapi/v2.
type legacy struct{ openapi.Resources }

func (l legacy) OpenAPISchema() (openapi.Resources, error) { return l, nil }

func described(t *testing.T) legacy {
	t.Helper()
	server := httptest.NewServer(served())
	t.Cleanup(server.Close)
	client, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	document, err := client.OpenAPISchema()
	require.NoError(t, err)
	assert.Equal(t, "2.0", document.Swagger)
	assert.Equal(t, "Kubernetes", document.GetInfo().GetTitle())
	resources, err := openapi.NewOpenAPIData(document)
	require.NoError(t, err)
	return legacy{resources}
}

func TestEveryKindIsDescribedInVersion2(t *testing.T) {
	resources := described(t)
	for _, kind := range kinds.All() {
		list := kind.GroupVersion().WithKind(kind.GroupVersionKind.Kind + "List")
		assert.NotNil(t, resources.LookupResource(kind.GroupVersionKind), kind.GroupVersionKind)
		assert.NotNil(t, resources.LookupResource(list), list)
		options := kind.GroupVersion().WithKind("DeleteOptions")
		assert.NotNil(t, resources.LookupResource(options), options)
	}
}

func TestOlderClientsExplainByVersion2(t *testing.T) {
	resources := described(t)
	deployment := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	for field, want := range map[string]string{
		"spec.strategy": `KIND:     Deployment
VERSION:  apps/v1

RESOURCE: strategy <Object>

DESCRIPTION:
     The deployment strategy to use to replace existing pods with new ones.

     DeploymentStrategy describes how to replace existing pods with new ones.

FIELDS:
   rollingUpdate	<Object>
     Rolling update config params. Present only if DeploymentStrategyType =
     RollingUpdate.

   type	<string>
     Type of deployment. Can be "Recreate" or "RollingUpdate". Default is
     RollingUpdate.

`,
		"spec.strategy.rollingUpdate.maxSurge": "\nFIELD:    maxSurge <string>\n",
		"spec.template.spec.containers":        "\nRESOURCE: containers <[]Object>\n",
		"spec.selector":                        "\nRESOURCE: selector <Object>\n",
		"spec.template.spec.nodeSelector":      "\nFIELD:    nodeSelector <map[string]string>\n",
		"spec.paused":                          "\nFIELD:    paused <boolean>\n",
	} {
		var out strings.Builder
		require.NoError(t, explain.PrintModelDescription(strings.Split(field, "."), &out,
			resources.LookupResource(deployment), deployment, false, 0))
		assert.Contains(t, out.String(), want, field)
	}
}

func TestOlderClientsValidateByVersion2(t *testing.T) {
	const list = `{"kind":"List","apiVersion":"v1","items":[
		{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","creationTimestamp":null},
		 "spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"strategy":{"rollingUpdate":{"maxSurge":1}},
		  "template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"nginx",
		   "resources":{"limits":{"cpu":1,"memory":"1Gi"}},"readinessProbe":{"httpGet":{"port":80}}}]}}},"status":{}},
		{"kind":"Service","apiVersion":"v1","metadata":{"name":"web"},"spec":{"ports":[{"port":80,"targetPort":"http"}]}},
		{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"web"},"revision":1,"data":{"a":{"b":[1]}}}]}`
	schema := validation.NewSchemaValidation(described(t))
	assert.NoError(t, schema.ValidateBytes([]byte(list)))
	assert.ErrorContains(t, schema.ValidateBytes([]byte(strings.Replace(list, "replicas", "replica", 1))),
		`unknown field "replica" in io.k8s.api.apps.v1.DeploymentSpec`)
	assert.ErrorContains(t, schema.ValidateBytes([]byte(strings.Replace(list, `"selector"`, `"paused"`, 1))),
		`missing required field "selector" in io.k8s.api.apps.v1.DeploymentSpec`)
}

func TestVersion2CanBeReadByPeople(t *testing.T) {
	w := ask(served(), "GET", "/openapi/v2")
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	var document struct {
		Swagger     string
		Paths       map[string]any
		Definitions map[string]struct {
			Properties map[string]map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &document))
	assert.Equal(t, "2.0", document.Swagger)
	assert.Empty(t, document.Paths)
	assert.Equal(t, map[string]any{
		"$ref":        "#/definitions/io.k8s.api.core.v1.PodSpec",
		"description": document.Definitions["io.k8s.api.core.v1.Pod"].Properties["spec"]["description"],
	}, document.Definitions["io.k8s.api.core.v1.Pod"].Properties["spec"])
	assert.NotContains(t, w.Body.String(), "#/components/schemas")
}
