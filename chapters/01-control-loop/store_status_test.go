package controlloop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

func TestGenerationCountsChangesOfSpecOnly(t *testing.T) {
	s, _ := written()
	rc := mustCreate(t, s, kubetest.ReplicationController("web", 1))
	for _, step := range []struct {
		what string
		want int64
		do   func() *corev1.ReplicationController
	}{
		{"another spec", 2, func() *corev1.ReplicationController {
			return mustUpdate(t, s, edited(rc, func(rc *corev1.ReplicationController) {
				rc.Spec.Replicas = new(int32(2))
			}))
		}},
		{"another label", 2, func() *corev1.ReplicationController {
			return mustUpdate(t, s, edited(rc, func(rc *corev1.ReplicationController) {
				rc.Labels = map[string]string{"a": "b"}
			}))
		}},
		{"another status", 2, func() *corev1.ReplicationController {
			return mustUpdateStatus(t, s, edited(rc, func(rc *corev1.ReplicationController) {
				rc.Status.Replicas = 2
			}))
		}},
		{"a generation of one's own", 2, func() *corev1.ReplicationController {
			return mustUpdate(t, s, edited(rc, func(rc *corev1.ReplicationController) {
				rc.Generation, rc.Annotations = 9, map[string]string{"a": "b"}
			}))
		}},
		{"spec again", 3, func() *corev1.ReplicationController {
			return mustUpdate(t, s, edited(rc, func(rc *corev1.ReplicationController) {
				rc.Spec.Replicas = new(int32(0))
			}))
		}},
	} {
		rc = step.do()
		assert.Equal(t, step.want, rc.Generation, step.what)
	}
}

func TestAStatusWriteTouchesStatusAndAnnotationsOnly(t *testing.T) {
	s, _ := written()
	was := mustCreate(t, s, edited(kubetest.ReplicationController("web", 1),
		func(rc *corev1.ReplicationController) {
			rc.Labels = map[string]string{"tier": "front"}
			rc.Finalizers = []string{"example.com/hold"}
			rc.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "ConfigMap", Name: "boss", UID: "1"}}
		}))
	now := mustUpdateStatus(t, s, edited(was, func(rc *corev1.ReplicationController) {
		rc.Spec.Replicas = new(int32(5))
		rc.Labels, rc.Finalizers, rc.OwnerReferences = nil, nil, nil
		rc.Annotations = map[string]string{"seen": "yes"}
		rc.Status.Replicas = 3
		rc.CreationTimestamp = metav1.NewTime(time.Unix(0, 0))
	}))
	assert.EqualValues(t, 3, now.Status.Replicas)
	assert.Equal(t, "yes", now.Annotations["seen"])
	want := controlloop.Copy(was)
	want.Status, want.Annotations = now.Status, now.Annotations
	want.ResourceVersion = now.ResourceVersion
	assert.Equal(t, want, now, "all else is as it was")
}

func TestAnUpdateCannotTouchStatus(t *testing.T) {
	s, _ := written()
	was := mustCreate(t, s, kubetest.ReplicationController("web", 1))
	was = mustUpdateStatus(t, s, edited(was, func(rc *corev1.ReplicationController) {
		rc.Status.Replicas = 1
	}))
	now := mustUpdate(t, s, edited(was, func(rc *corev1.ReplicationController) {
		rc.Spec.Replicas = new(int32(2))
		rc.Status.Replicas = 99
		rc.Status.Conditions = []corev1.ReplicationControllerCondition{{Type: "Made", Status: "True"}}
	}))
	assert.EqualValues(t, 2, *now.Spec.Replicas)
	assert.Equal(t, was.Status, now.Status)
}

func TestAWriteThatChangesNothingIsNotMade(t *testing.T) {
	s, writes := written()
	rc := mustCreate(t, s, kubetest.ReplicationController("web", 1))
	same := mustUpdate(t, s, controlloop.Copy(rc))
	assert.Equal(t, rc, mustUpdateStatus(t, s, controlloop.Copy(same)))
	same = mustUpdate(t, s, edited(rc, func(rc *corev1.ReplicationController) {
		rc.Status.Replicas = 9 // not for Update to write
	}))
	assert.Equal(t, rc, same)
	assert.Len(t, *writes, 1)
}

// Values that the API writes the same are the same, whatever they are in
// memory: nil and empty, two moments of one second.
func TestAWriteThatIsWrittenTheSameIsNotMade(t *testing.T) {
	s, writes := written()
	rc := mustCreate(t, s, kubetest.ReplicationController("web", 1))
	rc = mustUpdateStatus(t, s, edited(rc, func(rc *corev1.ReplicationController) {
		rc.Status.Conditions = []corev1.ReplicationControllerCondition{{
			Type: "Made", Status: "True", LastTransitionTime: metav1.Unix(1_700_000_000, 0),
		}}
	}))
	require.Len(t, *writes, 2)
	same := mustUpdateStatus(t, s, edited(rc, func(rc *corev1.ReplicationController) {
		rc.Status.Conditions[0].LastTransitionTime = metav1.Unix(1_700_000_000, 999)
	}))
	assert.Equal(t, rc, same)
	mustUpdate(t, s, edited(rc, func(rc *corev1.ReplicationController) {
		rc.Finalizers, rc.Spec.Template.Spec.Volumes = []string{}, []corev1.Volume{}
	}))
	assert.Len(t, *writes, 2)
	mustUpdateStatus(t, s, edited(rc, func(rc *corev1.ReplicationController) {
		rc.Status.Conditions[0].LastTransitionTime = metav1.Unix(1_700_000_001, 0)
	}))
	assert.Len(t, *writes, 3)
}
