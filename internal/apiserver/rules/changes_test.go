package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	controlloop "reconcile/chapters/01-control-loop"
)

// change stores the first manifest and puts the second in its place.
func change(t *testing.T, before, after string) error {
	t.Helper()
	store, _ := newStore(t, decode(t, before))
	_, err := store.Update(t.Context(), decode(t, after))
	return err
}

func TestWhatMayNotChangeIsRefusedInKubernetesWords(t *testing.T) {
	const selects = "selector: {matchLabels: {app: web}}, " + pods
	const expression = `selector: {matchExpressions: [{key: app, operator: Exists}]}, ` + pods
	const shown = `{"matchExpressions":[{"key":"app","operator":"Exists"}]}`
	claim := func(spec string) string {
		return core("PersistentVolumeClaim", "spec: {accessModes: [ReadWriteOnce], "+spec+"}")
	}
	volume := func(spec string) string {
		return core("PersistentVolume", "spec: {accessModes: [ReadWriteOnce], "+
			"capacity: {storage: 1Gi}, "+spec+"}")
	}
	class := func(rest string) string {
		return "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, " +
			rest + "}"
	}
	for name, test := range map[string]struct {
		before, after string
		want          []string
	}{
		"what a ReplicaSet selects": {
			workload("ReplicaSet", selects), workload("ReplicaSet", expression),
			[]string{"spec.selector: Invalid value: " + shown + ": field is immutable"},
		},
		"what a Deployment selects": {
			workload("Deployment", selects), workload("Deployment", expression),
			[]string{"spec.selector: Invalid value: " + shown + ": field is immutable"},
		},
		"what a DaemonSet selects": {
			workload("DaemonSet", selects), workload("DaemonSet", expression),
			[]string{"spec.selector: Invalid value: " + shown + ": field is immutable"},
		},
		"which Pods a StatefulSet has": {
			workload("StatefulSet", selects),
			workload("StatefulSet", "serviceName: db, podManagementPolicy: Parallel, "+
				"replicas: 5, minReadySeconds: 9, "+expression),
			[]string{
				"spec.selector: Invalid value: " + shown + ": field is immutable",
				`spec.serviceName: Invalid value: "db": field is immutable`,
				`spec.podManagementPolicy: Invalid value: "Parallel": field is immutable`,
			},
		},
		"what a revision remembers": {
			"{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: web}, " +
				"data: {a: 1}}",
			"{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: web}, " +
				"data: {a: 2}, revision: 2}",
			[]string{`data: Invalid value: {"a":2}: field is immutable`},
		},
		"what a claim asks for": {
			claim("resources: {requests: {storage: 1Gi}}"),
			claim("resources: {requests: {storage: 2Gi}}"),
			[]string{"spec: Forbidden: spec is immutable after creation except " +
				"resources.requests and volumeAttributesClassName for bound claims"},
		},
		"what a volume is made of": {
			volume("hostPath: {path: /a}"), volume("hostPath: {path: /b}"),
			[]string{"spec.persistentvolumesource: Forbidden: " +
				"spec.persistentvolumesource is immutable after creation"},
		},
		"how a volume is attached": {
			volume("hostPath: {path: /a}"), volume("hostPath: {path: /a}, volumeMode: Block"),
			[]string{`volumeMode: Invalid value: "Block": field is immutable`},
		},
		"how a class makes volumes": {
			class("provisioner: a"),
			class("provisioner: b, parameters: {x: a}, reclaimPolicy: Retain, " +
				"volumeBindingMode: WaitForFirstConsumer, allowVolumeExpansion: true"),
			[]string{
				`parameters: Invalid value: {"x":"a"}: field is immutable`,
				`provisioner: Invalid value: "b": field is immutable`,
				`reclaimPolicy: Invalid value: "Retain": field is immutable`,
				`volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable`,
			},
		},
		"what a sealed ConfigMap holds": {
			core("ConfigMap", "immutable: true, data: {a: b}, binaryData: {c: eA==}"),
			core("ConfigMap", "data: {a: c}, binaryData: {c: eQ==}"),
			[]string{
				"immutable: Forbidden: field is immutable when `immutable` is set",
				"data: Forbidden: field is immutable when `immutable` is set",
				"binaryData: Forbidden: field is immutable when `immutable` is set",
			},
		},
		"what a sealed Secret is": {
			core("Secret", "immutable: true, stringData: {a: b}"),
			core("Secret", "immutable: true, type: mine, stringData: {a: c}"),
			[]string{
				`type: Invalid value: "mine": field is immutable`,
				"data: Forbidden: field is immutable when `immutable` is set",
			},
		},
		"the family of a slice": {
			"{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web}, " +
				"addressType: IPv4, endpoints: []}",
			"{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web}, " +
				"addressType: IPv6, endpoints: []}",
			[]string{`addressType: Invalid value: "IPv6": field is immutable`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ElementsMatch(t, test.want, causes(t, change(t, test.before, test.after)))
		})
	}
}

func TestWhatASetClaimsMayNotChange(t *testing.T) {
	set := func(size string) string {
		return workload("StatefulSet", "selector: {matchLabels: {app: web}}, "+pods+
			", volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: "+
			"[ReadWriteOnce], resources: {requests: {storage: "+size+"}}}}]")
	}
	errs := causes(t, change(t, set("1Gi"), set("2Gi")))
	require.Len(t, errs, 1)
	assert.Regexp(t, `^spec\.volumeClaimTemplates: Invalid value: .*: field is immutable$`,
		errs[0])
}

