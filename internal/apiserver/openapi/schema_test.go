package openapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/apiserver/kinds"
)

// node is a place in a JSON document.
type node map[string]any

// at follows keys down; it returns nil if they lead nowhere.
func (n node) at(keys ...string) node {
	for _, key := range keys {
		next, _ := n[key].(map[string]any)
		n = next
	}
	return n
}

// documents holds those that a test has asked for, by path. They are never
// changed.
var documents sync.Map

func document(t *testing.T, path string) node {
	t.Helper()
	if doc, ok := documents.Load(path); ok {
		return doc.(node)
	}
	w := ask(served(), http.MethodGet, "/openapi/v3/"+path)
	require.Equal(t, http.StatusOK, w.Code)
	var doc node
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &doc))
	documents.Store(path, doc)
	return doc
}

// undescribed returns a schema as JSON, without its description.
func undescribed(t *testing.T, schema node) string {
	t.Helper()
	schema = maps.Clone(schema)
	delete(schema, "description")
	text, err := json.Marshal(schema)
	require.NoError(t, err)
	return string(text)
}

// property returns the schema of a field, "core.v1.Container.ports". Its
// description is tested elsewhere.
func property(t *testing.T, doc node, field string) string {
	t.Helper()
	i := strings.LastIndex(field, ".")
	p := doc.at("components", "schemas", "io.k8s."+field[:i], "properties", field[i+1:])
	require.NotNil(t, p, field)
	return undescribed(t, p)
}

// Kubernetes' own answers are in its api/openapi-spec/v3.
func TestFieldsAreDescribedAsKubernetesDoes(t *testing.T) {
	doc := document(t, "apis/apps/v1")
	const ref = `{"$ref":"#/components/schemas/io.k8s.`
	for field, want := range map[string]string{
		"api.apps.v1.DeploymentSpec.replicas": `{"type":"integer","format":"int32"}`,
		"api.apps.v1.DeploymentSpec.strategy": `{"default":{},"allOf":[` + ref +
			`api.apps.v1.DeploymentStrategy"}],"x-kubernetes-patch-strategy":"retainKeys"}`,
		"api.apps.v1.RollingUpdateDeployment.maxSurge": `{"allOf":[` + ref +
			`apimachinery.pkg.util.intstr.IntOrString"}]}`,
		"api.apps.v1.DeploymentStatus.observedGeneration": `{"type":"integer","format":"int64"}`,
		"api.apps.v1.ControllerRevision.data": `{"allOf":[` + ref +
			`apimachinery.pkg.runtime.RawExtension"}]}`,
		"api.core.v1.Container.name":              `{"type":"string","default":""}`,
		"api.core.v1.Container.image":             `{"type":"string"}`,
		"api.core.v1.Container.stdin":             `{"type":"boolean"}`,
		"api.core.v1.ContainerPort.containerPort": `{"type":"integer","format":"int32","default":0}`,
		"api.core.v1.VolumeMount.mountPath":       `{"type":"string","default":""}`,
		"api.core.v1.HTTPGetAction.scheme":        `{"type":"string"}`,
		"api.core.v1.Container.command": `{"type":"array","items":{"type":"string"},` +
			`"x-kubernetes-list-type":"atomic"}`,
		"api.core.v1.Container.ports": `{"type":"array","items":` + ref +
			`api.core.v1.ContainerPort"},"x-kubernetes-list-type":"map",` +
			`"x-kubernetes-list-map-keys":["containerPort","protocol"],` +
			`"x-kubernetes-patch-merge-key":"containerPort",` +
			`"x-kubernetes-patch-strategy":"merge"}`,
		"api.core.v1.ContainerPort.protocol": `{"type":"string","default":"TCP"}`,
		"api.core.v1.PodSpec.nodeSelector": `{"type":"object",` +
			`"additionalProperties":{"type":"string"},"x-kubernetes-map-type":"atomic"}`,
		"api.core.v1.ResourceRequirements.limits": `{"type":"object",` +
			`"additionalProperties":` + ref + `apimachinery.pkg.api.resource.Quantity"}}`,
		"apimachinery.pkg.apis.meta.v1.ObjectMeta.creationTimestamp": `{"allOf":[` + ref +
			`apimachinery.pkg.apis.meta.v1.Time"}]}`,
		"apimachinery.pkg.apis.meta.v1.ObjectMeta.finalizers": `{"type":"array",` +
			`"items":{"type":"string"},"x-kubernetes-list-type":"set",` +
			`"x-kubernetes-patch-strategy":"merge"}`,
	} {
		assert.JSONEq(t, want, property(t, doc, field), field)
	}
	assert.JSONEq(t, `{"type":"object","additionalProperties":{"type":"string","format":"byte"}}`,
		property(t, document(t, "api/v1"), "api.core.v1.Secret.data"))
}

