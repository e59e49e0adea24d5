package apiserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
)

// The collections that bodies are sent to, by a byte of the input.
var collections = []string{
	pods,
	deployments,
	"/api/v1/namespaces/default/services",
	"/api/v1/nodes",
	"/api/v1/namespaces",
	"/apis/coordination.k8s.io/v1/namespaces/default/leases",
	"/api/v1/namespaces/default/events",
	"/api/v1/namespaces/default/persistentvolumeclaims",
	"/api/v1/namespaces/default/secrets",
	"/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
}

var bodies = []string{
	runtime.ContentTypeJSON, runtime.ContentTypeYAML, runtime.ContentTypeProtobuf,
}

var validations = []string{"Strict", "Warn", "Ignore"}

// FuzzDecode sends anything as a body of anything: it is refused with a Status,
// or the stored object can be read, and written back without a change.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `null`, `[]`, "\xff", `{"apiVersion":"v1","kind":"Pod"}`,
		`{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`,
		`{"metadata":{"generateName":"a-","ownerReferences":[{},{}]}}`,
		`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}`,
		`{"propagationPolicy":"Foreground","gracePeriodSeconds":-1}`,
		"a: &a [*a]", "metadata: {name: a, name: b}", aDeployment("a"),
		`{"metadata":{"name":"a","managedFields":[{"manager":"x","operation":"Apply"}]}}`,
	} {
		f.Add([]byte(text), uint8(0), uint8(0), uint8(0))
		f.Add([]byte(text), uint8(1), uint8(1), uint8(1))
	}
	f.Add(protobuf(f, aPod("a")), uint8(0), uint8(2), uint8(0))
	f.Add([]byte(`{"metadata":{"generateName":"00"}}`), uint8(4), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, body []byte, where, contentType, validation uint8) {
		a := newAPI(t)
		path := collections[int(where)%len(collections)]
		send := func(method, path string) answer {
			return a.send(request{
				method: method, path: path, body: body,
				contentType: bodies[int(contentType)%len(bodies)],
				header:      http.Header{},
			})
		}
		query := "?fieldValidation=" + validations[int(validation)%len(validations)]
		made := send(http.MethodPost, path+query)
		if wellAnswered(t, made) {
			name := into[metav1.PartialObjectMetadata](made.code, made).Name
			settled(t, a, path+"/"+name)
		}
		wellAnswered(t, send(http.MethodPut, path+"/a"+query))
		wellAnswered(t, send(http.MethodDelete, path+"/a"))
		wellAnswered(t, send(http.MethodPost, pods+"/a/eviction"))
		wellAnswered(t, send(http.MethodPost, pods+"/a/binding"))
	})
}

// FuzzURL sends requests to anywhere: a path that is not served is refused.
func FuzzURL(f *testing.F) {
	for _, url := range []string{
		"/", "//", "/api", "/api/v1/", "/apis/apps/v1/namespaces/default/deployments",
		pods + "/a/status", pods + "/a/log?tailLines=x", "/healthz/ping",
		pods + "?limit=-1&continue=e30", pods + "?limit=1&labelSelector=a%20in%20(b",
		pods + "?watch=true&timeoutSeconds=9223372036854775807&resourceVersion=0",
		pods + "?fieldSelector=metadata.name%3Da%2Cspec.nodeName!%3D&resourceVersionMatch=Exact",
		"/api/v1/namespaces/a/finalize", "/api/v1/namespaces//pods", pods + "/..%2f..",
		"/openapi/v3/api/v1?hash=x", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		pods + "?dryRun=All&gracePeriodSeconds=-9223372036854775808", "/version?timeout=x",
	} {
		for method := range methods {
			f.Add(url, uint8(method), uint8(method))
		}
	}
	f.Fuzz(func(t *testing.T, target string, method, accept uint8) {
		u, err := url.ParseRequestURI(target)
		if err != nil || u.Host != "" {
			t.Skip("no client can send it")
		}
		a := newAPI(t)
		a.post(pods, aPod("a"))
		req := request{
			method: methods[int(method)%len(methods)], path: "/",
			accept: accepts[int(accept)%len(accepts)],
		}.http(t)
		req.URL = u
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		recorder := httptest.NewRecorder()
		a.handler.ServeHTTP(recorder, req.WithContext(ctx))
		allowed := []int{http.StatusNotImplemented, http.StatusGatewayTimeout}
		if !slices.Contains(allowed, recorder.Code) {
			require.Less(t, recorder.Code, 500, recorder.Body.String())
		}
	})
}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}

var accepts = []string{"", table, partial, list, "application/yaml", "text/plain"}

// FuzzJSONPatch, and those below, patch objects with anything.
func FuzzJSONPatch(f *testing.F) {
	for _, patch := range []string{
		``, `[]`, `{}`, `null`, `[{}]`, `[null]`,
		`[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`,
		`[{"op":"copy","from":"","path":"/spec"}]`,
		`[{"op":"move","from":"/spec/containers","path":"/spec/containers/0"}]`,
		`[{"op":"remove","path":"/spec/containers/-1"}]`,
		`[{"op":"replace","path":""}]`,
		`[{"op":"test","path":"/metadata/name","value":"a"},{"op":"replace","path":"/metadata/name","value":"b"}]`,
		`[{"op":"add","path":"/spec/containers/-","value":{"name":"x","image":"y"},"odd":1}]`,
	} {
		addPatch(f, patch)
	}
	fuzzPatch(f, jsonPatch)
}

