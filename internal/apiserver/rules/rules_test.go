package rules_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/apiserver/versions"
)

func TestFillingInTwiceChangesNothingMore(t *testing.T) {
	for _, kind := range kinds.All() {
		obj := kind.New()
		if manifest, ok := manifests[kind.GroupVersionKind.Kind]; ok {
			obj = decode(t, manifest)
		}
		kind.Default(obj)
		again := controlloop.Copy(obj)
		kind.Default(again)
		assert.Equal(t, obj, again, kind.Resource)
	}
}

func TestWhatIsStoredOnceMayBeWrittenAgain(t *testing.T) {
	for name, manifest := range manifests {
		store, obj := newStore(t, decode(t, manifest))
		obj = controlloop.Copy(obj)
		obj.SetLabels(map[string]string{"a": "b"})
		obj, err := store.Update(t.Context(), obj)
		assert.NoError(t, err, name)
		if kind, _ := store.Kinds().Of(obj); kind.HasStatus {
			obj = controlloop.Copy(obj)
			obj.SetAnnotations(map[string]string{"a": "b"})
			_, err = store.UpdateStatus(t.Context(), obj)
			assert.NoError(t, err, "the status of a %s", name)
		}
	}
}

func TestEveryKindIsRefusedANameAndAnotherThatIsNoName(t *testing.T) {
	for name, manifest := range manifests {
		store := controlloop.NewStore(kinds.Store(kinds.All()))
		obj := decode(t, manifest)
		obj.SetName("no/name")
		_, err := store.Create(t.Context(), obj)
		assert.NotEmpty(t, causes(t, err), name)

		store, obj = newStore(t, decode(t, manifest))
		obj = controlloop.Copy(obj)
		obj.SetLabels(map[string]string{"no label": ""})
		_, err = store.Update(t.Context(), obj)
		assert.NotEmpty(t, causes(t, err), name)
	}
}

func TestAStatusIsNotBelievedBlindly(t *testing.T) {
	for name, test := range map[string]struct {
		change func(obj controlloop.Object)
		want   []string
	}{
		"Deployment": {
			func(obj controlloop.Object) {
				status := &obj.(*appsv1.Deployment).Status
				status.Replicas, status.ReadyReplicas, status.ObservedGeneration = 2, 9, -1
			},
			[]string{
				"status.observedGeneration: Invalid value: -1: must be greater than or equal to 0",
				"status.readyReplicas: Invalid value: 9: cannot be greater than status.replicas",
			},
		},
		"ReplicaSet": {
			func(obj controlloop.Object) { obj.(*appsv1.ReplicaSet).Status.TerminatingReplicas = new(int32(-1)) },
			[]string{"status.terminatingReplicas: Invalid value: -1: must be greater than or equal to 0"},
		},
		"Pod": {
			func(obj controlloop.Object) { obj.(*corev1.Pod).Status.PodIPs = []corev1.PodIP{{IP: "here"}} },
			[]string{"status.podIPs[0]: Invalid value: \"here\": must be a valid IP address, " +
				"(e.g. 10.9.8.7 or 2001:db8::ffff)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, obj := newStore(t, decode(t, manifests[name]))
			obj = controlloop.Copy(obj)
			test.change(obj)
			_, err := store.UpdateStatus(t.Context(), obj)
			assert.Equal(t, test.want, causes(t, err))
		})
	}
}

func TestAStatusKeepsWhatAClientLeavesOut(t *testing.T) {
	store, pod := newStore(t, decode(t, manifests["Pod"]))
	bare := controlloop.Copy(pod.(*corev1.Pod))
	bare.Status = corev1.PodStatus{Phase: corev1.PodRunning}
	pod, err := store.UpdateStatus(t.Context(), bare)
	require.NoError(t, err)
	assert.Equal(t, corev1.PodQOSBurstable, pod.(*corev1.Pod).Status.QOSClass)

	synctest.Test(t, func(t *testing.T) {
		store, obj := newStore(t, decode(t, manifests["PersistentVolume"]))
		made := metav1.Now().Rfc3339Copy()
		for _, step := range []struct {
			phase corev1.PersistentVolumePhase
			since time.Duration
		}{{corev1.VolumePending, 0}, {corev1.VolumeAvailable, 2 * time.Second}} {
			time.Sleep(time.Second)
			volume := controlloop.Copy(obj.(*corev1.PersistentVolume))
			volume.Status = corev1.PersistentVolumeStatus{Phase: step.phase}
			obj, err = store.UpdateStatus(t.Context(), volume)
			require.NoError(t, err)
			at := obj.(*corev1.PersistentVolume).Status.LastPhaseTransitionTime
			assert.Equal(t, step.since, at.Sub(made.Time))
		}
	})
}

