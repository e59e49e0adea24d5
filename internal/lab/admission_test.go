package lab_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
)

func TestPodsMadeSideBySideAreTheSameInEveryRun(t *testing.T) {
	first := madeBy100(t)
	require.Len(t, first, 100)
	for range 9 {
		assert.Equal(t, first, madeBy100(t))
	}
}

// madeBy100 returns the names and uids of a ReplicaSet's Pods, as they were created.
func madeBy100(t *testing.T) (made []string) {
	synctest.Test(t, func(t *testing.T) {
		note := func(w controlloop.Write) {
			if pod, ok := w.Object.(*corev1.Pod); ok && w.Type == watch.Added {
				made = append(made, pod.Name+" "+string(pod.UID))
			}
		}
		l, err := lab.New(lab.Options{
			Controllers:  []string{"replicaset"},
			StoreOptions: []controlloop.Option{controlloop.OnWrite(note)},
		})
		require.NoError(t, err)
		defer l.Close()
		like := three("default")
		_, err = l.Store.Create(t.Context(), &appsv1.ReplicaSet{
			ObjectMeta: like.ObjectMeta,
			Spec: appsv1.ReplicaSetSpec{
				Replicas: new(int32(100)),
				Selector: &metav1.LabelSelector{MatchLabels: like.Spec.Selector},
				Template: *like.Spec.Template,
			},
		})
		require.NoError(t, err)
		for more := true; more; {
			synctest.Wait()
			more, err = l.Step(t.Context(), controlloop.InOrder)
			require.NoError(t, err)
		}
	})
	return made
}
