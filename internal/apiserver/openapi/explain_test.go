package openapi_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/openapi3"
	"k8s.io/client-go/rest"
	explain "k8s.io/kubectl/pkg/explain/v2"

	"reconcile/internal/apiserver/kinds"
)

// client returns client-go's, of a server that describes its API.
func client(t *testing.T) openapi.Client {
	t.Helper()
	server := httptest.NewServer(served())
	t.Cleanup(server.Close)
	return discovery.NewDiscoveryClientForConfigOrDie(
		&rest.Config{Host: server.URL}).OpenAPIV3()
}

// explained returns the output of kubectl explain for a field of a resource:
// "deployments.spec.strategy".
func explained(t *testing.T, c openapi.Client, field string, recursive bool) string {
	t.Helper()
	path := strings.Split(field, ".")
	var out strings.Builder
	for _, kind := range kinds.All() {
		if kind.Resource == path[0] {
			gvr := kind.GroupVersion().WithResource(kind.Resource)
			err := explain.PrintModelDescription(
				path[1:], &out, c, gvr, recursive, 0, "plaintext")
			require.NoError(t, err)
		}
	}
	return out.String()
}

func TestExplainTellsWhatAFieldIs(t *testing.T) {
	assert.Equal(t, `GROUP:      apps
KIND:       Deployment
VERSION:    v1

FIELD: strategy <DeploymentStrategy>


DESCRIPTION:
    The deployment strategy to use to replace existing pods with new ones.
    DeploymentStrategy describes how to replace existing pods with new ones.
    
FIELDS:
  rollingUpdate	<RollingUpdateDeployment>
    maxSurge	<IntOrString>
    maxUnavailable	<IntOrString>
  type	<string>

`, explained(t, client(t), "deployments.spec.strategy", true))
}

func TestExplainMarksWhatIsRequired(t *testing.T) {
	c := client(t)
	text := explained(t, c, "pods.spec.containers", false)
	assert.Contains(t, text, "FIELD: containers <[]Container>")
	assert.Contains(t, text, "  name\t<string> -required-\n"+
		"    Name of the container specified as a DNS_LABEL.")
	assert.Contains(t, text, "  image\t<string>\n")
	assert.Contains(t, text, "  env\t<[]EnvVar>\n")
	assert.Contains(t, text, "  resources\t<ResourceRequirements>\n")
	assert.Contains(t, explained(t, c, "pods.spec.containers.resources", true),
		"  limits\t<map[string]Quantity>\n")
	assert.Contains(t, explained(t, c, "deployments", false),
		"  spec\t<DeploymentSpec> -required-\n")
}

func TestEveryKindCanBeExplainedToItsLastField(t *testing.T) {
	c := client(t)
	for _, kind := range kinds.All() {
		text := explained(t, c, kind.Resource, true)
		assert.Contains(t, text, "KIND:       "+kind.GroupVersionKind.Kind+"\n")
		assert.Contains(t, text, "  metadata\t<ObjectMeta>")
	}
}

func TestKubectlLeavesTheCheckOfFieldsToTheServer(t *testing.T) {
	verifier := resource.NewQueryParamVerifierV3(nil, client(t), resource.QueryParamFieldValidation)
	assert.NoError(t, verifier.HasSupport(schema.GroupVersionKind{
		Group: "apps", Version: "v1", Kind: "Deployment",
	}))
}

func TestClientsReadTheDocumentsInBothForms(t *testing.T) {
	paths, err := client(t).Paths()
	require.NoError(t, err)
	assert.Len(t, paths, 10)
	for _, path := range []string{"api/v1", "apis/apps/v1"} {
		asJSON, err := paths[path].Schema("application/json")
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(asJSON), `{"openapi":"3.0.0"`), path)
		asProtobuf, err := paths[path].Schema(openapi.ContentTypeOpenAPIV3PB)
		require.NoError(t, err)
		assert.Less(t, len(asProtobuf), len(asJSON))
		assert.NotEqual(t, byte('{'), asProtobuf[0])
	}
	spec, err := openapi3.NewRoot(client(t)).GVSpec(schema.GroupVersion{Version: "v1"})
	require.NoError(t, err)
	assert.Contains(t, spec.Paths.Paths, "/api/v1/namespaces/{namespace}/pods/{name}")
}