func TestAFieldOfTwoNamesHasBoth(t *testing.T) {
	for _, said := range []string{"serviceAccount", "serviceAccountName"} {
		pod := decode(t, "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {"+said+
			": bob, containers: [{name: web, image: nginx}]}}")
		_, pod = newStore(t, pod)
		assertHolds(t, "{spec: {serviceAccount: bob, serviceAccountName: bob}}", pod)
	}
}

func TestWhatIsLeftOutIsFilledIn(t *testing.T) {
	assertHolds(t, "{spec: {containers: [{livenessProbe: {grpc: {service: ''}}}]}}", stored(t,
		"{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: web, "+
			"image: nginx, livenessProbe: {grpc: {port: 80}}}]}}"))
	secret := stored(t, "{apiVersion: v1, kind: Secret, metadata: {name: key}, "+
		"data: {user: YWRtaW4=, password: b2xk}, stringData: {password: new}}")
	assertHolds(t, "{type: Opaque, data: {user: YWRtaW4=, password: bmV3}}", secret)
	text, err := yaml.Marshal(secret)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "stringData")
	volume := stored(t, manifests["PersistentVolume"]).(*corev1.PersistentVolume)
	assert.Equal(t, corev1.VolumePending, volume.Status.Phase)
	assert.NotNil(t, volume.Status.LastPhaseTransitionTime)
	namespace := stored(t, manifests["Namespace"])
	assertHolds(t, "{metadata: {labels: {kubernetes.io/metadata.name: web}}, "+
		"spec: {finalizers: [kubernetes]}, status: {phase: Active}}", namespace)
}

func TestAPodSaysWhatItIsPromised(t *testing.T) {
	for want, resources := range map[corev1.PodQOSClass]string{
		corev1.PodQOSGuaranteed: "requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}",
		corev1.PodQOSBurstable:  "requests: {cpu: 1}",
		corev1.PodQOSBestEffort: "",
	} {
		pod := stored(t, "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: "+
			"[{name: c, image: c, resources: {"+resources+"}}]}}")
		assert.Equal(t, want, pod.(*corev1.Pod).Status.QOSClass)
	}
}

func TestAPodMayBePrivileged(t *testing.T) {
	const context = "image: nginx, securityContext: {privileged: true}"
	for _, kind := range []string{"Pod", "DaemonSet"} {
		manifest := strings.Replace(manifests[kind], "image: nginx", context, 1)
		require.Contains(t, manifest, context)
		_, err := controlloop.NewStore(kinds.Store(kinds.All())).Create(t.Context(), decode(t, manifest))
		assert.NoError(t, err, kind)
	}
}

func TestAPodAtAGateSaysSo(t *testing.T) {
	pod := stored(t, "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {"+
		"schedulingGates: [{name: a}], containers: [{name: c, image: c}]}}")
	conditions := pod.(*corev1.Pod).Status.Conditions
	require.Len(t, conditions, 1)
	assert.NotZero(t, conditions[0].LastTransitionTime)
	conditions[0].LastTransitionTime = metav1.Time{}
	assert.Equal(t, corev1.PodCondition{
		Type: "PodScheduled", Status: "False", Reason: "SchedulingGated",
		Message: "Scheduling is blocked due to non-empty scheduling gates",
	}, conditions[0])
}

func TestADaemonSetCountsItsTemplates(t *testing.T) {
	const nine = "deprecated.daemonset.template.generation: '9'"
	manifest := func(image, annotation string) string {
		return "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: web, annotations: {" +
			annotation + "}}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: " +
			"{labels: {app: web}}, spec: {containers: [{name: web, image: " + image + "}]}}}}"
	}
	count := func(obj controlloop.Object) string {
		return obj.GetAnnotations()["deprecated.daemonset.template.generation"]
	}
	store, _ := newStore(t, decode(t, manifest("nginx:1.27", "")))
	for _, step := range []struct{ manifest, count string }{
		{manifest("nginx:1.27", "a: b"), "1"},
		{manifest("nginx:1.28", "a: b"), "2"},
		{manifest("nginx:1.28", nine), "2"},
		{manifest("nginx:1.29", nine), "3"},
		{manifest("nginx:1.29", "deprecated.daemonset.template.generation: many"), "3"},
	} {
		obj, err := store.Update(t.Context(), decode(t, step.manifest))
		require.NoError(t, err)
		assert.Equal(t, step.count, count(obj))
	}
	assert.Equal(t, "9", count(stored(t, manifest("nginx:1.27", nine))),
		"of another cluster's it goes on from there")
}