func TestTypesThatAreWrittenOtherwiseSaySo(t *testing.T) {
	schemas := document(t, "apis/apps/v1").at("components", "schemas")
	for name, want := range map[string]string{
		"apimachinery.pkg.util.intstr.IntOrString": `{"format":"int-or-string",` +
			`"oneOf":[{"type":"integer"},{"type":"string"}]}`,
		"apimachinery.pkg.api.resource.Quantity": `{"oneOf":[{"type":"string"},` +
			`{"type":"number"}]}`,
		"apimachinery.pkg.apis.meta.v1.Time":     `{"type":"string","format":"date-time"}`,
		"apimachinery.pkg.runtime.RawExtension":  `{"type":"object"}`,
		"apimachinery.pkg.apis.meta.v1.FieldsV1": `{"type":"object"}`,
	} {
		schema := schemas.at("io.k8s." + name)
		require.NotNil(t, schema, name)
		assert.NotEmpty(t, schema["description"])
		assert.JSONEq(t, want, undescribed(t, schema), name)
	}
}

func TestWhatMustBeThereIsRequired(t *testing.T) {
	apps, core := document(t, "apis/apps/v1"), document(t, "api/v1")
	for name, want := range map[string][]any{
		"api.apps.v1.Deployment":                      {"spec"},
		"api.apps.v1.DeploymentSpec":                  {"selector", "template"},
		"api.apps.v1.StatefulSetSpec":                 {"selector", "template"},
		"api.apps.v1.DeploymentCondition":             nil,
		"api.core.v1.PodSpec":                         {"containers"},
		"api.core.v1.VolumeMount":                     {"name", "mountPath"},
		"apimachinery.pkg.apis.meta.v1.LabelSelector": nil,
	} {
		schema := apps.at("components", "schemas", "io.k8s."+name)
		required, _ := schema["required"].([]any)
		assert.Equal(t, want, required, name)
	}
	assert.Equal(t, []any{"metadata", "involvedObject"},
		core.at("components", "schemas", "io.k8s.api.core.v1.Event")["required"])
}

func TestNoReferenceLeadsNowhere(t *testing.T) {
	for path := range addresses(t, served()) {
		doc := document(t, path)
		schemas := doc.at("components", "schemas")
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		for _, part := range strings.Split(string(text), `"$ref":"#/components/schemas/`)[1:] {
			name, _, _ := strings.Cut(part, `"`)
			assert.NotNil(t, schemas.at(name), "%s of %s", name, path)
		}
	}
}

func TestWhatHasOneWriterSaysSo(t *testing.T) {
	const key = "x-kubernetes-map-type"
	schemas := document(t, "api/v1").at("components", "schemas")
	assert.Equal(t, "atomic", schemas.at("io.k8s.api.core.v1.ObjectReference")[key])
	assert.NotContains(t, schemas.at("io.k8s.api.core.v1.PodSpec"), key)
	volume := schemas.at("io.k8s.api.core.v1.PersistentVolumeSpec", "properties")
	assert.Equal(t, "granular", volume.at("claimRef")[key])
	assert.NotContains(t, volume.at("nodeAffinity"), key)
}

func TestADocumentHasWhatItsKindsNeedAndNoMore(t *testing.T) {
	const scale = "io.k8s.api.autoscaling.v1.Scale"
	assert.Contains(t, document(t, "apis/apps/v1").at("components", "schemas"), scale)
	leases := document(t, "apis/coordination.k8s.io/v1").at("components", "schemas")
	assert.Contains(t, leases, "io.k8s.api.coordination.v1.LeaseList")
	assert.NotContains(t, leases, scale)
	core := document(t, "api/v1").at("components", "schemas")
	assert.Contains(t, core, "io.k8s.api.policy.v1.Eviction")
	assert.Contains(t, core, "io.k8s.api.core.v1.Binding")
}

