package apiserver_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (a *api) apply(manager, body string) answer {
	a.t.Helper()
	return a.patch(deployments+"/web?fieldManager="+manager, apply, body)
}

func of(spec string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {" + spec + "}"
}

func TestAnApplyMakesWhatIsNotThere(t *testing.T) {
	a := newAPI(t)
	got := into[*appsv1.Deployment](http.StatusCreated, a.apply("me", aDeployment("web")))
	require.Len(t, got.ManagedFields, 1)
	entry := got.ManagedFields[0]
	assert.Equal(t, "me", entry.Manager)
	assert.Equal(t, metav1.ManagedFieldsOperationApply, entry.Operation)
	assert.Contains(t, entry.FieldsV1.GetRawString(), `"f:replicas"`)
	assert.NotContains(t, entry.FieldsV1.GetRawString(), `"f:strategy"`,
		"who applies manages what he says, not the defaults")
	assert.Equal(t, appsv1.RollingUpdateDeploymentStrategyType, got.Spec.Strategy.Type)
}

func TestAnApplyWithoutANameMakesNothing(t *testing.T) {
	got := newAPI(t).apply("me", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {}")
	assert.Equal(t, http.StatusBadRequest, got.code)
	assert.Equal(t, "the name of the object (web based on URL) was undeterminable: "+
		"name must be provided", got.refusal().Message)
}

func TestOfManyWhoApplyAtOnceOneMakesIt(t *testing.T) {
	for range 20 {
		a := newAPI(t)
		codes := make(chan int, 8)
		for range cap(codes) {
			go func() { codes <- a.apply("me", aDeployment("web")).code }()
		}
		made := map[int]int{}
		for range cap(codes) {
			made[<-codes]++
		}
		assert.Equal(t, map[int]int{201: 1, 200: 7}, made)
	}
}

func TestApplyingTheSameAgainChangesNothing(t *testing.T) {
	a := newAPI(t)
	first := a.apply("me", aDeployment("web"))
	again := a.apply("me", aDeployment("web"))
	assert.Equal(t, http.StatusOK, again.code)
	assert.JSONEq(t, first.body, again.body)
}

func TestWhoNoLongerAppliesAFieldTakesItBack(t *testing.T) {
	a := newAPI(t)
	a.apply("me", aDeployment("web"))
	a.apply("other", of("minReadySeconds: 5"))
	got := into[*appsv1.Deployment](200, a.apply("other", of("")))
	assert.Zero(t, got.Spec.MinReadySeconds)
	assert.Empty(t, managerOf(got.ManagedFields, `"f:minReadySeconds"`))
}

const conflict = `Apply failed with 1 conflict: conflict with "me": .spec.replicas`

func TestAFieldOfAnotherIsAConflictWithItsCauses(t *testing.T) {
	a := newAPI(t)
	a.apply("me", aDeployment("web"))
	got := a.apply("other", of("replicas: 9"))
	assert.Equal(t, http.StatusConflict, got.code)
	status := got.refusal()
	assert.Equal(t, conflict, status.Message)
	assert.Equal(t, metav1.StatusReasonConflict, status.Reason)
	assert.Equal(t, []metav1.StatusCause{{
		Type:    metav1.CauseTypeFieldManagerConflict,
		Message: `conflict with "me"`,
		Field:   ".spec.replicas",
	}}, status.Details.Causes)

	agreed := into[*appsv1.Deployment](200, a.apply("other", of("replicas: 2")))
	assert.Equal(t, "other, me", managerOf(agreed.ManagedFields, `"f:replicas"`),
		"who wants the same shares the field")
}

func TestForceTakesAFieldFromItsManager(t *testing.T) {
	a := newAPI(t)
	a.apply("me", aDeployment("web"))
	got := into[*appsv1.Deployment](200, a.patch(
		deployments+"/web?fieldManager=other&force=true", apply, of("replicas: 9")))
	assert.EqualValues(t, 9, *got.Spec.Replicas)
	assert.Equal(t, "other", managerOf(got.ManagedFields, `"f:replicas"`))
}

func TestWhoScalesOwnsTheReplicasThatAnApplySays(t *testing.T) {
	a := newAPI(t)
	a.apply("me", aDeployment("web"))
	a.patch(deployments+"/web/scale?fieldManager=hpa", merge, `{"spec":{"replicas":7}}`)
	got := a.apply("me", aDeployment("web"))
	assert.Equal(t, http.StatusConflict, got.code)
	assert.Contains(t, got.refusal().Message, `conflict with "hpa" with subresource `+
		`"scale" using apps/v1: .spec.replicas`)
}

func TestAStatusIsAppliedByItself(t *testing.T) {
	a := newAPI(t)
	a.apply("me", aDeployment("web"))
	got := into[*appsv1.Deployment](200, a.patch(
		deployments+"/web/status?fieldManager=them", apply,
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"+
			"spec: {replicas: 9}\nstatus: {readyReplicas: 1, replicas: 1}"))
	assert.EqualValues(t, 1, got.Status.ReadyReplicas)
	assert.EqualValues(t, 2, *got.Spec.Replicas)
	assert.Equal(t, "them", managerOf(got.ManagedFields, `"f:readyReplicas"`))
	none := a.patch(deployments+"/none/status?fieldManager=them", apply,
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: none}")
	assert.Equal(t, http.StatusNotFound, none.code, "a status comes with its object")
}

// Controllers in this process write to the store directly, and say nothing of
// managers. Kubernetes has a name for the writer of fields that were there
// before the first apply.
func TestWhatWasWrittenByNobodyWasThereBeforeTheFirstApply(t *testing.T) {
	a := newAPI(t)
	a.send(request{method: "POST", path: deployments,
		body: aDeployment("web"), contentType: "application/yaml"})
	bare := into[*appsv1.Deployment](200, a.patch(deployments+"/web", jsonPatch,
		`[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]`))
	require.Empty(t, bare.ManagedFields)
	assert.Equal(t, `Apply failed with 1 conflict: conflict with "before-first-apply" `+
		`using apps/v1: .spec.replicas`, a.apply("me", of("replicas: 9")).refusal().Message)
}

// "1000m" is stored as "1": a client that applies it again seems to change it,
// and it would be written at another time and no other way.
func TestATimeAloneIsNoChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t)
		body := strings.ReplaceAll(aDeployment("web"), `image: "nginx:1.27"`,
			`image: "nginx:1.27", resources: {requests: {cpu: 1000m}}`)
		first := a.apply("me", body)
		require.Contains(t, first.body, `"cpu":"1"`)
		time.Sleep(time.Minute)
		assert.JSONEq(t, first.body, a.apply("me", body).body)
		dry := a.patch(deployments+"/web?fieldManager=me&dryRun=All", apply, body)
		assert.JSONEq(t, first.body, dry.body)
	})
}

func TestWhatIsSentGoesIntoTheNamespaceOfThePath(t *testing.T) {
	a := newAPI(t)
	const other = "/api/v1/namespaces/other/configmaps"
	for name, got := range map[string]answer{
		"create": a.post(other, `{"metadata":{"name":"c"}}`),
		"apply": a.patch(other+"/a?fieldManager=me", apply,
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`),
		"put": a.put("/api/v1/namespaces/other/services/p",
			`{"metadata":{"name":"p"},"spec":{"ports":[{"port":80}]}}`),
		"merge":     a.patch(other+"/c", merge, `{"metadata":{"namespace":null}}`),
		"strategic": a.patch(other+"/c", strategic, `{"metadata":{"namespace":null}}`),
		"json": a.patch(other+"/c", jsonPatch,
			`[{"op":"remove","path":"/metadata/namespace"}]`),
		"again": a.patch(other+"/a?fieldManager=me", apply,
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"b"}}`),
	} {
		require.Less(t, got.code, 300, "%s: %s", name, got.body)
		object := into[metav1.PartialObjectMetadata](got.code, got)
		assert.Equal(t, "other", object.Namespace, name)
	}
}