func FuzzMergePatch(f *testing.F) {
	for _, patch := range []string{
		``, `{}`, `[]`, `null`, `1`, `{"metadata":null}`, `{"spec":null}`,
		`{"metadata":{"labels":{"a":"b"},"resourceVersion":"1"}}`,
		`{"metadata":{"finalizers":["a.b/c"],"deletionTimestamp":"2026-01-01T00:00:00Z"}}`,
		`{"spec":{"replicas":5,"replicas":6}}`, `{"spec":{"foo":{}}}`,
		`{"status":{"phase":"Running","replicas":3}}`,
	} {
		addPatch(f, patch)
	}
	fuzzPatch(f, merge)
}

func FuzzStrategicPatch(f *testing.F) {
	for _, patch := range []string{
		``, `{}`, `[]`, `null`, `{"$patch":"delete"}`, `{"$patch":"replace"}`,
		`{"spec":{"containers":[{"name":"web","image":"x"}]}}`,
		`{"spec":{"containers":[{"$patch":"delete","name":"web"}]}}`,
		`{"spec":{"template":{"$patch":"replace","spec":{}}}}`,
		`{"spec":{"$setElementOrder/containers":[{"name":"web"}],"containers":[{"name":"web","ports":[{"containerPort":80}]}]}}`,
		`{"spec":{"$retainKeys":["type"],"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`,
		`{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"finalizers":["b"]}}`,
		`{"spec":{"containers":"x","volumes":[[]]}}`,
	} {
		addPatch(f, patch)
	}
	fuzzPatch(f, strategic)
}

func FuzzApply(f *testing.F) {
	for _, patch := range []string{
		``, `{}`, `[]`, "null", "a: b", aDeployment("a"),
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: web, image: x}]}",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a, managedFields: []}",
		"apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec: {taints: [{key: a, effect: b},{key: a, effect: b}]}",
		"apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 80},{port: 80}]}",
		"&a [*a]", "apiVersion: apps/v1\nkind: Pod\nmetadata: {name: a}",
	} {
		addPatch(f, patch)
	}
	fuzzPatch(f, apply)
}

func addPatch(f *testing.F, patch string) {
	for object := range patched {
		f.Add([]byte(patch), uint8(object), uint8(object))
	}
}

// These are patched, by a byte of the input.
var patched = []string{
	pods + "/a",
	deployments + "/a",
	deployments + "/a/scale",
	deployments + "/a/status",
	"/api/v1/nodes/a",
	"/api/v1/namespaces/default/services/a",
	"/api/v1/nodes/none",
}

func fuzzPatch(f *testing.F, contentType string) {
	f.Fuzz(func(t *testing.T, patch []byte, where, validation uint8) {
		a := newAPI(t)
		a.post(pods, aPod("a"))
		a.send(request{method: "POST", path: deployments,
			body: aDeployment("a"), contentType: runtime.ContentTypeYAML})
		a.post("/api/v1/nodes", `{"metadata":{"name":"a"}}`)
		a.post("/api/v1/namespaces/default/services",
			`{"metadata":{"name":"a"},"spec":{"ports":[{"port":80}]}}`)
		path := patched[int(where)%len(patched)]
		query := path + "?fieldValidation=" +
			validations[int(validation)%len(validations)] + "&fieldManager=fuzz"
		first := a.patch(query, contentType, patch)
		if !wellAnswered(t, first) {
			return
		}
		settled(t, a, path)
		if contentType == apply {
			again := a.patch(query, contentType, patch)
			require.Equal(t, version(t, first), version(t, again),
				"who applies the same again changes nothing")
		}
	})
}

// wellAnswered checks that an answer is an object or a Status, and no mistake
// of the server's. It reports whether it is an object.
func wellAnswered(t *testing.T, got answer) bool {
	if got.code >= 500 { // Kubernetes' field manager, in Kubernetes too
		require.Contains(t, got.body, "failed to create typed patch object")
	}
	require.True(t, json.Valid([]byte(got.body)), got.body)
	if got.code >= 300 {
		got.t = t
		got.refusal()
		return false
	}
	return true
}

// settled checks that the stored object can be read, and written
// back without a change.
func settled(t *testing.T, a *api, path string) {
	stored := a.get(path)
	if stored.code == http.StatusNotFound {
		return // its last finalizer was taken away
	}
	require.True(t, wellAnswered(t, stored))
	back := a.put(path+"?fieldValidation=Strict", stored.body)
	require.Equal(t, http.StatusOK, back.code, back.body)
	require.JSONEq(t, stored.body, back.body, "who writes what is there changes nothing")
}

func version(t *testing.T, got answer) string {
	return into[metav1.PartialObjectMetadata](got.code, got).ResourceVersion
}

func protobuf(t testing.TB, obj runtime.Object) []byte {
	info, ok := runtime.SerializerInfoForMediaType(
		clientscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	require.True(t, ok)
	data, err := runtime.Encode(info.Serializer, obj)
	require.NoError(t, err)
	return data
}
