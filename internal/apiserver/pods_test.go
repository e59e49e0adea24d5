package apiserver_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func binding(pod, node string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Binding","metadata":{"name":%q,`+
		`"annotations":{"by":"me"}},"target":{"kind":"Node","name":%q}}`, pod, node)
}

func TestAPodIsBoundOnceAndForAll(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web"))
	got := a.post(pods+"/web/binding", binding("web", "node-1"))
	assert.Equal(t, http.StatusCreated, got.code, got.body)
	assert.JSONEq(t, `{"kind":"Status","apiVersion":"v1","metadata":{},`+
		`"status":"Success","code":201}`, got.body)
	pod := a.get(pods + "/web").pod()
	assert.Equal(t, "node-1", pod.Spec.NodeName)
	assert.Equal(t, "me", pod.Annotations["by"])

	again := a.post(pods+"/web/binding", binding("web", "node-2"))
	assert.Equal(t, http.StatusConflict, again.code)
	assert.Equal(t, `Operation cannot be fulfilled on pods/binding "web": pod web is `+
		`already assigned to node "node-1"`, again.refusal().Message)
}

func TestOfManyWhoBindAPodOneSucceeds(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web"))
	var mu sync.Mutex
	codes := map[int]int{}
	var done sync.WaitGroup
	for n := range 8 {
		done.Go(func() {
			got := a.post(pods+"/web/binding", binding("web", fmt.Sprint("node-", n)))
			mu.Lock()
			defer mu.Unlock()
			codes[got.code]++
		})
	}
	done.Wait()
	assert.Equal(t, map[int]int{201: 1, 409: 7}, codes)
}

func TestABindingIsRefusedWithoutANodeOrForAnotherPod(t *testing.T) {
	a := newAPI(t)
	pod := a.post(pods, aPod("web")).pod()
	for body, want := range map[string]struct {
		code    int
		message string
	}{
		binding("web", ""): {500, "target.name: Required value"},
		binding("other", "node"): {400,
			"name in URL does not match name in Binding object"},
		`{"metadata":{"name":"web"},"target":{"kind":"Moon","name":"m"}}`: {500,
			`target.kind: Unsupported value: "Moon": ` +
				`supported values: "Node", "<empty>"`},
		`{"metadata":{"name":"web","uid":"x"},"target":{"name":"node"}}`: {409,
			`Operation cannot be fulfilled on pods "web": Precondition failed: UID in ` +
				`precondition: x, UID in object meta: ` + string(pod.UID)},
		`{"metadata":{"name":"web","resourceVersion":"1"},"target":{"name":"node"}}`: {409,
			`Operation cannot be fulfilled on pods "web": Precondition failed: ResourceVersion in ` +
				`precondition: 1, ResourceVersion in object meta: ` + pod.ResourceVersion},
		`{"metadata":{"name":"web","namespace":"other"},"target":{"name":"node"}}`: {400,
			"the namespace of the provided object does not match the namespace sent on the request"},
	} {
		got := a.post(pods+"/web/binding", body)
		assert.Equal(t, want.code, got.code, body)
		assert.Equal(t, want.message, got.refusal().Message)
	}
	assert.Equal(t, 404, a.post(pods+"/none/binding", binding("none", "node")).code)
	assert.Empty(t, a.get(pods+"/web").pod().Spec.NodeName)
}

// The old path has no Pod's name in it, and clients that know no other use it.
func TestAPodIsBoundByTheCollectionOfBindings(t *testing.T) {
	const bindings = "/api/v1/namespaces/default/bindings"
	a := newAPI(t)
	a.post(pods, aPod("web"))
	got := a.post(bindings, binding("web", "node-1"))
	assert.Equal(t, http.StatusCreated, got.code, got.body)
	pod := a.get(pods + "/web").pod()
	assert.Equal(t, "node-1", pod.Spec.NodeName)
	assert.EqualValues(t, 1, pod.Generation)
	assert.Equal(t, 404, a.post(bindings, binding("none", "node-1")).code)
	assert.Equal(t, 500, a.post(bindings, binding("web", "")).code)
	assert.Equal(t, 405, a.get(bindings).code)
}