func TestWhatKubernetesWarnsOfIsWarnedOf(t *testing.T) {
	twice := "{apiVersion: v1, kind: Pod, metadata: {name: web.1}, spec: {containers: [{name: web, " +
		"image: nginx, env: [{name: A, value: a}, {name: A, value: b}]}]}}"
	for want, manifest := range map[string]string{
		"metadata.name: this is used in the Pod's hostname, which can result in surprising " +
			"behavior; a DNS label is recommended: [must not contain dots]": twice,
		`spec.containers[0].env[1]: hides previous definition of "A", which may be dropped ` +
			"when using apply": twice,
		"spec.revisionHistoryLimit: a negative value retains all historical revisions; " +
			"a value >= 0 is recommended": workload("StatefulSet", "revisionHistoryLimit: -1"),
	} {
		obj := decode(t, manifest)
		for _, kind := range kinds.All() {
			if kind.GroupVersionKind == obj.GetObjectKind().GroupVersionKind() {
				kind.Default(obj)
				assert.Contains(t, kind.Warnings(obj, nil), want)
			}
		}
	}
}

func TestAnObjectWithoutFaultsIsNotWarnedOf(t *testing.T) {
	for _, kind := range kinds.All() {
		manifest, ok := manifests[kind.GroupVersionKind.Kind]
		if !ok {
			continue
		}
		obj := stored(t, manifest)
		assert.Empty(t, kind.Warnings(obj, nil), kind.Resource)
		assert.Empty(t, kind.Warnings(obj, obj), kind.Resource)
	}
}

// Kubernetes' packages add their defaults to the types of k8s.io/api, and with
// them to every scheme that is made later. kubectl's must be older.
func TestClientsFillNothingIn(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a"}}}}
	scheme.Scheme.Default(pod)
	assert.Empty(t, pod.Spec.RestartPolicy)
	versions.Scheme.Default(pod)
	assert.NotEmpty(t, pod.Spec.RestartPolicy)
}

// names returns the kinds of which there is a manifest, in a fixed order.
func names() []string { return slices.Sorted(maps.Keys(manifests)) }

func TestAJobSelectsItsPodsByItsUID(t *testing.T) {
	job := stored(t, manifests["Job"]).(*batchv1.Job)
	uid := string(job.UID)
	assert.Equal(t, map[string]string{"batch.kubernetes.io/controller-uid": uid},
		job.Spec.Selector.MatchLabels)
	want := map[string]string{
		"batch.kubernetes.io/controller-uid": uid, "controller-uid": uid,
		"batch.kubernetes.io/job-name": "web", "job-name": "web",
	}
	assert.Equal(t, want, job.Spec.Template.Labels)
	assert.Equal(t, want, job.Labels)
}

func TestAJobHasNoMoreReadyPodsThanItHas(t *testing.T) {
	store, job := newStore(t, decode(t, manifests["Job"]))
	next := controlloop.Copy(job).(*batchv1.Job)
	next.Status = batchv1.JobStatus{Active: 1, Ready: new(int32(2))}
	_, err := store.UpdateStatus(t.Context(), next)
	assert.Equal(t, []string{"status.ready: Invalid value: 2: cannot set more ready pods than active"},
		causes(t, err))
}

func TestAnEndpointSliceCountsChangesOfItsEndpointsAndLabels(t *testing.T) {
	store, obj := newStore(t, decode(t, manifests["EndpointSlice"]))
	for _, step := range []struct {
		change func(slice *discoveryv1.EndpointSlice)
		want   int64
	}{
		{func(s *discoveryv1.EndpointSlice) { s.Annotations = map[string]string{"a": "b"} }, 1},
		{func(s *discoveryv1.EndpointSlice) { s.Labels = map[string]string{"a": "b"} }, 2},
		{func(s *discoveryv1.EndpointSlice) { s.Endpoints = nil }, 3},
	} {
		next := controlloop.Copy(obj).(*discoveryv1.EndpointSlice)
		step.change(next)
		var err error
		obj, err = store.Update(t.Context(), next)
		require.NoError(t, err)
		assert.Equal(t, step.want, obj.GetGeneration())
	}
}

func TestOfDevicesWhatIsDeclaredIsFilledInAndAsked(t *testing.T) {
	const claim = `{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: web}, spec: {
		devices: {requests: [{name: one, exactly: {deviceClassName: gpu%s}}]}}}`
	assertHolds(t, `{spec: {devices: {requests: [{name: one, exactly: {deviceClassName: gpu,
		allocationMode: ExactCount, count: 1}}]}}}`, stored(t, fmt.Sprintf(claim, "")))
	store := controlloop.NewStore(kinds.Store(kinds.All()))
	_, err := store.Create(t.Context(), decode(t, fmt.Sprintf(claim, ", allocationMode: Some")))
	assert.Equal(t, []string{"spec.devices.requests[0].exactly.allocationMode: " +
		`Unsupported value: "Some": supported values: "All", "ExactCount"`}, causes(t, err))
}
