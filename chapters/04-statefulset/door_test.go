package statefulset_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/kubetest"
)

// stored returns a set as the store keeps it.
func stored(t *testing.T, changes ...func(*appsv1.StatefulSet)) *appsv1.StatefulSet {
	t.Helper()
	obj, err := controlloop.NewStore(ordered.Kinds).Create(t.Context(), web(1, changes...))
	require.NoError(t, err)
	return obj.(*appsv1.StatefulSet)
}

func TestWhatAnAuthorLeavesOutIsFilledIn(t *testing.T) {
	spec := stored(t, func(set *appsv1.StatefulSet) { set.Spec.Replicas = nil }).Spec
	assert.Equal(t, appsv1.OrderedReadyPodManagement, spec.PodManagementPolicy)
	assert.Equal(t, new(int32(1)), spec.Replicas)
	assert.Equal(t, new(int32(10)), spec.RevisionHistoryLimit)
	assert.Equal(t, &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
		WhenDeleted: "Retain", WhenScaled: "Retain",
	}, spec.PersistentVolumeClaimRetentionPolicy)
	assert.Equal(t, corev1.RestartPolicyAlways, spec.Template.Spec.RestartPolicy)
}

func TestWhatAnAuthorSaysStays(t *testing.T) {
	says := func(set *appsv1.StatefulSet) {
		set.Spec.Replicas, set.Spec.RevisionHistoryLimit = new(int32(0)), new(int32(0))
		set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
		set.Spec.PersistentVolumeClaimRetentionPolicy = &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
			WhenScaled: "Delete",
		}
	}
	spec := stored(t, says).Spec
	assert.Equal(t, appsv1.ParallelPodManagement, spec.PodManagementPolicy)
	assert.Equal(t, new(int32(0)), spec.Replicas)
	assert.Equal(t, new(int32(0)), spec.RevisionHistoryLimit)
	assert.Equal(t, &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
		WhenDeleted: "Retain", WhenScaled: "Delete",
	}, spec.PersistentVolumeClaimRetentionPolicy)
}

// SetDefaults_StatefulSet does it like this (pkg/apis/apps/v1/defaults.go).
func TestAnUpdateIsFilledInAsFarAsItIsOne(t *testing.T) {
	type strategy = appsv1.StatefulSetUpdateStrategy
	type rolling = appsv1.RollingUpdateStatefulSetStrategy
	full := func(partition, unavailable int32) *rolling {
		return &rolling{Partition: &partition, MaxUnavailable: new(intstr.FromInt32(unavailable))}
	}
	for name, c := range map[string]struct{ given, want strategy }{
		"nothing said":  {strategy{}, strategy{Type: "RollingUpdate", RollingUpdate: full(0, 1)}},
		"a type alone":  {strategy{Type: "RollingUpdate"}, strategy{Type: "RollingUpdate"}},
		"a partition":   {strategy{RollingUpdate: &rolling{Partition: new(int32(3))}}, strategy{Type: "RollingUpdate", RollingUpdate: full(3, 1)}},
		"two at a time": {strategy{Type: "RollingUpdate", RollingUpdate: &rolling{MaxUnavailable: new(intstr.FromInt32(2))}}, strategy{Type: "RollingUpdate", RollingUpdate: full(0, 2)}},
		"by hand":       {strategy{Type: "OnDelete"}, strategy{Type: "OnDelete"}},
		"what is refused by the server, unchanged": {
			strategy{Type: "OnDelete", RollingUpdate: &rolling{}}, strategy{Type: "OnDelete", RollingUpdate: &rolling{}}},
	} {
		got := stored(t, func(set *appsv1.StatefulSet) { set.Spec.UpdateStrategy = c.given }).Spec.UpdateStrategy
		assert.Equal(t, c.want, got, name)
	}
}

func TestASetIsCalledAsAHostCanBe(t *testing.T) {
	_, err := controlloop.NewStore(ordered.Kinds).Create(t.Context(), web(1, func(s *appsv1.StatefulSet) { s.Name = "web.db" }))
	assert.ErrorContains(t, err, `metadata.name: Invalid value: "web.db"`)
}

func TestASetHasANameInTheAPI(t *testing.T) {
	_, err := controlloop.NewStore(ordered.Kinds).Get(t.Context(), statefulset.StatefulSetKind, kubetest.Named("web"))
	assert.EqualError(t, err, `statefulsets.apps "web" not found`)
}

// The existing Pods could not follow.
func TestWhoIsThereCannotChange(t *testing.T) {
	store := controlloop.NewStore(ordered.Kinds)
	obj, err := store.Create(t.Context(), web(1))
	require.NoError(t, err)
	change := func(change func(*appsv1.StatefulSet)) error {
		next := controlloop.Copy(obj.(*appsv1.StatefulSet))
		change(next)
		_, err := store.Update(t.Context(), next)
		return err
	}
	for path, c := range map[string]struct {
		change func(*appsv1.StatefulSet)
		value  string
	}{
		"selector": {func(s *appsv1.StatefulSet) {
			s.Spec.Selector.MatchLabels = map[string]string{"app": "db"}
			s.Spec.Template.Labels = s.Spec.Selector.MatchLabels
		}, `{"matchLabels":{"app":"db"}}`},
		"serviceName": {func(s *appsv1.StatefulSet) { s.Spec.ServiceName = "other" }, `"other"`},
		"volumeClaimTemplates": {func(s *appsv1.StatefulSet) {
			s.Spec.VolumeClaimTemplates = make([]corev1.PersistentVolumeClaim, 1)
		}, `[{"metadata":{},"spec":{"resources":{}},"status":{}}]`},
		"podManagementPolicy": {parallel, `"Parallel"`},
	} {
		assert.EqualError(t, change(c.change), fmt.Sprintf(
			`StatefulSet.apps "web" is invalid: spec.%s: Invalid value: %s: field is immutable`, path, c.value))
	}
	assert.NoError(t, change(func(s *appsv1.StatefulSet) {
		s.Spec.Replicas, s.Spec.MinReadySeconds = new(int32(5)), 3
		s.Spec.Template.Spec.Containers[0].Image = "nginx:1.28"
		s.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: 2}
	}))
}
