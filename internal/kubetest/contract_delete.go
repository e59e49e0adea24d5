package kubetest

import (
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// deletion is an object of a cluster, and what happens to it.
type deletion struct {
	tried
	obj controlloop.Object
}

func deleting(c tried, obj controlloop.Object) deletion {
	return deletion{c, made(c, obj)}
}

// onNode returns a Pod that a node has, so that its end takes time.
func onNode(change ...func(*corev1.Pod)) *corev1.Pod {
	pod := Pod("web")
	pod.Spec.NodeName = "node-1"
	for _, c := range change {
		c(pod)
	}
	return pod
}

func held(pod *corev1.Pod) { pod.Finalizers = []string{"example.com/hold"} }

func (d deletion) delete(opts metav1.DeleteOptions) {
	d.Helper()
	require.NoError(d, d.Delete(d.Context(),
		d.obj.GetObjectKind().GroupVersionKind(), controlloop.KeyOf(d.obj), opts))
}

// now returns the object, or nil when it is gone.
func (d deletion) now() controlloop.Object {
	d.Helper()
	return d.tried.now(d.obj.GetObjectKind().GroupVersionKind(), controlloop.KeyOf(d.obj))
}

// release takes all finalizers away.
func (d deletion) release() {
	d.Helper()
	updated(d.tried, edited(d.now(), func(obj controlloop.Object) { obj.SetFinalizers(nil) }))
}

func (d deletion) assertGrace(seconds int64, end time.Duration) {
	d.Helper()
	now := d.now()
	require.NotNil(d, now, "it is gone already")
	require.NotNil(d, now.GetDeletionTimestamp())
	assert.Equal(d, seconds, *now.GetDeletionGracePeriodSeconds())
	assert.Equal(d, end, time.Until(now.GetDeletionTimestamp().Time))
}

var deletions = []claim{
	{"What no one holds is gone at once", func(c tried) {
		for name, obj := range map[string]controlloop.Object{
			"a ConfigMap":            settings("settings"),
			"a Pod that no node has": Pod("web"),
			"a Pod that has no grace": onNode(func(p *corev1.Pod) {
				p.Spec.TerminationGracePeriodSeconds = new(int64(0))
			}),
			"a Node, of no namespace": &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}},
		} {
			d := deleting(c, obj)
			d.delete(metav1.DeleteOptions{})
			assert.Nil(c, d.now(), name)
		}
	}},
	{"A running Pod gets time to end", func(c tried) {
		for name, test := range map[string]struct {
			own  *int64
			opts metav1.DeleteOptions
			want int64
		}{
			"the default":     {nil, metav1.DeleteOptions{}, 30},
			"its own":         {new(int64(7)), metav1.DeleteOptions{}, 7},
			"what is asked":   {new(int64(7)), Grace(100), 100},
			"one second only": {nil, Grace(1), 1},
			"a negative one":  {nil, Grace(-7), 1},
		} {
			d := deleting(c, onNode(func(p *corev1.Pod) {
				p.Spec.TerminationGracePeriodSeconds = test.own
			}))
			d.delete(test.opts)
			d.assertGrace(test.want, time.Duration(test.want)*time.Second)
			assert.EqualValues(c, 2, d.now().GetGeneration(),
				"%s: to be deleted is another thing to want", name)
			d.delete(Grace(0))
			assert.Nil(c, d.now(), "its kubelet says that it has ended")
		}
	}},
	{"Zero grace is now", func(c tried) {
		d := deleting(c, onNode())
		d.delete(Grace(0))
		assert.Nil(c, d.now())
	}},
	{"A Pod that has ended needs no grace", func(c tried) {
		for _, phase := range []corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed} {
			d := deleting(c, onNode())
			told(c, edited(c.pod(), func(p *corev1.Pod) { p.Status.Phase = phase }))
			d.delete(metav1.DeleteOptions{})
			assert.Nil(c, d.now(), phase)
		}
	}},
	{"Asking again shortens the grace and never lengthens it", func(c tried) {
		d := deleting(c, onNode())
		d.delete(Grace(60))
		time.Sleep(5 * time.Second)
		before := c.version()
		d.delete(Grace(60))
		d.delete(Grace(90))
		d.delete(metav1.DeleteOptions{})
		assert.Equal(c, before, c.version(), "nothing new was asked for")
		d.assertGrace(60, 55*time.Second)
		d.delete(Grace(30))
		d.assertGrace(30, 25*time.Second)
		assert.EqualValues(c, 2, d.now().GetGeneration(), "it was to go already")
	}},
	// A grace that counted from the second deletion would end after the first.
	{"A shorter grace counts from the first deletion", func(c tried) {
		d := deleting(c, onNode())
		d.delete(metav1.DeleteOptions{})
		time.Sleep(20 * time.Second)
		d.delete(Grace(25))
		d.assertGrace(25, 5*time.Second)
	}},
	{"A grace does not end in the past", func(c tried) {
		d := deleting(c, onNode())
		d.delete(Grace(60))
		time.Sleep(20 * time.Second)
		d.delete(Grace(10))
		d.assertGrace(1, 0)
		d.delete(Grace(0))
		assert.Nil(c, d.now())

		d = deleting(c, onNode())
		d.delete(Grace(60))
		time.Sleep(60 * time.Second)
		d.delete(Grace(59))
		d.assertGrace(1, 0)
	}},
	{"A negative grace shortens another to a second", func(c tried) {
		d := deleting(c, onNode())
		d.delete(metav1.DeleteOptions{})
		d.delete(Grace(-7))
		d.assertGrace(1, time.Second)
	}},
	{"A finalizer holds what is deleted", func(c tried) {
		d := deleting(c, edited(settings("settings"), func(m *corev1.ConfigMap) {
			m.Finalizers = []string{"example.com/a", "example.com/b"}
		}))
		d.delete(metav1.DeleteOptions{})
		require.NotNil(c, d.now())
		assert.NotNil(c, d.now().GetDeletionTimestamp())
		before := c.version()
		d.delete(metav1.DeleteOptions{})
		assert.Equal(c, before, c.version(), "it is on its way out already")

		updated(c, edited(d.now(), func(obj controlloop.Object) {
			obj.SetFinalizers([]string{"example.com/b"})
		}))
		require.NotNil(c, d.now(), "one finalizer is left")
		d.release()
		assert.Nil(c, d.now())
	}},
	{"An update does not bring back what is on its way out", func(c tried) {
		d := deleting(c, onNode(held))
		d.delete(metav1.DeleteOptions{})
		was := d.now()
		for _, write := range []func(tried, *corev1.Pod) *corev1.Pod{
			updated[*corev1.Pod], told[*corev1.Pod],
		} {
			now := write(c, edited(c.pod(), func(p *corev1.Pod) {
				p.Annotations = map[string]string{"version": p.ResourceVersion}
				p.ResourceVersion, p.DeletionTimestamp = "", nil
				p.DeletionGracePeriodSeconds = nil
			}))
			assert.True(c, was.GetDeletionTimestamp().Equal(now.DeletionTimestamp))
			assert.Equal(c, was.GetDeletionGracePeriodSeconds(), now.DeletionGracePeriodSeconds)
			assert.EqualValues(c, 2, now.Generation)
		}
	}},
	{"A finalizer does not hold what is not deleted", func(c tried) {
		d := deleting(c, onNode(held))
		d.release()
		assert.NotNil(c, d.now())
	}},
	{"No finalizer is added to what is on its way out", func(c tried) {
		d := deleting(c, onNode(held))
		d.delete(metav1.DeleteOptions{})
		_, err := c.Update(c.Context(), edited(d.now(), func(obj controlloop.Object) {
			obj.SetFinalizers([]string{"example.com/hold", "example.com/wait"})
		}))
		require.ErrorContains(c, err, `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted`)
		assert.True(c, apierrors.IsInvalid(err))
	}},
	{"An update that takes the last finalizer is checked first", func(c tried) {
		d := deleting(c, edited(Pod("web"), held))
		d.delete(metav1.DeleteOptions{})
		_, err := c.Update(c.Context(), edited(c.pod(), func(p *corev1.Pod) {
			p.ResourceVersion, p.Finalizers = "", nil
			p.Spec.RestartPolicy = corev1.RestartPolicyNever
		}))
		assert.True(c, apierrors.IsInvalid(err), "%v", err)
		assert.NotNil(c, d.now())
	}},
	{"A Pod goes when both its grace and its finalizers are over", func(c tried) {
		d := deleting(c, onNode(held)) // the kubelet is done first
		d.delete(metav1.DeleteOptions{})
		d.delete(Grace(0))
		require.NotNil(c, d.now(), "the finalizer holds it")
		d.release()
		assert.Nil(c, d.now())

		d = deleting(c, onNode(held)) // the finalizer is taken away first
		d.delete(metav1.DeleteOptions{})
		d.release()
		require.NotNil(c, d.now(), "it may still run")
		d.delete(Grace(0))
		assert.Nil(c, d.now())
	}},
	{"What a deletion asks for counts for more than a finalizer", func(c tried) {
		const hold = "example.com/hold"
		dependents, orphan := metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents
		for _, had := range []string{dependents, orphan} {
			for policy, left := range map[*metav1.DeletionPropagation][]string{
				nil:                                     {had, hold},
				new(metav1.DeletePropagationBackground): {hold},
				new(metav1.DeletePropagationForeground): {hold, dependents},
				new(metav1.DeletePropagationOrphan):     {hold, orphan},
			} {
				d := deleting(c, edited(settings("settings"), func(m *corev1.ConfigMap) {
					m.Finalizers = []string{had, hold}
				}))
				d.delete(metav1.DeleteOptions{PropagationPolicy: policy})
				assert.ElementsMatch(c, left, d.now().GetFinalizers(), "%s and %v", had, policy)
				d.release()
			}
		}
		d := deleting(c, edited(settings("settings"), func(m *corev1.ConfigMap) {
			m.Finalizers = []string{orphan}
		}))
		d.delete(metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
		assert.Nil(c, d.now(), "nothing holds it any more")
	}},
	{"Propagation is a finalizer for the garbage collector", func(c tried) {
		for policy, finalizer := range map[metav1.DeletionPropagation]string{
			metav1.DeletePropagationForeground: "foregroundDeletion",
			metav1.DeletePropagationOrphan:     "orphan",
		} {
			d := deleting(c, ReplicationController("web", 1))
			d.delete(metav1.DeleteOptions{PropagationPolicy: &policy})
			require.NotNil(c, d.now(), policy)
			assert.Equal(c, []string{finalizer}, d.now().GetFinalizers())
			assert.EqualValues(c, 2, d.now().GetGeneration())
			d.release()
			assert.Nil(c, d.now())
		}
		d := deleting(c, ReplicationController("web", 1))
		d.delete(metav1.DeleteOptions{
			PropagationPolicy: new(metav1.DeletePropagationBackground)})
		assert.Nil(c, d.now(), "in the background nothing waits for what it owns")
	}},
	// DELETED with the version of the last change would stall a client that waits
	// for the newest: a client-go informer does.
	{"DELETED carries the last state with a version of its own", func(c tried) {
		for name, end := range map[string]func(deletion){
			"at once":               func(d deletion) { d.delete(Grace(0)) },
			"by the last finalizer": func(d deletion) { d.release() },
		} {
			d := deleting(c, onNode(held))
			if name == "at once" {
				d.release()
			} else {
				d.delete(Grace(0))
			}
			was := c.pod()
			w := c.follow(controlloop.PodKind,
				controlloop.ListOptions{ResourceVersion: was.ResourceVersion})
			end(d)
			events := c.seen(w)
			require.Len(c, events, 1, name)
			assert.Equal(c, watch.Deleted, events[0].Type)
			last := events[0].Object.(*corev1.Pod)
			assert.NotEqual(c, was.ResourceVersion, last.ResourceVersion)
			assert.Equal(c, c.version(), last.ResourceVersion)
			assert.Equal(c, was.UID, last.UID)
			assert.Equal(c, was.Spec, last.Spec)
			assert.Equal(c, was.Status, last.Status)
		}
	}},
	{"A name is free again when its object is gone", func(c tried) {
		d := deleting(c, onNode())
		d.delete(Grace(0))
		again := made(c, onNode())
		assert.NotEqual(c, d.obj.GetUID(), again.UID)
		assert.Nil(c, again.DeletionTimestamp)
		assert.EqualValues(c, 1, again.Generation)
	}},
}
