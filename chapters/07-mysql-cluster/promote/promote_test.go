package promote_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/promote"
)

//book:exercise 7k
func TestASlaveTakesThePlaceOfAMasterThatIsGone(t *testing.T) {
	with(t, map[string]*database{"mysql-1": slave("bin.000001", 100)}, func(r *rig) {
		r.look()
		time.Sleep(30 * time.Second)
		require.Equal(r, "mysql-1", r.look())
		r.look()
		one := r.databases["mysql-1"]
		assert.False(r, one.readOnly)
		assert.Empty(r, one.file, "it follows nobody any more")
		n := len(one.done)
		assert.Equal(r, "mysql-1", r.look())
		assert.Len(r, one.done, n, "a master is left alone")
	})
}

//book:exercise 7k
func TestAMasterIsWaitedFor(t *testing.T) {
	with(t, map[string]*database{"mysql-1": slave("bin.000001", 100)}, func(r *rig) {
		result, err := r.Reconcile(r.Context(), door)
		require.NoError(r, err)
		require.Equal(r, 30*time.Second, result.After)
		time.Sleep(29 * time.Second)
		result, err = r.Reconcile(r.Context(), door)
		require.NoError(r, err)
		require.Equal(r, "mysql-0", r.named())
		require.Equal(r, time.Second, result.After, "29 of 30 seconds are over")
		r.databases["mysql-0"] = &database{id: 100}
		r.ready("mysql-0")
		assert.Equal(r, "mysql-0", r.look())
		r.Pods.Remove(controlloop.Key{Namespace: door.Namespace, Name: "mysql-0"})
		time.Sleep(2 * time.Second)
		assert.Equal(r, "mysql-0", r.look(), "the next time it is waited for anew")
	})
}

// Ada names a Pod herself, after the operator has read the Service.
//
//book:exercise 7k
func TestWhatAPersonHasNamedIsNotOverwritten(t *testing.T) {
	with(t, map[string]*database{
		"mysql-1": slave("bin.000001", 200), "mysql-2": slave("bin.000001", 100),
	}, func(r *rig) {
		r.look()
		time.Sleep(30 * time.Second)
		store := r.Client.(mortal).Client
		r.meanwhile = func() {
			obj, err := store.Get(r.Context(), corev1.SchemeGroupVersion.WithKind("Service"), door)
			require.NoError(r, err)
			service := controlloop.Copy(obj.(*corev1.Service))
			service.Spec.Selector[promote.Named] = "mysql-2"
			_, err = store.Update(r.Context(), service)
			require.NoError(r, err)
		}
		_, _ = r.Reconcile(r.Context(), door)
		require.Nil(r, r.meanwhile, "nothing was written")
		assert.Equal(r, "mysql-2", r.named())
		for range 2 {
			assert.Equal(r, "mysql-2", r.look())
		}
		assert.False(r, r.databases["mysql-2"].readOnly, "and that one is made a master")
	})
}

//book:exercise 7k
func TestTheSlaveThatIsFurthestOnIsTaken(t *testing.T) {
	for name, test := range map[string]struct {
		all  map[string]*database
		want string
	}{
		"position": {map[string]*database{
			"mysql-1": slave("bin.000001", 100), "mysql-2": slave("bin.000001", 200)}, "mysql-2"},
		"file": {map[string]*database{
			"mysql-1": slave("bin.000001", 900), "mysql-2": slave("bin.000002", 4)}, "mysql-2"},
		"alike": {map[string]*database{
			"mysql-2": slave("bin.000001", 100), "mysql-1": slave("bin.000001", 100)}, "mysql-1"},
		"follows nobody": {map[string]*database{
			"mysql-1": {readOnly: true}, "mysql-2": slave("bin.000001", 100)}, "mysql-2"},
		"it has read more than it has executed": {map[string]*database{
			"mysql-1": slave("bin.000001", 200),
			"mysql-2": {master: 100, file: "bin.000001", position: 100, unread: 101, readOnly: true}}, "mysql-2"},
		"a slave of another master": {map[string]*database{
			"mysql-1": slave("bin.000001", 100),
			"mysql-2": {master: 103, file: "bin.000009", position: 4, readOnly: true}}, "mysql-1"},
		"it never reached its master": {map[string]*database{
			"mysql-1": slave("bin.000001", 100),
			"mysql-2": {file: "bin.000009", position: 4, readOnly: true}}, "mysql-1"},
		"silent": {map[string]*database{
			"mysql-1": slave("bin.000001", 100),
			"mysql-2": {master: 100, file: "bin.000009", position: 4, readOnly: true, silent: true}}, "mysql-1"},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, test.all, func(r *rig) {
				r.look()
				time.Sleep(time.Minute)
				assert.Equal(r, test.want, r.look())
			})
		})
	}
}

