package apiserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/chapters/01-control-loop/unsupported"
	"reconcile/internal/apiserver"
)

const jobs = "/apis/batch/v1/namespaces/default/jobs"

const aJob = `{"metadata":{"name":"a"},"spec":{"template":{"metadata":{"labels":
	{"app":"a"}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}`

func TestWhoMakesWhatNothingActsOnIsWarned(t *testing.T) {
	a := newAPIWith(t, apiserver.Options{Idle: []string{"jobs", "services"}})
	const warning = `299 - "no controller of this lab acts on `
	made := a.post(jobs, aJob)
	require.Equal(t, http.StatusCreated, made.code, made.body)
	assert.Equal(t, []string{warning + `jobs"`}, made.header.Values("Warning"))
	applied := a.patch("/api/v1/namespaces/default/services/s?fieldManager=me", apply,
		`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}`)
	require.Equal(t, http.StatusCreated, applied.code, applied.body)
	assert.Equal(t, []string{warning + `services"`}, applied.header.Values("Warning"))
	changed := a.patch(jobs+"/a", merge, `{"metadata":{"labels":{"a":"b"}}}`)
	assert.Empty(t, changed.header.Values("Warning"), "he was told once")
	assert.Empty(t, a.post(pods, aPod("web")).header.Values("Warning"))
}

func TestWhatPodsAskForInVainIsWarnedOf(t *testing.T) {
	a := newAPIWith(t, apiserver.Options{Lacks: func(spec *corev1.PodSpec, path string) []error {
		return unsupported.Warnings(spec, path, false)
	}})
	const asks = `{"metadata":{"name":"a"},"spec":{"shareProcessNamespace":true,"containers":[
		{"name":"c","image":"i"},{"name":"d","image":"i","readinessProbe":{"grpc":{"port":1}}}]}}`
	made := a.post(pods, asks)
	require.Equal(t, http.StatusCreated, made.code, made.body)
	assert.Equal(t, []string{
		`299 - "spec.shareProcessNamespace: the simulated runtime ignores it"`,
		`299 - "spec.containers[1].readinessProbe.grpc: this lab has no gRPC, and the probe fails"`,
	}, made.header.Values("Warning"))
	template := strings.Replace(asks, `{"name":"a"}`, `{"labels":{"app":"a"}}`, 1)
	inTemplate := `"spec":{"selector":{"matchLabels":{"app":"a"}},"template":` + template + `}`
	for path, spec := range map[string]string{
		"/apis/apps/v1/namespaces/default/deployments":      inTemplate,
		"/apis/apps/v1/namespaces/default/replicasets":      inTemplate,
		"/apis/apps/v1/namespaces/default/statefulsets":     inTemplate,
		"/apis/apps/v1/namespaces/default/daemonsets":       inTemplate,
		"/api/v1/namespaces/default/replicationcontrollers": `"spec":{"template":` + template + `}`,
		jobs: `"spec":{"template":` + strings.Replace(template, `"spec":{`, `"spec":{"restartPolicy":"Never",`, 1) + `}`,
		"/apis/batch/v1/namespaces/default/cronjobs": `"spec":{"schedule":"@daily","jobTemplate":{"spec":{"template":` +
			strings.Replace(template, `"spec":{`, `"spec":{"restartPolicy":"Never",`, 1) + `}}}`,
	} {
		made := a.post(path, `{"metadata":{"name":"a"},`+spec+`}`)
		require.Equal(t, http.StatusCreated, made.code, made.body)
		warned := made.header.Values("Warning")
		require.Len(t, warned, 2, path)
		assert.Contains(t, warned[0], "template.spec.shareProcessNamespace: the simulated runtime ignores it")
	}
	assert.Empty(t, a.post(pods, aPod("web")).header.Values("Warning"))
}

