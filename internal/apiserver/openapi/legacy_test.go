package openapi_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/apiserver/openapi"
)

func TestClientsThatAskForVersion2FindNothingDescribed(t *testing.T) {
	server := httptest.NewServer(openapi.Handler(kinds.All()))
	defer server.Close()
	client, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	document, err := client.OpenAPISchema()
	require.NoError(t, err)
	assert.Equal(t, "2.0", document.Swagger)
	assert.Equal(t, "Kubernetes", document.GetInfo().GetTitle())
	assert.Equal(t, "v1", document.GetInfo().GetVersion())
	assert.NotNil(t, document.GetPaths())
	assert.NotNil(t, document.GetDefinitions())
	assert.Empty(t, document.GetDefinitions().GetAdditionalProperties())
}

func TestVersion2CanBeReadByPeople(t *testing.T) {
	w := ask(openapi.Handler(kinds.All()), "GET", "/openapi/v2")
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	assert.JSONEq(t, `{"swagger":"2.0","info":{"title":"Kubernetes","version":"v1"},"paths":{},"definitions":{}}`,
		w.Body.String())
}
