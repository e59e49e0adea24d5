package controlloop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// deletion is a store with one object, and what happens to it.
type deletion struct {
	t     *testing.T
	store *controlloop.Store
	obj   controlloop.Object
	last  *[]controlloop.Write
}

func newDeletion(t *testing.T, obj controlloop.Object) deletion {
	s, writes := written()
	return deletion{t, s, mustCreate(t, s, obj), writes}
}

// bound returns a Pod that a node has, so that its end takes time.
func bound(change ...func(*corev1.Pod)) *corev1.Pod {
	pod := kubetest.Pod("web")
	pod.Spec.NodeName = "node-1"
	for _, c := range change {
		c(pod)
	}
	return pod
}

func held(pod *corev1.Pod) { pod.Finalizers = []string{"example.com/hold"} }

func (d deletion) delete(opts metav1.DeleteOptions) {
	d.t.Helper()
	require.NoError(d.t, d.store.Delete(d.t.Context(),
		d.obj.GetObjectKind().GroupVersionKind(), controlloop.KeyOf(d.obj), opts))
}

// now returns the object, or nil when it is gone.
func (d deletion) now() controlloop.Object {
	obj, err := d.store.Get(context.Background(),
		d.obj.GetObjectKind().GroupVersionKind(), controlloop.KeyOf(d.obj))
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(d.t, err)
	return obj
}

// release takes all finalizers away.
func (d deletion) release() {
	d.t.Helper()
	mustUpdate(d.t, d.store, edited(d.now(), func(obj controlloop.Object) {
		obj.SetFinalizers(nil)
	}))
}

func (d deletion) assertGrace(seconds int64, end time.Duration) {
	d.t.Helper()
	now := d.now()
	require.NotNil(d.t, now, "it is gone already")
	require.NotNil(d.t, now.GetDeletionTimestamp())
	assert.Equal(d.t, seconds, *now.GetDeletionGracePeriodSeconds())
	assert.Equal(d.t, end, time.Until(now.GetDeletionTimestamp().Time))
}

func TestWhatNobodyHoldsIsGoneAtOnce(t *testing.T) {
	for name, obj := range map[string]controlloop.Object{
		"a ConfigMap":             settings("settings"),
		"a ReplicationController": kubetest.ReplicationController("web", 1),
		"a Pod that no node has":  kubetest.Pod("web"),
		"a Pod that has no grace": bound(func(p *corev1.Pod) { p.Spec.TerminationGracePeriodSeconds = new(int64(0)) }),
		"a Node, of no namespace": &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDeletion(t, obj)
			d.delete(metav1.DeleteOptions{})
			assert.Nil(t, d.now())
			require.Len(t, *d.last, 2)
			assert.Equal(t, watch.Deleted, (*d.last)[1].Type)
		})
	}
}

func TestARunningPodGetsTimeToEnd(t *testing.T) {
	for name, test := range map[string]struct {
		own  *int64
		opts metav1.DeleteOptions
		want int64
	}{
		"the default":     {nil, metav1.DeleteOptions{}, 30},
		"its own":         {new(int64(7)), metav1.DeleteOptions{}, 7},
		"what is asked":   {new(int64(7)), kubetest.Grace(100), 100},
		"one second only": {nil, kubetest.Grace(1), 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDeletion(t, bound(func(p *corev1.Pod) {
					p.Spec.TerminationGracePeriodSeconds = test.own
				}))
				d.delete(test.opts)
				d.assertGrace(test.want, time.Duration(test.want)*time.Second)
				assert.EqualValues(t, 2, d.now().GetGeneration(),
					"to be deleted is another thing to want")
				assert.Equal(t, watch.Modified, (*d.last)[1].Type)
				d.delete(kubetest.Grace(0))
				assert.Nil(t, d.now(), "its kubelet says that it has ended")
			})
		})
	}
}

func TestZeroGraceIsNow(t *testing.T) {
	d := newDeletion(t, bound())
	d.delete(kubetest.Grace(0))
	assert.Nil(t, d.now())
}

func TestAPodThatHasEndedNeedsNoGrace(t *testing.T) {
	for _, phase := range []corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed} {
		d := newDeletion(t, bound())
		mustUpdateStatus(t, d.store, edited(d.now().(*corev1.Pod), func(p *corev1.Pod) {
			p.Status.Phase = phase
		}))
		d.delete(metav1.DeleteOptions{})
		assert.Nil(t, d.now(), phase)
	}
}