func TestAJobIsKeptAsKubernetesWouldHaveIt(t *testing.T) {
	a := newAPI(t)
	job := into[batchv1.Job](http.StatusCreated, a.post(jobs, aJob))
	assert.EqualValues(t, 1, *job.Spec.Completions)
	assert.EqualValues(t, 1, *job.Spec.Parallelism)
	assert.EqualValues(t, 6, *job.Spec.BackoffLimit)
	assert.Equal(t, batchv1.NonIndexedCompletion, *job.Spec.CompletionMode)
	assert.False(t, *job.Spec.Suspend)
	assert.Equal(t, map[string]string{"app": "a"}, job.Labels)
	shown := into[metav1.Table](http.StatusOK, a.send(request{
		method: http.MethodGet, path: jobs, accept: table, header: http.Header{},
	}))
	assert.Equal(t, []any{"a", "Running", "0/1", ""}, shown.Rows[0].Cells[:4])
	endless := a.post(jobs, `{"metadata":{"name":"b"},"spec":{"template":{"spec":{
		"containers":[{"name":"c","image":"i"}]}}}}`)
	assert.Contains(t, endless.refusal().Message, `spec.template.spec.restartPolicy: `+
		`Required value: valid values: "OnFailure", "Never"`)
}

// The real scheduler, apply --prune and others list them, whether or not any
// exist.
func TestKindsThatOthersLookForAreThere(t *testing.T) {
	a := newAPI(t)
	for path, kind := range map[string]string{
		"/apis/batch/v1/cronjobs":                      "CronJobList",
		"/apis/networking.k8s.io/v1/ingresses":         "IngressList",
		"/apis/policy/v1/poddisruptionbudgets":         "PodDisruptionBudgetList",
		"/apis/scheduling.k8s.io/v1/priorityclasses":   "PriorityClassList",
		"/apis/storage.k8s.io/v1/volumeattachments":    "VolumeAttachmentList",
		"/apis/storage.k8s.io/v1/csinodes":             "CSINodeList",
		"/apis/storage.k8s.io/v1/csidrivers":           "CSIDriverList",
		"/apis/storage.k8s.io/v1/csistoragecapacities": "CSIStorageCapacityList",
		"/apis/resource.k8s.io/v1/resourceclaims":      "ResourceClaimList",
		"/apis/resource.k8s.io/v1/resourceslices":      "ResourceSliceList",
		"/apis/resource.k8s.io/v1/deviceclasses":       "DeviceClassList",
	} {
		list := into[metav1.PartialObjectMetadataList](http.StatusOK, a.get(path))
		assert.Equal(t, kind, list.Kind)
		assert.Empty(t, list.Items)
	}
}

func TestAQuotaIsAskedByTheAPIToo(t *testing.T) {
	a := newAPI(t)
	const quotas = "/api/v1/namespaces/default/resourcequotas"
	vain := a.post(quotas, `{"metadata":{"name":"vain"},"spec":{"hard":{"pods":"1"},"scopes":["PriorityClass"]}}`)
	assert.Equal(t, []string{`299 - "spec.scopes: PriorityClass: this lab doesn't know which Pods ` +
		`are in it, and the quota limits none"`}, vain.header.Values("Warning"))
	a.post(quotas, `{"metadata":{"name":"q"},"spec":{"hard":{"pods":"1"}}}`)
	counted := a.patch(quotas+"/q/status", merge,
		`{"status":{"hard":{"pods":"1"},"used":{"pods":"0"}}}`)
	require.Equal(t, http.StatusOK, counted.code, counted.body)
	tried := a.post(pods+"?dryRun=All", aPod("web"))
	require.Equal(t, http.StatusCreated, tried.code, tried.body)
	require.Equal(t, http.StatusCreated, a.post(pods, aPod("web")).code)
	got := a.post(pods, aPod("other"))
	assert.Equal(t, http.StatusForbidden, got.code)
	assert.Equal(t, `pods "other" is forbidden: exceeded quota: q, requested: pods=1, `+
		`used: pods=1, limited: pods=1`, got.refusal().Message)
}