// What a slave has read and not executed is in no other place, once it has forgotten
// its master.
//
//book:exercise 7k
func TestWhatWasReadIsExecutedBeforeThePromotion(t *testing.T) {
	one := slave("bin.000001", 100)
	one.unread, one.broken = 50, "Duplicate entry '7' for key 'PRIMARY'"
	with(t, map[string]*database{"mysql-0": one}, func(r *rig) {
		for range 3 {
			result, err := r.Reconcile(r.Context(), door)
			require.NoError(r, err)
			require.Equal(r, time.Second, result.After, "it is not done")
		}
		require.NotEmpty(r, one.file, "it has forgotten what it had read")
		require.True(r, one.readOnly)
		one.broken = ""
		for range 3 {
			r.look()
		}
		assert.EqualValues(r, 150, one.position)
		assert.Empty(r, one.file)
		assert.False(r, one.readOnly)
	})
}

// A slave that is named does not say how far it is, and so has to be asked again.
//
//book:exercise 7k
func TestASlaveThatCannotBeAskedForgetsNothing(t *testing.T) {
	one := slave("bin.000001", 100)
	one.unread, one.busy = 50, true
	with(t, map[string]*database{"mysql-0": one}, func(r *rig) {
		for range 3 {
			result, err := r.Reconcile(r.Context(), door)
			require.True(r, err != nil || result.After > 0, "it is not done")
		}
		require.NotEmpty(r, one.file, "it has forgotten its master")
		require.True(r, one.readOnly)
		one.busy = false
		for range 3 {
			r.look()
		}
		assert.EqualValues(r, 150, one.position)
		assert.False(r, one.readOnly)
	})
}

// Whether it is a master already is the first that a Pod is asked.
//
//book:exercise 7k
func TestAPodThatDoesNotSayWhatItIsIsAskedAgain(t *testing.T) {
	one := slave("bin.000001", 100)
	one.vague = true
	with(t, map[string]*database{"mysql-0": one}, func(r *rig) {
		for range 3 {
			result, err := r.Reconcile(r.Context(), door)
			require.True(r, err != nil || result.After > 0, "it is not done")
		}
		require.Empty(r, one.done, "statements to one that may be a master")
		one.vague = false
		r.look()
		assert.False(r, one.readOnly, "it takes writes")
	})
}

// The second was left behind by the first failover: it has old rows, and nobody may
// take them for the shop's.
//
//book:exercise 7k
func TestASlaveThatWasLeftBehindIsNoMaster(t *testing.T) {
	one, two := slave("bin.000001", 200), slave("bin.000001", 100)
	with(t, map[string]*database{"mysql-1": one, "mysql-2": two}, func(r *rig) {
		r.looks()
		require.Equal(r, "mysql-1", r.named())
		require.False(r, one.readOnly)
		r.Pods.Remove(controlloop.Key{Namespace: door.Namespace, Name: "mysql-1"})
		one.silent = true
		r.looks()
		r.looks()
		assert.Equal(r, "mysql-1", r.named())
		assert.True(r, two.readOnly)
		assert.Equal(r, []string{
			"Normal Promoted: mysql-1 takes the place of mysql-0",
			"Warning NoCandidate: mysql-1 is gone, and no slave of server 101 answers; to name a Pod that lacks " +
				`orders: kubectl patch service mysql-master -p ` +
				`'{"spec":{"selector":{"statefulset.kubernetes.io/pod-name":"<pod>"}}}'`}, r.events)
	})
}

// One failover after the other: each time the slave takes over that followed the
// last master, whoever that was.
//
//book:exercise 7k
func TestTwoMastersAreLostOneAfterTheOther(t *testing.T) {
	all := map[string]*database{
		"mysql-1": keeping("mysql-1-bin.000001", "bin.000001", 200),
		"mysql-2": keeping("mysql-2-bin.000001", "bin.000001", 200),
		"mysql-3": keeping("mysql-3-bin.000001", "bin.000001", 900)} // it follows another
	all["mysql-3"].master = 107
	with(t, all, func(r *rig) {
		for _, next := range []string{"mysql-1", "mysql-2"} {
			r.looks()
			require.Equal(r, next, r.named())
			require.False(r, all[next].readOnly)
			r.oneMaster()
			all[next].silent, all[next].readOnly = true, true
			r.Pods.Remove(controlloop.Key{Namespace: door.Namespace, Name: next})
		}
	})
}

//book:exercise 7k
func TestWhereNobodyAnswersItIsTriedAgain(t *testing.T) {
	with(t, map[string]*database{}, func(r *rig) {
		r.look()
		time.Sleep(time.Minute)
		result, err := r.Reconcile(r.Context(), door)
		require.NoError(r, err)
		assert.Equal(r, "mysql-0", r.named())
		assert.Equal(r, time.Second, result.After)
	})
}

// The operator that has changed the Service is dead; this is its successor.
//
//book:exercise 7k
func TestWhatWasBegunIsFinished(t *testing.T) {
	all := map[string]*database{
		"mysql-0": slave("bin.000001", 100), "mysql-1": slave("bin.000001", 200)}
	with(t, all, func(r *rig) {
		assert.Equal(r, "mysql-0", r.look())
		assert.False(r, all["mysql-0"].readOnly, "whom the Service names is a master")
		assert.True(r, all["mysql-1"].readOnly)
	})
}