func TestAKindSaysWhichItIs(t *testing.T) {
	schemas := document(t, "apis/apps/v1").at("components", "schemas")
	for name, want := range map[string]map[string]any{
		"api.apps.v1.Deployment":               {"group": "apps", "kind": "Deployment"},
		"api.apps.v1.DeploymentList":           {"group": "apps", "kind": "DeploymentList"},
		"api.autoscaling.v1.Scale":             {"group": "autoscaling", "kind": "Scale"},
		"apimachinery.pkg.apis.meta.v1.Status": {"group": "", "kind": "Status"},
	} {
		want["version"] = "v1"
		assert.Equal(t, []any{want},
			schemas.at("io.k8s." + name)["x-kubernetes-group-version-kind"])
	}
}

func TestAListSaysOfWhatItIs(t *testing.T) {
	for at, name := range map[string]string{
		"apis/apps/v1": "io.k8s.api.apps.v1.Deployment", "api/v1": "io.k8s.api.core.v1.Pod",
	} {
		list := document(t, at).at("components", "schemas", name+"List")
		assert.Equal(t, []any{"items"}, list["required"])
		items := undescribed(t, list.at("properties", "items"))
		assert.Contains(t, items, `"type":"array"`)
		assert.Contains(t, items, `"#/components/schemas/`+name+`"`)
	}
}

func TestPathsSayWhatCanBeDoneThere(t *testing.T) {
	paths := document(t, "apis/apps/v1").at("paths")
	one := "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
	for path, methods := range map[string][]string{
		"/apis/apps/v1/deployments":                        {"get"},
		"/apis/apps/v1/namespaces/{namespace}/deployments": {"get", "post", "delete"},
		one:             {"get", "put", "patch", "delete"},
		one + "/status": {"get", "put", "patch"},
		one + "/scale":  {"get", "put", "patch"},
	} {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			_, ok := paths.at(path)[method]
			assert.Equal(t, strings.Contains(strings.Join(methods, " "), method), ok,
				"%s %s", method, path)
		}
	}
	for path, want := range map[string][]any{
		"/apis/apps/v1/deployments":                        nil,
		"/apis/apps/v1/namespaces/{namespace}/deployments": {"namespace"},
		one:             {"name", "namespace"},
		one + "/status": {"name", "namespace"},
		one + "/scale":  {"name", "namespace"},
	} {
		var names []any
		parameters, _ := paths.at(path)["parameters"].([]any)
		for _, p := range parameters {
			p := p.(map[string]any)
			assert.Equal(t, []any{"path", true}, []any{p["in"], p["required"]})
			names = append(names, p["name"])
		}
		assert.Equal(t, want, names, path)
	}
	assert.Equal(t, true, paths.at(one, "put", "requestBody")["required"])
	assert.Nil(t, paths["/apis/apps/v1/namespaces/{namespace}/controllerrevisions/{name}/status"])
	assert.Equal(t, "Scale",
		paths.at(one+"/scale", "patch", "x-kubernetes-group-version-kind")["kind"])
	namespaces := document(t, "api/v1").at("paths", "/api/v1/namespaces")
	assert.NotContains(t, namespaces, "delete")
	assert.Contains(t, namespaces, "post")
}

func TestEveryKindLetsTheServerCheckItsFields(t *testing.T) {
	for _, kind := range kinds.All() {
		at := "api/v1"
		if kind.Group != "" {
			at = "apis/" + kind.GroupVersion().String()
		}
		path := "/" + at + "/" + kind.Resource + "/{name}"
		if kind.Namespaced {
			path = "/" + at + "/namespaces/{namespace}/" + kind.Resource + "/{name}"
		}
		patch := document(t, at).at("paths", path, "patch")
		require.NotNil(t, patch, path)
		assert.Equal(t, kind.GroupVersionKind.Kind,
			patch.at("x-kubernetes-group-version-kind")["kind"])
		var names []any
		for _, p := range patch["parameters"].([]any) {
			names = append(names, p.(map[string]any)["name"])
		}
		assert.Equal(t, []any{"dryRun", "fieldManager", "fieldValidation", "force"}, names)
	}
}
