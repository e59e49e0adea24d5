package apiserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

func TestTheFourWaysToPatch(t *testing.T) {
	for name, test := range map[string]struct {
		contentType, patch string
		want               func(t *testing.T, pod *corev1.Pod)
	}{
		"JSON": {jsonPatch, `[
			{"op":"test","path":"/metadata/name","value":"web"},
			{"op":"add","path":"/metadata/labels","value":{"a":"b"}},
			{"op":"replace","path":"/spec/containers/0/image","value":"x"}]`,
			func(t *testing.T, pod *corev1.Pod) {
				assert.Equal(t, "b", pod.Labels["a"])
				assert.Equal(t, "x", pod.Spec.Containers[0].Image)
			}},
		"merge: a list is replaced": {merge,
			`{"metadata":{"finalizers":["example.com/b"],"labels":{"a":null,"b":"c"}}}`,
			func(t *testing.T, pod *corev1.Pod) {
				assert.Equal(t, []string{"example.com/b"}, pod.Finalizers)
				assert.Equal(t, map[string]string{"b": "c"}, pod.Labels)
			}},
		"strategic merge: an element is found by its key": {strategic,
			`{"spec":{"containers":[{"name":"web","image":"x"}]}}`,
			func(t *testing.T, pod *corev1.Pod) {
				assert.Equal(t, "x", pod.Spec.Containers[0].Image)
				assert.Equal(t, corev1.TerminationMessageReadFile,
					pod.Spec.Containers[0].TerminationMessagePolicy)
			}},
		"strategic merge: $patch replaces": {strategic,
			`{"metadata":{"annotations":{"$patch":"replace","c":"d"}}}`,
			func(t *testing.T, pod *corev1.Pod) {
				assert.Equal(t, map[string]string{"c": "d"}, pod.Annotations)
			}},
		"apply": {apply,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"x":"y"}}}`,
			func(t *testing.T, pod *corev1.Pod) {
				assert.Equal(t, "y", pod.Labels["x"])
				assert.Equal(t, "nginx:1.27", pod.Spec.Containers[0].Image)
			}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			pod := aPod("web")
			pod.Labels = map[string]string{"a": "a"}
			pod.Finalizers = []string{"example.com/a"}
			pod.Annotations = map[string]string{"a": "b"}
			a.post(pods, pod)
			got := a.patch(pods+"/web?fieldManager=me", test.contentType, test.patch)
			test.want(t, got.pod())
			assert.JSONEq(t, got.body, a.get(pods+"/web").body)
		})
	}
}

func TestAPatchThatChangesNothingWritesNothing(t *testing.T) {
	a := newAPI(t)
	made := a.post(pods, aPod("web")).pod()
	for contentType, patch := range map[string]string{
		jsonPatch: `[{"op":"replace","path":"/spec/containers/0/image","value":"nginx:1.27"}]`,
		merge:     `{"spec":{"restartPolicy":"Always"}}`,
		strategic: `{"spec":{"containers":[{"name":"web"}]},"status":{"phase":"Running"}}`,
	} {
		got := a.patch(pods+"/web?fieldManager=other", contentType, patch).pod()
		assert.Equal(t, made.ResourceVersion, got.ResourceVersion, contentType)
	}
}

func TestWhatAPatchMakesIsReadAsStrictlyAsABody(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web"))
	for contentType, test := range map[string]struct{ patch, want string }{
		jsonPatch: {`[{"op":"add","path":"/spec/foo","value":1,"odd":2}]`,
			`strict decoding error: json patch unknown field "[0].odd", unknown field "spec.foo"`},
		merge: {`{"spec":{"foo":1,"foo":2}}`,
			`strict decoding error: duplicate field "spec.foo", unknown field "spec.foo"`},
		strategic: {`{"spec":{"foo":1,"foo":2}}`,
			`strict decoding error: duplicate field "spec.foo", unknown field "spec.foo"`},
		apply: {`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"a":"b","a":"c"}}}`,
			`error strict decoding patch: `},
	} {
		t.Run(contentType, func(t *testing.T) {
			a := &api{t, a.store, a.handler}
			path := pods + "/web?fieldManager=me&fieldValidation="
			got := a.patch(path+"Strict", contentType, test.patch)
			assert.Contains(t, got.refusal().Message, test.want)
			assert.Contains(t, []int{400, 422}, got.code)
			warned := a.patch(path+"Warn", contentType, test.patch)
			assert.Equal(t, 200, warned.code, warned.body)
			assert.NotEmpty(t, warned.header.Values("Warning"))
			ignored := a.patch(path+"Ignore", contentType, test.patch)
			assert.Equal(t, 200, ignored.code, ignored.body)
			assert.Empty(t, ignored.header.Values("Warning"))
		})
	}
}

func TestAPatchOfTheWrongShapeIsRefused(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web"))
	tooMany := strings.TrimSuffix(strings.Repeat(`{"op":"test","path":"","value":1},`, 10_001), ",")
	for _, test := range []struct {
		contentType, patch string
		code               int
	}{
		{jsonPatch, `{}`, 400},
		{jsonPatch, `[{"op":"dance","path":"/a"}]`, 422},
		{jsonPatch, `[{"op":"remove","path":"/spec/none"}]`, 422},
		{jsonPatch, `[{"op":"replace","path":""}]`, 422},
		{jsonPatch, `[{"op":"test","path":""}]`, 422},
		{jsonPatch, `[` + tooMany + `]`, 413},
		{merge, `null`, 400},
		{merge, `{`, 400},
		{merge, `{"metadata":{"name":"other"}}`, 400},
		{merge, `{"metadata":{"namespace":"other"}}`, 400},
		{merge, `{"metadata":{"uid":"other"}}`, 409},
		{merge, `{"kind":"Node"}`, 422},
		{merge, `{"spec":{"containers":{}}}`, 422},
		{strategic, `[]`, 400},
		{strategic, `{"spec":{"containers":[{"image":"x"}]}}`, 400},
		{apply, `a: [`, 400},
		{apply, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"other"}}`, 400},
		{apply, `{"apiVersion":"v2","kind":"Pod","metadata":{"name":"web"}}`, 400},
		{apply, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","managedFields":[{}]}}`, 400},
	} {
		got := a.patch(pods+"/web?fieldManager=me", test.contentType, test.patch)
		assert.Equal(t, test.code, got.code, "%s %.60s: %s", test.contentType, test.patch, got.body)
		got.refusal()
	}
}

