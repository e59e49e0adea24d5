package apiserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestWhatWasReadCanBeWrittenBackAndChangesNothing(t *testing.T) {
	a := newAPI(t)
	a.post(pods+"?fieldManager=maker", aPod("web"))
	stored := a.get(pods + "/web")
	back := a.put(pods+"/web?fieldManager=other", stored.body)
	assert.JSONEq(t, stored.body, back.body)
}

func TestAPutWithoutAVersionOverwritesWhateverIsThere(t *testing.T) {
	a := newAPI(t)
	made := a.post(pods, aPod("web")).pod()
	a.patch(pods+"/web", merge, `{"metadata":{"labels":{"of":"another"}}}`)
	pod := made.DeepCopy()
	pod.ResourceVersion = ""
	pod.Labels = map[string]string{"mine": "too"}
	got := a.put(pods+"/web", pod).pod()
	assert.Equal(t, pod.Labels, got.Labels)
	assert.Equal(t, made.UID, got.UID)
	assert.Equal(t, made.CreationTimestamp, got.CreationTimestamp)
	assert.Equal(t, corev1.PodPending, got.Status.Phase)
}

func TestAStatusIsWrittenByItself(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web"))
	pod := a.get(pods + "/web").pod()
	pod.Labels = map[string]string{"a": "b"}
	pod.Annotations = map[string]string{"a": "b"}
	pod.Spec.Containers[0].Image = "another"
	pod.Status.Phase = corev1.PodRunning
	got := a.put(pods+"/web/status", pod).pod()
	assert.Equal(t, corev1.PodRunning, got.Status.Phase)
	assert.Equal(t, map[string]string{"a": "b"}, got.Annotations)
	assert.Empty(t, got.Labels)
	assert.Equal(t, "nginx:1.27", got.Spec.Containers[0].Image)

	got = a.patch(pods+"/web/status?fieldManager=kubelet", merge,
		`{"status":{"phase":"Failed"}}`).pod()
	assert.Equal(t, corev1.PodFailed, got.Status.Phase)
	assert.Equal(t, "kubelet", managerOf(got.ManagedFields, `"f:phase"`))
	assert.Equal(t, "unknown", managerOf(got.ManagedFields, `"f:image"`))
	assert.Equal(t, got.Status, a.get(pods+"/web/status").pod().Status)
}

// As in Kubernetes: a claim that has no volume is not a matter of permission.
func TestWhatIsInvalidIsToldBeforeWhatIsForbidden(t *testing.T) {
	a := newAPI(t)
	claims := "/api/v1/namespaces/default/persistentvolumeclaims"
	a.post(claims, `{"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],
		"storageClassName":"","resources":{"requests":{"storage":"1Gi"}}}}`)
	grown := `{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}`
	refused := a.patch(claims+"/c", merge, grown).refusal()
	assert.EqualValues(t, 422, refused.Code)
	assert.Contains(t, refused.Message, "spec is immutable after creation except resources.requests")
	a.patch(claims+"/c/status", merge, `{"status":{"phase":"Bound"}}`)
	refused = a.patch(claims+"/c", merge, grown).refusal()
	assert.EqualValues(t, 403, refused.Code)
	assert.Contains(t, refused.Message, "only dynamically provisioned pvc can be resized")
}