// Whatever goes wrong at whichever write, no server takes writes that still
// follows another, and there are never two that do; and whoever looks next, with
// nothing to remember, ends what was begun.
//
//book:exercise 7k
func TestItMayDieBetweenAnyTwoWrites(t *testing.T) {
	for _, how := range hows {
		at, more := 0, true
		for more {
			at++
			ok := t.Run(fmt.Sprintf("%s write %d", how, at), func(t *testing.T) {
				more = falls(t, how, at)
			})
			require.True(t, ok)
		}
		require.Greater(t, at, 1, "nothing was ever written")
	}
}

// falls plays the fall of mysql-0, and reports whether there was such a write.
func falls(t *testing.T, how string, at int) (struck bool) {
	all := map[string]*database{
		"mysql-1": slave("bin.000001", 100), "mysql-2": slave("bin.000001", 200)}
	with(t, all, func(r *rig) {
		r.at, r.how = at, how
		for range 4 {
			result, err := r.Reconcile(r.Context(), door)
			if r.writes == at && !struck {
				struck = true
				assert.True(r, err != nil || result.After > 0,
					"it went wrong, and nobody will look again")
			}
			r.oneMaster()
			if r.dead {
				break
			}
			time.Sleep(30 * time.Second)
		}
		r.succeed()
		for range 4 {
			r.look()
			r.oneMaster()
			time.Sleep(30 * time.Second)
		}
		assert.Equal(r, "mysql-2", r.named(), "the Service, in the end")
		assert.False(r, all["mysql-2"].readOnly, "in the end it takes writes")
	})
	return struck
}

// succeed has another operator take over, which has nothing to remember, and to
// which nothing happens.
func (r *rig) succeed() {
	before := r.Promoter
	r.dead, r.at = false, 0
	r.Promoter = &promote.Promoter{Client: before.Client,
		Pods: before.Pods, Dial: before.Dial, Recorder: r, Patience: before.Patience}
}

// oneMaster asserts what is true at any time.
func (r *rig) oneMaster() {
	r.Helper()
	masters := 0
	for name, d := range r.databases {
		if d.readOnly {
			continue
		}
		masters++
		assert.Empty(r, d.file, "%s takes writes, and follows a master", name)
	}
	assert.LessOrEqual(r, masters, 1, "servers that take writes")
}

// Each of them is further on, and comes before the one that counts.
//
//book:exercise 7k
func TestNoOtherThanAReadyPodOfTheSetIsTaken(t *testing.T) {
	for name, change := range map[string]func(*corev1.Pod){
		"of another namespace": func(p *corev1.Pod) { p.Namespace = "another" },
		"of another app":       func(p *corev1.Pod) { p.Labels["app"] = "another" },
		"not ready":            func(p *corev1.Pod) { p.Status.Conditions = nil },
		"on its way out":       func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) },
	} {
		t.Run(name, func(t *testing.T) {
			with(t, map[string]*database{"mysql-2": slave("bin.000001", 100)}, func(r *rig) {
				r.databases["mysql-1"] = slave("bin.000001", 200)
				r.Pods.Put(readyPod("mysql-1", change))
				r.look()
				time.Sleep(time.Minute)
				assert.Equal(r, "mysql-2", r.look())
			})
		})
	}
}

// A look that could not find out does nothing, and comes again.
//
//book:exercise 7k
func TestWhatCannotBeAskedIsTriedAgain(t *testing.T) {
	all := map[string]*database{
		"mysql-0": {readOnly: true, silent: true}, "mysql-1": slave("bin.000001", 100)}
	with(t, all, func(r *rig) {
		result, err := r.Reconcile(r.Context(), door)
		assert.True(r, err != nil || result.After > 0, "the Pod is ready, and does not answer")
		assert.Equal(r, "mysql-0", r.named(), "it is ready: another look may find it well")

		r.Promoter.Client = mute{r.Promoter.Client}
		_, err = r.Reconcile(r.Context(), door)
		assert.ErrorIs(r, err, errMute, "the Service could not be read")
	})
}

// mute is a cluster that does not answer.
type mute struct{ controlloop.Client }

var errMute = errors.New("unexpected EOF")

func (mute) Get(
	context.Context, schema.GroupVersionKind, controlloop.Key,
) (controlloop.Object, error) {
	return nil, errMute
}

//book:exercise 7k
func TestAServiceThatIsDeletedIsForgotten(t *testing.T) {
	with(t, map[string]*database{"mysql-1": slave("bin.000001", 100)}, func(r *rig) {
		require.Equal(r, "mysql-0", r.look())
		service := corev1.SchemeGroupVersion.WithKind("Service")
		require.NoError(r, r.Client.Delete(r.Context(), service, door, metav1.DeleteOptions{}))
		result, err := r.Reconcile(r.Context(), door)
		require.NoError(r, err, "it would be tried again for ever")
		assert.Zero(r, result)
		time.Sleep(time.Minute)
		r.open()
		result, err = r.Reconcile(r.Context(), door)
		require.NoError(r, err)
		assert.Equal(r, 30*time.Second, result.After, "a new one is waited for anew")
	})
}