func TestAskingAgainShortensTheGraceAndNeverLengthensIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeletion(t, bound())
		d.delete(kubetest.Grace(60))
		time.Sleep(5 * time.Second)
		before := len(*d.last)
		d.delete(kubetest.Grace(60))
		d.delete(kubetest.Grace(90))
		d.delete(metav1.DeleteOptions{})
		assert.Len(t, *d.last, before, "nothing new was asked for")
		d.assertGrace(60, 55*time.Second)
		d.delete(kubetest.Grace(30))
		d.assertGrace(30, 25*time.Second)
		assert.EqualValues(t, 2, d.now().GetGeneration(), "it was to go already")
	})
}

// A grace that counted from the second deletion would end after the first.
func TestAShorterGraceCountsFromTheFirstDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeletion(t, bound())
		d.delete(metav1.DeleteOptions{})
		time.Sleep(20 * time.Second)
		d.delete(kubetest.Grace(25))
		d.assertGrace(25, 5*time.Second)
	})
}

func TestAGraceDoesNotEndInThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeletion(t, bound())
		d.delete(kubetest.Grace(60))
		time.Sleep(20 * time.Second)
		d.delete(kubetest.Grace(10))
		d.assertGrace(1, 0)
		d.delete(kubetest.Grace(0))
		assert.Nil(t, d.now())
	})
	synctest.Test(t, func(t *testing.T) {
		d := newDeletion(t, bound())
		d.delete(kubetest.Grace(60))
		time.Sleep(60 * time.Second)
		d.delete(kubetest.Grace(59))
		d.assertGrace(1, 0)
	})
}

func TestANegativeGraceIsASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeletion(t, bound())
		d.delete(kubetest.Grace(-7))
		d.assertGrace(1, time.Second)
	})
	synctest.Test(t, func(t *testing.T) {
		d := newDeletion(t, bound())
		d.delete(metav1.DeleteOptions{})
		d.delete(kubetest.Grace(-7))
		d.assertGrace(1, time.Second)
	})
	synctest.Test(t, func(t *testing.T) {
		d := newDeletion(t, bound(func(p *corev1.Pod) {
			p.Spec.TerminationGracePeriodSeconds = new(int64(-7))
		}))
		d.delete(metav1.DeleteOptions{})
		d.assertGrace(1, time.Second)
	})
}

func TestAFinalizerHoldsWhatIsDeleted(t *testing.T) {
	d := newDeletion(t, edited(settings("settings"), func(m *corev1.ConfigMap) {
		m.Finalizers = []string{"example.com/a", "example.com/b"}
	}))
	d.delete(metav1.DeleteOptions{})
	require.NotNil(t, d.now())
	assert.NotNil(t, d.now().GetDeletionTimestamp())
	before := len(*d.last)
	d.delete(metav1.DeleteOptions{})
	assert.Len(t, *d.last, before, "it is on its way out already")

	mustUpdate(t, d.store, edited(d.now(), func(obj controlloop.Object) {
		obj.SetFinalizers([]string{"example.com/b"})
	}))
	require.NotNil(t, d.now(), "one finalizer is left")
	d.release()
	assert.Nil(t, d.now())
}

func TestAnUpdateDoesNotBringBackWhatIsOnItsWayOut(t *testing.T) {
	d := newDeletion(t, bound(held))
	d.delete(metav1.DeleteOptions{})
	was := d.now()
	for _, write := range []func(*testing.T, *controlloop.Store, *corev1.Pod) *corev1.Pod{
		mustUpdate[*corev1.Pod], mustUpdateStatus[*corev1.Pod],
	} {
		blind := bound(held)
		blind.Annotations = map[string]string{"version": d.now().GetResourceVersion()}
		now := write(t, d.store, blind)
		assert.Equal(t, was.GetDeletionTimestamp(), now.DeletionTimestamp)
		assert.Equal(t, was.GetDeletionGracePeriodSeconds(), now.DeletionGracePeriodSeconds)
		assert.EqualValues(t, 2, now.Generation)
	}
}

func TestAFinalizerDoesNotHoldWhatIsNotDeleted(t *testing.T) {
	d := newDeletion(t, bound(held))
	d.release()
	assert.NotNil(t, d.now())
}

func TestNoFinalizerIsAddedToWhatIsOnItsWayOut(t *testing.T) {
	d := newDeletion(t, bound(held))
	d.delete(metav1.DeleteOptions{})
	_, err := d.store.Update(t.Context(), edited(d.now(), func(obj controlloop.Object) {
		obj.SetFinalizers([]string{"example.com/hold", "example.com/wait"})
	}))
	require.ErrorContains(t, err, `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted`)
	assert.True(t, apierrors.IsInvalid(err))
}

