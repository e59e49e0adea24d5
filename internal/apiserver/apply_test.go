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
