package apiserver_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const toBeAdded = pods + "/web/ephemeralcontainers"

// containerToAdd returns a container to be added, with more fields.
func containerToAdd(name, more string) string {
	return `{"spec":{"ephemeralContainers":[{"name":"` + name + `","image":"busybox:1.28"` + more + `}]}}`
}

func names(pod *corev1.Pod) (all []string) {
	for _, c := range pod.Spec.EphemeralContainers {
		all = append(all, c.Name)
	}
	return all
}

func TestAContainerIsAddedToAPod(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web")).pod()
	pod := a.patch(toBeAdded, strategic, containerToAdd("a", `,"targetContainerName":"web","stdin":true`)).pod()
	require.Equal(t, []string{"a"}, names(pod))
	assert.EqualValues(t, 2, pod.Generation)
	added := pod.Spec.EphemeralContainers[0]
	assert.Equal(t, corev1.PullIfNotPresent, added.ImagePullPolicy, "it has the defaults of any other")
	assert.Equal(t, corev1.TerminationMessageReadFile, added.TerminationMessagePolicy)

	pod = a.patch(toBeAdded, strategic, containerToAdd("b", "")).pod()
	assert.ElementsMatch(t, []string{"a", "b"}, names(pod))
	assert.ElementsMatch(t, []string{"a", "b"}, names(a.get(toBeAdded).pod()))

	pod.Spec.EphemeralContainers = append(pod.Spec.EphemeralContainers, corev1.EphemeralContainer{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "c", Image: "busybox"},
	})
	pod.Labels = map[string]string{"not": "here"}
	pod.Spec.Containers[0].Image = "other"
	pod = a.put(toBeAdded, pod).pod()
	assert.ElementsMatch(t, []string{"a", "b", "c"}, names(pod))
	assert.Empty(t, pod.Labels)
	assert.Equal(t, "nginx:1.27", pod.Spec.Containers[0].Image, "nothing else is written")

	pod = a.patch(toBeAdded, jsonPatch,
		`[{"op":"add","path":"/spec/ephemeralContainers/-","value":{"name":"d","image":"busybox"}}]`).pod()
	assert.Contains(t, names(pod), "d")
}

func TestWhoAddsAContainerManagesThatAlone(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web")).pod()
	pod := a.patch(toBeAdded+"?fieldManager=me", strategic,
		`{"metadata":{"labels":{"a":"b"}},`+containerToAdd("a", "")[1:]).pod()
	at := slices.IndexFunc(pod.ManagedFields,
		func(m metav1.ManagedFieldsEntry) bool { return m.Manager == "me" })
	require.GreaterOrEqual(t, at, 0)
	mine := pod.ManagedFields[at]
	assert.Equal(t, "ephemeralcontainers", mine.Subresource)
	var fields map[string]map[string]any
	require.NoError(t, json.Unmarshal(mine.FieldsV1.GetRawBytes(), &fields))
	assert.Contains(t, fields["f:spec"], "f:ephemeralContainers")
	assert.Len(t, fields, 1)
	assert.Len(t, fields["f:spec"], 1)
}