func TestAPodGoesWhenBothGraceAndFinalizersAreOver(t *testing.T) {
	t.Run("the kubelet is done first", func(t *testing.T) {
		d := newDeletion(t, bound(held))
		d.delete(metav1.DeleteOptions{})
		d.delete(kubetest.Grace(0))
		require.NotNil(t, d.now(), "the finalizer holds it")
		d.release()
		assert.Nil(t, d.now())
	})
	t.Run("the finalizer is taken away first", func(t *testing.T) {
		d := newDeletion(t, bound(held))
		d.delete(metav1.DeleteOptions{})
		d.release()
		require.NotNil(t, d.now(), "it may still run")
		d.delete(kubetest.Grace(0))
		assert.Nil(t, d.now())
	})
}

func TestWhatADeletionAsksForCountsForMoreThanAFinalizer(t *testing.T) {
	const hold = "example.com/hold"
	dependents, orphan := metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents
	for _, had := range []string{dependents, orphan} {
		for policy, left := range map[*metav1.DeletionPropagation][]string{
			nil:                                     {had, hold},
			new(metav1.DeletePropagationBackground): {hold},
			new(metav1.DeletePropagationForeground): {hold, dependents},
			new(metav1.DeletePropagationOrphan):     {hold, orphan},
		} {
			d := newDeletion(t, edited(settings("settings"), func(m *corev1.ConfigMap) {
				m.Finalizers = []string{had, hold}
			}))
			d.delete(metav1.DeleteOptions{PropagationPolicy: policy})
			assert.ElementsMatch(t, left, d.now().GetFinalizers(), "%s and %v", had, policy)
		}
	}
	d := newDeletion(t, edited(settings("settings"), func(m *corev1.ConfigMap) {
		m.Finalizers = []string{orphan}
	}))
	d.delete(metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
	assert.Nil(t, d.now(), "nothing holds it any more")
}

func TestPropagationIsAFinalizerForTheGarbageCollector(t *testing.T) {
	for policy, finalizer := range map[metav1.DeletionPropagation]string{
		metav1.DeletePropagationForeground: "foregroundDeletion",
		metav1.DeletePropagationOrphan:     "orphan",
	} {
		d := newDeletion(t, kubetest.ReplicationController("web", 1))
		d.delete(metav1.DeleteOptions{PropagationPolicy: &policy})
		require.NotNil(t, d.now(), policy)
		assert.Equal(t, []string{finalizer}, d.now().GetFinalizers())
		assert.EqualValues(t, 2, d.now().GetGeneration())
		d.release()
		assert.Nil(t, d.now())
	}
	d := newDeletion(t, kubetest.ReplicationController("web", 1))
	d.delete(metav1.DeleteOptions{
		PropagationPolicy: new(metav1.DeletePropagationBackground)})
	assert.Nil(t, d.now(), "in the background nothing waits for what it owns")
}

// DELETED with the version of the last change would stall a client that waits
// for the newest: a client-go informer does.
func TestDeletedCarriesTheLastStateWithAVersionOfItsOwn(t *testing.T) {
	for name, end := range map[string]func(deletion){
		"at once":               func(d deletion) { d.delete(kubetest.Grace(0)) },
		"by the last finalizer": func(d deletion) { d.release() },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDeletion(t, bound(held))
			if name == "at once" {
				d.release()
			} else {
				d.delete(kubetest.Grace(0))
			}
			was := d.now().(*corev1.Pod)
			w, err := d.store.Watch(t.Context(), controlloop.PodKind,
				controlloop.ListOptions{ResourceVersion: was.ResourceVersion})
			require.NoError(t, err)
			end(d)
			event, ok, err := w.TryNext()
			require.NoError(t, err)
			require.True(t, ok)
			assert.Equal(t, watch.Deleted, event.Type)
			last := event.Object.(*corev1.Pod)
			assert.Equal(t, version(t, was)+1, version(t, last))
			assert.Equal(t, was.UID, last.UID)
			assert.Equal(t, was.Spec, last.Spec)
			assert.Equal(t, was.Status, last.Status)
		})
	}
}

func TestANameIsFreeAgainWhenItsObjectIsGone(t *testing.T) {
	d := newDeletion(t, bound())
	d.delete(kubetest.Grace(0))
	again := mustCreate(t, d.store, bound())
	assert.NotEqual(t, d.obj.GetUID(), again.UID)
	assert.Nil(t, again.DeletionTimestamp)
	assert.EqualValues(t, 1, again.Generation)
}
