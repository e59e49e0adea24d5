package apiserver_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

func TestABodyIsJSONYAMLOrProtobuf(t *testing.T) {
	pod := aPod("web")
	for name, test := range map[string]struct {
		contentType string
		body        any
	}{
		"JSON":     {"application/json; charset=utf-8", pod},
		"YAML":     {runtime.ContentTypeYAML, "metadata: {name: web}\nspec: {containers: [{name: web, image: 'nginx:1.27'}]}"},
		"protobuf": {runtime.ContentTypeProtobuf, protobuf(t, pod)},
	} {
		t.Run(name, func(t *testing.T) {
			got := newAPI(t).send(request{method: "POST", path: pods,
				body: test.body, contentType: test.contentType}).pod()
			assert.Equal(t, "web", got.Name)
			assert.Equal(t, "default", got.Namespace)
			assert.Equal(t, "nginx:1.27", got.Spec.Containers[0].Image)
			assert.Equal(t, corev1.RestartPolicyAlways, got.Spec.RestartPolicy)
			assert.Equal(t, "v1/Pod", got.APIVersion+"/"+got.Kind)
		})
	}
}

func TestANameIsGenerated(t *testing.T) {
	pod := aPod("")
	pod.GenerateName = "web-"
	got := newAPI(t).post(pods, pod).pod()
	assert.Regexp(t, `^web-[a-z0-9]{5}$`, got.Name)
	assert.Equal(t, "web-", got.GenerateName)
}

func TestWhoCreatesDoesNotSayWhatOnlyTheServerMay(t *testing.T) {
	pod := aPod("web")
	pod.UID = "mine"
	pod.Generation = 7
	pod.SetSelfLink("/x")
	pod.DeletionTimestamp = new(metav1.Now())
	pod.DeletionGracePeriodSeconds = new(int64(0))
	pod.Status.Phase = corev1.PodRunning
	got := newAPI(t).post(pods, pod).pod()
	assert.NotEqual(t, types.UID("mine"), got.UID)
	assert.EqualValues(t, 1, got.Generation)
	assert.Empty(t, got.GetSelfLink())
	assert.Nil(t, got.DeletionTimestamp)
	assert.Nil(t, got.DeletionGracePeriodSeconds)
	assert.Equal(t, corev1.PodPending, got.Status.Phase)
}

