package apiserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

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