// A patch of a few hundred bytes must not become an object of gigabytes.
func TestAJSONPatchCannotGrowWithoutEnd(t *testing.T) {
	a := newAPI(t)
	a.post(configMaps, fmt.Sprintf(`{"metadata":{"name":"c"},"data":{"a":%q}}`,
		strings.Repeat("x", 1000)))
	var operations []string
	for i := range 40 {
		operations = append(operations, fmt.Sprintf(
			`{"op":"copy","from":"/data","path":"/data/%d"}`, i))
	}
	got := a.patch(configMaps+"/c", jsonPatch, "["+strings.Join(operations, ",")+"]")
	assert.Equal(t, http.StatusUnprocessableEntity, got.code)
	require.Less(t, len(got.body), 10_000)
}

func TestAPatchThatGoesTooDeepIsRefusedUnread(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web"))
	nested := func(n int) string {
		return `{"spec":` + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n+1)
	}
	for name, patch := range map[string]struct{ contentType, body string }{
		"merge":         {merge, nested(9_000)},
		"strategic":     {strategic, nested(9_000)},
		"apply":         {apply, nested(9_000)},
		"apply in YAML": {apply, "spec:\n " + strings.Repeat("- ", 9_000) + "x\n"},
		"JSON": {jsonPatch,
			`[{"op":"add","path":"/spec","value":` + nested(9_000) + `}]`},
		"JSON by its path": {jsonPatch, `[{"op":"remove","path":"` +
			strings.Repeat("/a", 9_000) + `"}]`},
		"JSON by where it copies from": {jsonPatch, `[{"op":"copy","path":"/a","from":"` +
			strings.Repeat("/a", 9_000) + `"}]`},
	} {
		got := a.patch(pods+"/web?fieldManager=me", patch.contentType, patch.body)
		assert.Equal(t, http.StatusRequestEntityTooLarge, got.code, name)
		assert.Equal(t, "Request entity too large: The allowed maximum depth of a "+
			"patch is 100", got.refusal().Message, name)
	}
	// The inside of a string does not count.
	got := a.patch(pods+"/web", merge, map[string]any{"metadata": map[string]any{
		"annotations": map[string]string{"a": strings.Repeat(`\"{[`, 1_000)}}})
	assert.Equal(t, http.StatusOK, got.code, got.body)
}