func TestContainersAreNeitherTakenAwayNorChangedNorAddedOtherwise(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web")).pod()
	pod := a.patch(toBeAdded, strategic, containerToAdd("a", "")).pod()
	const invalid = `Pod "web" is invalid: `
	refused := func(want string, got answer) {
		t.Helper()
		require.Equal(t, http.StatusUnprocessableEntity, got.code, got.body)
		assert.Equal(t, invalid+want, got.refusal().Message)
	}
	refused(`spec.ephemeralContainers: Forbidden: existing ephemeral containers "a" may not be removed`+"\n",
		a.patch(toBeAdded, merge, `{"spec":{"ephemeralContainers":null}}`))
	refused(`spec.ephemeralContainers: Forbidden: existing ephemeral containers "a" may not be changed`+
		"\n@@ -1,7 +1,9 @@\n {\n  \"Name\": \"a\",\n  \"Image\": \"busybox:1.28\",\n- \"Command\": null,\n"+
		"+ \"Command\": [\n+  \"sh\"\n+ ],\n  \"Args\": null,\n  \"WorkingDir\": \"\",\n  \"Ports\": null,\n",
		a.patch(toBeAdded, strategic, containerToAdd("a", `,"command":["sh"]`)))

	const fields = "spec: Forbidden: pod updates may not change fields other than " +
		"`spec.containers[*].image`,`spec.initContainers[*].image`," +
		"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing " +
		"tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if " +
		"it was previously negative)"
	refused(fields, a.patch(pods+"/web", strategic, containerToAdd("b", "")))
	without := pod.DeepCopy()
	without.Spec.EphemeralContainers = nil
	refused(fields, a.put(pods+"/web", without))
	other := aPod("other")
	other.Spec.EphemeralContainers = pod.Spec.EphemeralContainers
	assert.Equal(t, `Pod "other" is invalid: spec.ephemeralContainers: Forbidden: cannot be set on create`,
		a.post(pods, other).refusal().Message)

	again := a.patch(pods+"/web", merge, `{"metadata":{"labels":{"a":"b"}}}`).pod()
	assert.Equal(t, []string{"a"}, names(again), "what was added stays when something else is written")
	assert.Equal(t, http.StatusNotFound, a.patch(pods+"/none/ephemeralcontainers", strategic, containerToAdd("a", "")).code)
	assert.Equal(t, http.StatusMethodNotAllowed, a.post(toBeAdded, again).code)
}

func TestAContainerThatIsAddedIsRefusedInKubernetesWords(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web")).pod()
	const at, no = "spec.ephemeralContainers[0].", "Forbidden: cannot be set for an Ephemeral Container"
	for name, test := range map[string]struct{ name, more, want string }{
		"the name of a container":  {"web", "", at + `name: Duplicate value: "web"`},
		"a name that cannot be":    {"", "", at + "name: Required value"},
		"a target that is not":     {"a", `,"targetContainerName":"b"`, at + `targetContainerName: Not found: "b"`},
		"itself as a target":       {"a", `,"targetContainerName":"a"`, at + `targetContainerName: Not found: "a"`},
		"ports":                    {"a", `,"ports":[{"containerPort":80}]`, at + "ports: " + no},
		"resources":                {"a", `,"resources":{"requests":{"cpu":"1"}}`, at + "resources: " + no},
		"a readiness probe":        {"a", `,"readinessProbe":{"exec":{"command":["true"]}}`, at + "readinessProbe: " + no},
		"a liveness probe":         {"a", `,"livenessProbe":{"exec":{"command":["true"]}}`, at + "livenessProbe: " + no},
		"a startup probe":          {"a", `,"startupProbe":{"exec":{"command":["true"]}}`, at + "startupProbe: " + no},
		"a hook":                   {"a", `,"lifecycle":{"preStop":{"exec":{"command":["true"]}}}`, at + "lifecycle: " + no},
		"a restart policy":         {"a", `,"restartPolicy":"Always"`, at + "restartPolicy: " + no},
		"a volume that is not":     {"a", `,"volumeMounts":[{"name":"v","mountPath":"/v"}]`, at + `volumeMounts[0].name: Not found: "v"`},
		"a pull policy that isn't": {"a", `,"imagePullPolicy":"x"`, at + `imagePullPolicy: Unsupported value: "x": supported values: "Always", "IfNotPresent", "Never"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := a.patch(toBeAdded, strategic, containerToAdd(test.name, test.more))
			if test.name == "" {
				got = a.patch(toBeAdded, merge, containerToAdd("", ""))
			}
			require.Equal(t, http.StatusUnprocessableEntity, got.code, got.body)
			assert.Equal(t, `Pod "web" is invalid: `+test.want, got.refusal().Message)
		})
	}
	assert.Equal(t, `Pod "web" is invalid: spec.ephemeralContainers[1].name: Duplicate value: "a"`,
		a.patch(toBeAdded, merge, `{"spec":{"ephemeralContainers":[{"name":"a","image":"b"},{"name":"a","image":"b"}]}}`).
			refusal().Message)
}