func TestWhatIsNotSealedMayChange(t *testing.T) {
	require.NoError(t, change(t, core("ConfigMap", "data: {a: b}"),
		core("ConfigMap", "immutable: true, data: {a: c}")))
	require.NoError(t, change(t, core("Secret", "stringData: {a: b}"),
		core("Secret", "immutable: true, stringData: {a: c}")))
}

// bound returns a store with a claim that has a volume of one gibibyte.
func bound(t *testing.T) (*controlloop.Store, *corev1.PersistentVolumeClaim) {
	t.Helper()
	store, obj := newStore(t, decode(t, core("PersistentVolumeClaim", "spec: {"+
		"accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}")))
	claim := controlloop.Copy(obj.(*corev1.PersistentVolumeClaim))
	claim.Spec.VolumeName = "pv-1"
	obj, err := store.Update(t.Context(), claim)
	require.NoError(t, err, "a claim is bound by an update")
	claim = controlloop.Copy(obj.(*corev1.PersistentVolumeClaim))
	claim.Status.Phase = corev1.ClaimBound
	claim.Status.Capacity = claim.Spec.Resources.Requests
	obj, err = store.UpdateStatus(t.Context(), claim)
	require.NoError(t, err)
	return store, controlloop.Copy(obj.(*corev1.PersistentVolumeClaim))
}

func ask(claim *corev1.PersistentVolumeClaim, size string) {
	claim.Spec.Resources.Requests = corev1.ResourceList{
		corev1.ResourceStorage: resource.MustParse(size),
	}
}

func TestAClaimThatIsBoundMayGrow(t *testing.T) {
	store, claim := bound(t)
	ask(claim, "2Gi")
	_, err := store.Update(t.Context(), claim)
	assert.NoError(t, err)
}

func TestAClaimThatIsBoundDoesNotShrink(t *testing.T) {
	store, claim := bound(t)
	ask(claim, "500Mi")
	_, err := store.Update(t.Context(), claim)
	assert.Equal(t, []string{"spec.resources.requests.storage: Forbidden: " +
		"field can not be less than status.capacity"}, causes(t, err))
}

func TestAClaimThatGrewMayNotGoBackToWhatItHas(t *testing.T) {
	store, claim := bound(t)
	ask(claim, "3Gi")
	obj, err := store.Update(t.Context(), claim)
	require.NoError(t, err)
	claim = controlloop.Copy(obj.(*corev1.PersistentVolumeClaim))
	ask(claim, "2Gi")
	obj, err = store.Update(t.Context(), claim)
	require.NoError(t, err, "less than was asked for, more than there is")
	claim = controlloop.Copy(obj.(*corev1.PersistentVolumeClaim))
	ask(claim, "1Gi")
	_, err = store.Update(t.Context(), claim)
	assert.Len(t, causes(t, err), 1)
}

func TestAClaimIsBoundOnce(t *testing.T) {
	store, claim := bound(t)
	claim.Spec.VolumeName = "pv-2"
	_, err := store.Update(t.Context(), claim)
	assert.Len(t, causes(t, err), 1)
}

func TestAClaimWithoutAClassMayGetOne(t *testing.T) {
	store, claim := bound(t)
	claim.Spec.StorageClassName = new("fast")
	obj, err := store.Update(t.Context(), claim)
	require.NoError(t, err)
	claim = controlloop.Copy(obj.(*corev1.PersistentVolumeClaim))
	claim.Spec.StorageClassName = new("slow")
	_, err = store.Update(t.Context(), claim)
	assert.Len(t, causes(t, err), 1, "and not another")
}

func TestAClassThatWasAnAnnotationMayBecomeAField(t *testing.T) {
	for name, allowed := range map[string]bool{"old": true, "new": false} {
		obj := decode(t, core("PersistentVolumeClaim", "spec: {"+
			"accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}"))
		obj.SetAnnotations(map[string]string{corev1.BetaStorageClassAnnotation: "old"})
		store, obj := newStore(t, obj)
		claim := controlloop.Copy(obj.(*corev1.PersistentVolumeClaim))
		claim.Spec.StorageClassName = &name
		_, err := store.Update(t.Context(), claim)
		assert.Equal(t, allowed, err == nil, name)
	}
}

func TestADaemonSetCountsItsTemplates(t *testing.T) {
	manifest := func(image, more string) string {
		return "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: web" + more +
			"}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: " +
			"{labels: {app: web}}, spec: {containers: [{name: web, image: " + image + "}]}}}}"
	}
	store, _ := newStore(t, decode(t, manifest("nginx:1.27", "")))
	for _, step := range []struct{ manifest, count string }{
		{manifest("nginx:1.27", ", labels: {a: b}"), "1"},
		{manifest("nginx:1.28", ", annotations: {a: b}"), "2"},
		{manifest("nginx:1.28", ", annotations: {deprecated.daemonset.template.generation: '9'}"), "2"},
		{manifest("nginx:1.29", ", annotations: {deprecated.daemonset.template.generation: '9'}"), "3"},
	} {
		stored, err := store.Update(t.Context(), decode(t, step.manifest))
		require.NoError(t, err)
		assert.Equal(t, step.count,
			stored.GetAnnotations()["deprecated.daemonset.template.generation"])
	}
	_, stored := newStore(t, decode(t, manifest("nginx:1.27",
		", annotations: {deprecated.daemonset.template.generation: '9'}")))
	assert.Equal(t, "9",
		stored.GetAnnotations()["deprecated.daemonset.template.generation"],
		"of another cluster's it goes on from there")
}