func TestAKindWithoutAStatusHasNoPathForIt(t *testing.T) {
	a := newAPI(t)
	a.post("/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"c"}}`)
	assert.Equal(t, 404, a.get("/api/v1/namespaces/default/configmaps/c/status").code)
	assert.Equal(t, 404, a.get(pods+"/web/scale").code)
	assert.Equal(t, 404, a.get(deployments+"/web/log").code)
}

func TestWhatMayNotChangeDoesNot(t *testing.T) {
	a := newAPI(t)
	a.send(request{method: "POST", path: deployments,
		body: aDeployment("web"), contentType: "application/yaml"})
	got := a.patch(deployments+"/web", merge,
		`{"spec":{"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}}}}}`)
	assert.Equal(t, http.StatusUnprocessableEntity, got.code)
	status := got.refusal()
	require.NotEmpty(t, status.Details.Causes)
	assert.Equal(t, "spec.selector", status.Details.Causes[0].Field)
	assert.Contains(t, status.Message, "field is immutable")
}

func TestWhoPatchesManagesWhatIsFilledInForHim(t *testing.T) {
	for contentType, patch := range map[string]string{
		merge: `{"spec":{"template":{"spec":{"containers":[{"name":"b","image":"i"}]}}}}`,
		strategic: `{"spec":{"template":{"spec":{"containers":[{"$patch":"replace"},` +
			`{"name":"b","image":"i"}]}}}}`,
	} {
		a := newAPI(t)
		a.send(request{method: "POST", path: deployments,
			body: aDeployment("web"), contentType: "application/yaml"})
		got := into[*appsv1.Deployment](200,
			a.patch(deployments+"/web?fieldManager=me", contentType, patch))
		assert.Equal(t, "me", managerOf(got.ManagedFields, `"f:imagePullPolicy"`), contentType)
	}
}

func TestTwoWhoPatchAtOnceBothSucceed(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web"))
	const writers, each = 8, 10
	var done sync.WaitGroup
	for w := range writers {
		done.Go(func() {
			for i := range each {
				got := a.patch(pods+"/web", merge, fmt.Sprintf(
					`{"metadata":{"labels":{"w%d-%d":"x"}}}`, w, i))
				assert.Equal(t, 200, got.code, got.body)
			}
		})
	}
	done.Wait()
	assert.Len(t, a.get(pods+"/web").pod().Labels, writers*each,
		"a patch that loses a race is made again on what is there then")
}

func TestOfManyWhoPutOneVersionOneSucceeds(t *testing.T) {
	a := newAPI(t)
	made := a.post(pods, aPod("web")).pod()
	var mu sync.Mutex
	codes := map[int]int{}
	var done sync.WaitGroup
	for w := range 8 {
		done.Go(func() {
			pod := made.DeepCopy()
			pod.Labels = map[string]string{"writer": fmt.Sprint(w)}
			got := a.put(pods+"/web", pod)
			mu.Lock()
			defer mu.Unlock()
			codes[got.code]++
		})
	}
	done.Wait()
	assert.Equal(t, map[int]int{200: 1, 409: 7}, codes)
}

func TestALastFinalizerThatIsTakenAwayEndsTheObject(t *testing.T) {
	a := newAPI(t)
	pod := aPod("web")
	pod.Finalizers = []string{"example.com/wait"}
	a.post(pods, pod)
	assert.NotNil(t, a.delete(pods+"/web", nil).pod().DeletionTimestamp)
	got := a.patch(pods+"/web", merge, `{"metadata":{"finalizers":null}}`)
	assert.Equal(t, 200, got.code, got.body)
	assert.Equal(t, 404, a.get(pods+"/web").code)
}

func TestAScaleIsTheReplicasOfItsObject(t *testing.T) {
	a := newAPI(t)
	a.send(request{method: "POST", path: deployments + "?fieldManager=maker",
		body: aDeployment("web"), contentType: "application/yaml"})
	before := a.get(deployments + "/web/scale")
	assert.Contains(t, before.body, `"spec":{"replicas":2}`)
	assert.Contains(t, before.body, `"selector":"app=web"`)
	assert.Contains(t, before.body, `"kind":"Scale","apiVersion":"autoscaling/v1"`)
	same := a.put(deployments+"/web/scale", before.body)
	assert.JSONEq(t, before.body, same.body, "nothing changed")

	after := a.patch(deployments+"/web/scale?fieldManager=hpa", merge,
		`{"spec":{"replicas":5}}`)
	assert.Contains(t, after.body, `"spec":{"replicas":5}`)
	got := into[*appsv1.Deployment](200, a.get(deployments+"/web"))
	assert.EqualValues(t, 5, *got.Spec.Replicas)
	assert.Equal(t, "hpa", managerOf(got.ManagedFields, `"f:replicas"`),
		"who scales manages the replicas, and nobody else does any longer")

	stale := a.put(deployments+"/web/scale", before.body)
	assert.Equal(t, http.StatusConflict, stale.code)
}

// Kubernetes takes version 0 for none: the last write wins.
func TestAVersionOfZeroOverwritesWhateverIsThere(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web"))
	old := a.get(pods + "/web").pod()
	a.patch(pods+"/web", merge, `{"metadata":{"labels":{"a":"b"}}}`)
	old.ResourceVersion, old.Labels = "0", map[string]string{"c": "d"}
	body, err := json.Marshal(old)
	require.NoError(t, err)
	got := a.put(pods+"/web", string(body))
	require.Equal(t, http.StatusOK, got.code, got.body)
	assert.Equal(t, map[string]string{"c": "d"}, got.pod().Labels)
}

// managerOf returns the names of all managers that own a field.
func managerOf(entries []metav1.ManagedFieldsEntry, field string) string {
	var found string
	for _, entry := range entries {
		if entry.FieldsV1 != nil && strings.Contains(entry.FieldsV1.GetRawString(), field) {
			if found != "" {
				found += ", "
			}
			found += entry.Manager
		}
	}
	return found
}

func TestAPodThatIsPutWithoutItsPriorityKeepsIt(t *testing.T) {
	a := newAPI(t)
	pod := a.post(pods, aPod("web")).pod()
	require.NotNil(t, pod.Spec.Priority)
	next := pod.DeepCopy()
	next.Spec.Priority, next.Spec.PreemptionPolicy = nil, nil
	body, err := json.Marshal(next)
	require.NoError(t, err)
	got := a.send(request{method: "PUT", path: pods + "/web", body: string(body)})
	assert.Equal(t, pod.Spec, got.pod().Spec)
}

func TestThePutOfANamespaceKeepsItsFinalizers(t *testing.T) {
	a := newAPI(t)
	a.post("/api/v1/namespaces", `{"metadata":{"name":"space"}}`)
	got := into[*corev1.Namespace](200, a.send(request{method: "PUT", path: "/api/v1/namespaces/space",
		body: `{"metadata":{"name":"space"},"spec":{"finalizers":["other"]}}`}))
	assert.Equal(t, []corev1.FinalizerName{corev1.FinalizerKubernetes}, got.Spec.Finalizers)
}

func TestEveryAnswerAboutEndpointsWarnsOfTheirAge(t *testing.T) {
	a := newAPI(t)
	const endpoints = "/api/v1/namespaces/default/endpoints"
	for _, got := range []answer{
		a.post(endpoints, `{"metadata":{"name":"e"}}`), a.get(endpoints + "/e"), a.get(endpoints),
	} {
		assert.Equal(t, []string{`299 - "v1 Endpoints is deprecated in v1.33+; ` +
			`use discovery.k8s.io/v1 EndpointSlice"`}, got.header.Values("Warning"))
	}
}

func TestWhoMakesAServiceDoesNotManageWhatItsServerChose(t *testing.T) {
	a := newAPI(t)
	got := into[*corev1.Service](201, a.post("/api/v1/namespaces/default/services",
		`{"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}`))
	assert.Equal(t, []corev1.IPFamily{corev1.IPv4Protocol}, got.Spec.IPFamilies)
	managed := got.ManagedFields[0].FieldsV1.GetRawString()
	assert.Contains(t, managed, "f:sessionAffinity", "a default")
	assert.NotContains(t, managed, "f:ipFamilies")
}

func TestWhatOnlyTheServerMaySayIsNotChanged(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web"))
	for patch, want := range map[string]string{
		`{"uid":"another"}`: `metadata.uid: Invalid value: "another": field is immutable`,
		`{"deletionTimestamp":"2020-01-01T00:00:00Z"}`: `metadata.deletionTimestamp: ` +
			`Invalid value: "2020-01-01T00:00:00Z": field is immutable`,
		`{"deletionGracePeriodSeconds":5}`: `metadata.deletionGracePeriodSeconds: ` +
			`Invalid value: 5: field is immutable`,
	} {
		got := a.patch(pods+"/web", merge, `{"metadata":`+patch+`}`)
		assert.Equal(t, http.StatusUnprocessableEntity, got.code, patch)
		assert.Equal(t, `Pod "web" is invalid: `+want, got.refusal().Message)
	}
	assert.Equal(t, 200, a.patch(pods+"/web", merge,
		`{"metadata":{"creationTimestamp":null,"generation":9}}`).code, "which is kept")
}
