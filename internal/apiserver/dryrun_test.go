package apiserver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// newRecorded returns an API, and a count of its writes.
func newRecorded(t *testing.T) (*api, *int) {
	writes := new(int)
	a := newAPI(t, controlloop.OnWrite(func(controlloop.Write) { *writes++ }))
	return a, writes
}

func TestADryRunAnswersAsIfAndWritesNothing(t *testing.T) {
	a, writes := newRecorded(t)
	a.post(pods, aPod("web"))
	a.send(request{method: "POST", path: deployments,
		body: aDeployment("web"), contentType: "application/yaml"})
	before, was := *writes, a.get(pods+"/web").body

	made := a.post(pods+"?dryRun=All", aPod("new")).pod()
	assert.NotEmpty(t, made.UID)
	assert.Empty(t, made.ResourceVersion)
	assert.Equal(t, corev1.RestartPolicyAlways, made.Spec.RestartPolicy)

	changed := a.patch(pods+"/web?dryRun=All", strategic,
		`{"spec":{"containers":[{"name":"web","image":"another"}]}}`).pod()
	assert.Equal(t, "another", changed.Spec.Containers[0].Image)
	assert.EqualValues(t, 2, changed.Generation)
	assert.Contains(t, was, `"resourceVersion":"`+changed.ResourceVersion+`"`)

	scaled := a.patch(deployments+"/web/scale?dryRun=All", merge, `{"spec":{"replicas":9}}`)
	assert.Contains(t, scaled.body, `"replicas":9`)

	applied := a.patch(pods+"/applied?dryRun=All&fieldManager=me", apply,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"applied"},`+
			`"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	assert.Equal(t, 201, applied.code, applied.body)

	assert.Equal(t, 200, a.delete(pods+"/web?dryRun=All", nil).code)
	assert.Equal(t, 200, a.delete(pods+"/web", `{"dryRun":["All"]}`).code)
	assert.Equal(t, 200, a.delete(pods+"?dryRun=All", nil).code)
	assert.Equal(t, 201, a.post(pods+"/web/eviction?dryRun=All",
		`{"metadata":{"name":"web"}}`).code)
	assert.Equal(t, 201, a.post(pods+"/web/binding?dryRun=All",
		`{"metadata":{"name":"web"},"target":{"name":"node"}}`).code)

	assert.Equal(t, before, *writes)
	assert.Equal(t, was, a.get(pods+"/web").body)
}

func TestADryRunIsRefusedWhatTheWriteWouldBeRefused(t *testing.T) {
	a := newAPI(t)
	a.post(pods, aPod("web"))
	assert.Equal(t, 409, a.post(pods+"?dryRun=All", aPod("web")).code)
	assert.Equal(t, 404, a.post("/api/v1/namespaces/none/pods?dryRun=All", aPod("a")).code)
	assert.Equal(t, 422, a.patch(pods+"/web?dryRun=All", merge,
		`{"spec":{"restartPolicy":"Never"}}`).code)
	assert.Equal(t, 409, a.patch(pods+"/web?dryRun=All", merge,
		`{"metadata":{"resourceVersion":"1"}}`).code)
	assert.Equal(t, 404, a.delete(pods+"/none?dryRun=All", nil).code)
}

// A seeded store hands out names and uids in turn: a client that tries
// something out must not take one.
func TestADryRunKnowsWhichAddressesAreTaken(t *testing.T) {
	a := newAPI(t)
	const services = "/api/v1/namespaces/default/services"
	service := func(name string) request {
		return request{method: "POST", path: services + "?dryRun=All",
			contentType: "application/yaml", body: `{apiVersion: v1, kind: Service,
				metadata: {name: ` + name + `}, spec: {clusterIP: 10.96.0.9, ports: [{port: 80}]}}`}
	}
	require.Equal(t, 201, a.send(service("web")).code)
	require.Equal(t, 201, a.send(service("db")).code, "nothing was taken")
	web := service("web")
	web.path = services
	require.Equal(t, 201, a.send(web).code)
	got := a.send(service("db"))
	assert.Equal(t, 422, got.code)
	assert.Contains(t, got.body, "provided IP is already allocated")
}

func TestADryRunTakesNoNamesFromTheStore(t *testing.T) {
	generated := func(tries int) string {
		a := newAPI(t)
		for range tries {
			pod := aPod("")
			pod.GenerateName = "try-"
			require.Equal(t, 201, a.post(pods+"?dryRun=All", pod).code)
		}
		pod := aPod("")
		pod.GenerateName = "web-"
		return strings.TrimPrefix(a.post(pods, pod).pod().Name, "web-")
	}
	assert.Equal(t, generated(0), generated(3))
}
