package apiserver_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const configMaps = "/api/v1/namespaces/default/configmaps"

func TestWhatIsGoneIsToldWithItsUID(t *testing.T) {
	a := newAPI(t)
	made := into[corev1.ConfigMap](201, a.post(configMaps, `{"metadata":{"name":"c"}}`))
	got := into[metav1.Status](200, a.delete(configMaps+"/c", nil))
	assert.Equal(t, metav1.StatusSuccess, got.Status)
	assert.Equal(t, &metav1.StatusDetails{
		Name: "c", Kind: "configmaps", UID: made.UID,
	}, got.Details)
	assert.Equal(t, 404, a.get(configMaps+"/c").code)
}

func TestAPodIsToldAsItLastWas(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web"))
	got := a.delete(pods+"/web", nil).pod()
	assert.Equal(t, "web", got.Name)
	assert.Equal(t, 404, a.get(pods+"/web").code, "it ran nowhere")
}

func TestAPodThatRunsGetsItsGrace(t *testing.T) {
	for name, test := range map[string]struct {
		query string
		body  any
		want  int64
	}{
		"of its own":  {"", nil, 30},
		"by the body": {"", `{"gracePeriodSeconds":5}`, 5},
		"by the query": {
			"?gracePeriodSeconds=7", nil, 7},
		"by the body before the query": {
			"?gracePeriodSeconds=7", `{"gracePeriodSeconds":5}`, 5},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			pod := aPod("web")
			pod.Spec.NodeName = "node"
			a.post(pods, pod)
			got := a.delete(pods+"/web"+test.query, test.body).pod()
			require.NotNil(t, got.DeletionGracePeriodSeconds)
			assert.Equal(t, test.want, *got.DeletionGracePeriodSeconds)
			assert.NotNil(t, a.get(pods+"/web").pod().DeletionTimestamp)
			assert.Equal(t, 200, a.delete(pods+"/web?gracePeriodSeconds=0", nil).code)
			assert.Equal(t, 404, a.get(pods+"/web").code)
		})
	}
}

func TestDependentsAreDeletedOrphanedOrWaitedFor(t *testing.T) {
	for name, test := range map[string]struct {
		body any
		want []string
		code int
	}{
		"nothing said":        {nil, nil, 200},
		"background":          {`{"propagationPolicy":"Background"}`, nil, 200},
		"foreground":          {`{"propagationPolicy":"Foreground"}`, []string{"foregroundDeletion"}, 200},
		"orphan":              {`{"propagationPolicy":"Orphan"}`, []string{"orphan"}, 200},
		"orphan, the old way": {`{"orphanDependents":true}`, []string{"orphan"}, 200},
		"group and version of the kind": {
			`{"kind":"DeleteOptions","apiVersion":"apps/v1","propagationPolicy":"Orphan"}`,
			[]string{"orphan"}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			a.send(request{method: "POST", path: deployments,
				body: aDeployment("web"), contentType: "application/yaml"})
			got := into[metav1.PartialObjectMetadata](test.code,
				a.delete(deployments+"/web", test.body))
			assert.Equal(t, test.want, got.Finalizers)
			if test.want == nil {
				assert.Equal(t, "Status", got.Kind)
			} else {
				assert.Equal(t, "Deployment", got.Kind)
				assert.NotNil(t, got.DeletionTimestamp)
			}
		})
	}
}

// Kubernetes' first kind that makes Pods leaves them behind, unless told not to.
func TestAReplicationControllerLeavesItsPodsBehind(t *testing.T) {
	const path = "/api/v1/namespaces/default/replicationcontrollers"
	for body, want := range map[string][]string{
		``:                                   {"orphan"},
		`{"propagationPolicy":"Background"}`: nil,
		`{"orphanDependents":false}`:         nil,
	} {
		a := newAPI(t)
		made := a.post(path, `{"metadata":{"name":"rc"},"spec":{"template":{
			"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`)
		require.Equal(t, 201, made.code, made.body)
		got := into[metav1.PartialObjectMetadata](200, a.delete(path+"/rc", body))
		assert.Equal(t, want, got.Finalizers, body)
	}
}

func TestPreconditionsOfADeleteAreChecked(t *testing.T) {
	a := newAPI(t)
	made := a.post(pods, aPod("web")).pod()
	a.patch(pods+"/web", merge, `{"metadata":{"labels":{"a":"b"}}}`)
	body := map[string]any{"preconditions": map[string]any{
		"uid": made.UID, "resourceVersion": made.ResourceVersion}}
	got := a.delete(pods+"/web", body)
	assert.Equal(t, http.StatusConflict, got.code)
	assert.Contains(t, got.refusal().Message, "the ResourceVersion in the precondition (")
	body["preconditions"].(map[string]any)["resourceVersion"] =
		a.get(pods + "/web").pod().ResourceVersion
	assert.Equal(t, 200, a.delete(pods+"/web", body).code)
}

func TestACollectionIsDeletedAsFarAsItIsSelected(t *testing.T) {
	a := newAPI(t)
	for _, name := range []string{"a", "b", "c"} {
		pod := aPod(name)
		pod.Labels = map[string]string{"keep": map[bool]string{true: "yes"}[name == "b"]}
		a.post(pods, pod)
	}
	a.post("/api/v1/namespaces/other/pods", aPod("d"))
	got := into[corev1.PodList](200, a.delete(pods+"?labelSelector=keep!%3Dyes", nil))
	assert.Equal(t, "PodList", got.Kind)
	assert.Len(t, got.Items, 2)
	left := into[corev1.PodList](200, a.get("/api/v1/pods"))
	require.Len(t, left.Items, 2)
	assert.Equal(t, "b d", left.Items[0].Name+" "+left.Items[1].Name)
	assert.Equal(t, 405, a.delete("/api/v1/pods", nil).code,
		"those of all namespaces cannot be deleted at once")
}

func TestANamespaceStaysUntilItIsFinalized(t *testing.T) {
	a := newAPI(t)
	path := "/api/v1/namespaces/other"
	got := into[corev1.Namespace](200, a.delete(path, nil))
	assert.Equal(t, corev1.NamespaceTerminating, got.Status.Phase)
	stored := into[corev1.Namespace](200, a.get(path))
	require.Equal(t, []corev1.FinalizerName{"kubernetes"}, stored.Spec.Finalizers)
	stored.Spec.Finalizers = nil
	stored.Status.Phase = corev1.NamespaceActive
	last := into[corev1.Namespace](200, a.put(path+"/finalize", stored))
	assert.Equal(t, corev1.NamespaceTerminating, last.Status.Phase, "is not written by it")
	assert.Equal(t, 404, a.get(path).code)
}