// A client that writes the tolerations anew knows nothing of those two.
func TestAnUpdateKeepsTheTolerationsThatEveryPodHas(t *testing.T) {
	a := newAPI(t)
	pod := a.post(pods, aPod("web")).pod()
	require.Len(t, pod.Spec.Tolerations, 2)
	defaults := pod.Spec.Tolerations
	mine := corev1.Toleration{Key: "foo", Operator: "Exists", Effect: "NoExecute"}
	pod.Spec.Tolerations = []corev1.Toleration{mine}
	got := a.put(pods+"/web", pod)
	require.Equal(t, 200, got.code, got.body)
	assert.Equal(t, append([]corev1.Toleration{mine}, defaults...), got.pod().Spec.Tolerations)
	assert.EqualValues(t, 2, got.pod().Generation)
}

func TestAPodIsGivenToANodeByNoUpdate(t *testing.T) {
	a := newAPI(t)
	pod := a.post(pods, aPod("web")).pod()
	pod.Spec.NodeName = "node-1"
	got := a.put(pods+"/web", pod)
	assert.Equal(t, 422, got.code)
	assert.Contains(t, got.refusal().Message, `Pod "web" is invalid: spec: Forbidden: pod updates may not `+
		"change fields other than `spec.containers[*].image`")
}

func TestAPodThatIsGoingOrNotReadyIsNotBound(t *testing.T) {
	a := newAPI(t)
	going, gated := aPod("going"), aPod("gated")
	going.Finalizers = []string{"example.com/wait"}
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/gate"}}
	a.post(pods, going)
	a.post(pods, gated)
	a.delete(pods+"/going", nil)
	for name, want := range map[string]string{
		"going": "pod going is being deleted, cannot be assigned to a host",
		"gated": "pod gated has non-empty .spec.schedulingGates",
	} {
		got := a.post(pods+"/"+name+"/binding", binding(name, "node"))
		assert.Equal(t, `Operation cannot be fulfilled on pods/binding "`+name+`": `+want,
			got.refusal().Message)
	}
}

func TestAPodIsEvicted(t *testing.T) {
	a := newAPI(t)
	for _, version := range []string{"policy/v1"} {
		pod := aPod("web")
		pod.Spec.NodeName = "node"
		a.post(pods, pod)
		got := a.post(pods+"/web/eviction", fmt.Sprintf(`{"apiVersion":%q,"kind":"Eviction",`+
			`"metadata":{"name":"web"},"deleteOptions":{"gracePeriodSeconds":7}}`, version))
		assert.Equal(t, http.StatusCreated, got.code, got.body)
		assert.Equal(t, metav1.StatusSuccess, into[metav1.Status](201, got).Status)
		left := a.get(pods + "/web").pod()
		require.NotNil(t, left.DeletionTimestamp)
		assert.EqualValues(t, 7, *left.DeletionGracePeriodSeconds)
	}
	wrong := a.post(pods+"/web/eviction", `{"metadata":{"name":"other"}}`)
	assert.Equal(t, "name in URL does not match name in Eviction object",
		wrong.refusal().Message)
	assert.Equal(t, 404, a.post(pods+"/none/eviction", `{"metadata":{"name":"none"}}`).code)
}

func TestWhoAsksIsToldWhoHeIsAndThatHeMayDoAnything(t *testing.T) {
	a := newAPI(t)
	who := a.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", `{}`)
	assert.Equal(t, 201, who.code)
	assert.Contains(t, who.body, `"username":"admin"`)
	may := a.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		`{"spec":{"resourceAttributes":{"verb":"delete","resource":"pods"}}}`)
	assert.Equal(t, 201, may.code)
	assert.Contains(t, may.body, `"allowed":true`)
	assert.Contains(t, may.body, `"verb":"delete"`)
	assert.Equal(t, 405, a.get("/apis/authentication.k8s.io/v1/selfsubjectreviews").code)
}

func TestAServerThatAnswersIsHealthy(t *testing.T) {
	a := newAPI(t)
	for _, path := range []string{"/healthz", "/livez", "/readyz", "/readyz/ping"} {
		got := a.get(path)
		assert.Equal(t, "200 ok", fmt.Sprint(got.code, " ", got.body), path)
	}
}

func TestWhatIsServedIsTold(t *testing.T) {
	a := newAPI(t)
	for _, path := range []string{"/version", "/api", "/apis", "/api/v1", "/apis/apps/v1",
		"/openapi/v3", "/openapi/v3/apis/apps/v1"} {
		assert.Equal(t, 200, a.get(path).code, path)
	}
	assert.Equal(t, 404, a.get("/apis/metrics.k8s.io/v1beta1").code)
	assert.Equal(t, 404, a.get("/apis/metrics.k8s.io/v1beta1/nodes").code)
}