const oddPod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","name":"web"},
	"spec":{"foo":1,"containers":[{"name":"web","image":"nginx","imag":"x"}]}}`

func TestFieldsThatAreOddAreRefusedWarnedOfOrIgnored(t *testing.T) {
	for validation, want := range map[string]struct {
		code     int
		warnings []string
	}{
		"Strict": {http.StatusBadRequest, nil},
		"Ignore": {http.StatusCreated, nil},
		"": {http.StatusCreated, []string{
			`299 - "duplicate field \"metadata.name\""`,
			`299 - "unknown field \"spec.containers[0].imag\""`,
			`299 - "unknown field \"spec.foo\""`,
		}},
	} {
		t.Run(validation, func(t *testing.T) {
			got := newAPI(t).post(pods+"?fieldValidation="+validation, oddPod)
			assert.Equal(t, want.code, got.code, got.body)
			assert.ElementsMatch(t, want.warnings, got.header.Values("Warning"))
		})
	}
}

func TestOddYAMLIsWarnedOfLineByLine(t *testing.T) {
	got := newAPI(t).send(request{
		method: "POST", path: pods, contentType: runtime.ContentTypeYAML,
		body: "metadata: {name: web, name: web}\n" +
			"spec: {containers: [{name: web, image: nginx}]}",
	})
	assert.Equal(t, http.StatusCreated, got.code, got.body)
	assert.Equal(t, []string{
		`299 - "line 1: key \"name\" already set in map"`,
	}, got.header.Values("Warning"))
}

// A body of nothing but unknown fields must not become a header of megabytes.
func TestWarningsHaveAnEnd(t *testing.T) {
	var odd strings.Builder
	for n := range 90 {
		fmt.Fprintf(&odd, `"%s%d":1,`, strings.Repeat("x", 100), n)
	}
	got := newAPI(t).post(pods, `{"spec":{`+odd.String()+`"containers":[]}}`)
	size := 0
	for _, warning := range got.header.Values("Warning") {
		size += len(warning)
	}
	assert.LessOrEqual(t, size, 4096)
	assert.Greater(t, size, 3900, "as much as there is room for")
}

func TestOwnersThatAreThereTwiceAreThereOnce(t *testing.T) {
	pod := aPod("web")
	owner := metav1.OwnerReference{APIVersion: "v1", Kind: "X", Name: "x", UID: "u"}
	pod.OwnerReferences = []metav1.OwnerReference{owner, owner}
	got := newAPI(t).post(pods, pod)
	assert.Equal(t, []metav1.OwnerReference{owner}, got.pod().OwnerReferences)
	require.Len(t, got.header.Values("Warning"), 1)
	assert.Contains(t, got.header.Get("Warning"), "duplicate UID(s) observed: u")
}

func TestWhoCreatesManagesWhatHeSetAndTheDefaults(t *testing.T) {
	a := newAPI(t)
	got := a.send(request{
		method: "POST", path: pods, body: aPod("web"),
		header: http.Header{"User-Agent": {"kubectl/v1.37 (linux/amd64)"}},
	}).pod()
	require.Len(t, got.ManagedFields, 1)
	entry := got.ManagedFields[0]
	assert.Equal(t, "kubectl", entry.Manager)
	assert.Equal(t, metav1.ManagedFieldsOperationUpdate, entry.Operation)
	stored, err := a.store.Get(t.Context(), controlloop.PodKind, controlloop.KeyOf(got))
	require.NoError(t, err)
	assert.Zero(t, stored.GetManagedFields()[0].Time.Nanosecond(),
		"what is stored is what is read")
	fields := entry.FieldsV1.GetRawString()
	assert.Contains(t, fields, `"f:image":{}`)
	assert.Contains(t, fields, `"f:dnsPolicy":{}`)
	assert.NotContains(t, fields, "status", "which creating does not set")
}

func TestTheFieldManagerIsNamedByTheQuery(t *testing.T) {
	got := newAPI(t).post(pods+"?fieldManager=me", aPod("web")).pod()
	require.Len(t, got.ManagedFields, 1)
	assert.Equal(t, "me", got.ManagedFields[0].Manager)
}

func TestAKindOfTheClusterHasNoNamespace(t *testing.T) {
	got := into[corev1.Node](http.StatusCreated, newAPI(t).post("/api/v1/nodes",
		`{"metadata":{"name":"n","namespace":"default"}}`))
	assert.Empty(t, got.Namespace)
}

func TestAPutMakesTheKindsThatAPutMakes(t *testing.T) {
	a := newAPI(t)
	path := "/apis/coordination.k8s.io/v1/namespaces/default/leases/l"
	made := a.put(path, `{"metadata":{"name":"l"}}`)
	assert.Equal(t, http.StatusCreated, made.code, made.body)
	lost := a.put(path, `{"metadata":{"name":"l","uid":"of-another-life"}}`)
	assert.Equal(t, http.StatusConflict, lost.code)
	none := a.put("/apis/coordination.k8s.io/v1/namespaces/default/leases/m",
		`{"metadata":{"name":"m","uid":"of-another-life"}}`)
	assert.Equal(t, "Operation cannot be fulfilled on leases.coordination.k8s.io "+
		`"m": uid mismatch: the provided object specified uid of-another-life, `+
		"and no existing object was found", none.refusal().Message)
}

func TestGenerationsCountChangesOfTheSpec(t *testing.T) {
	a := newAPI(t)
	made := into[*appsv1.Deployment](201, a.send(request{method: "POST",
		path: deployments, body: aDeployment("web"), contentType: "application/yaml"}))
	assert.EqualValues(t, 1, made.Generation)
	for _, test := range []struct {
		patch string
		want  int64
	}{
		{`{"metadata":{"labels":{"a":"b"}}}`, 1},
		{`{"spec":{"replicas":5}}`, 2},
		{`{"spec":{"replicas":5}}`, 2},
		{`{"status":{"replicas":5}}`, 2},
	} {
		got := into[*appsv1.Deployment](200,
			a.patch(deployments+"/web", merge, test.patch))
		assert.Equal(t, test.want, got.Generation, test.patch)
		assert.Zero(t, got.Status.Replicas, "the status is written by its own path")
	}
}

func TestABodyThatDoesNotSayWhatItIsIsJSON(t *testing.T) {
	a := newAPI(t)
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, configMaps,
		strings.NewReader(`{"metadata":{"name":"c"}}`)))
	assert.Equal(t, http.StatusCreated, w.Code, w.Body.String())
}

func TestOwnersThatAreThereTwiceAreNamed(t *testing.T) {
	const one = `{"apiVersion":"v1","kind":"Pod","name":"o","uid":"u1"}`
	two := strings.ReplaceAll(one, "u1", "u2")
	got := newAPI(t).post(configMaps, `{"metadata":{"name":"c","ownerReferences":[`+
		strings.Join([]string{one, two, one, two}, ",")+`]}}`)
	made := into[metav1.PartialObjectMetadata](http.StatusCreated, got)
	assert.Len(t, made.OwnerReferences, 2)
	require.Len(t, got.header.Values("Warning"), 1)
	assert.Contains(t, got.header.Get("Warning"), "duplicate UID(s) observed: u1, u2")
}
