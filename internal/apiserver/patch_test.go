package apiserver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
