package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// steps lists the writes to the claim and the volume from the n-th on: which of
// them points to which by it, or is in another phase.
func steps(c *kubetest.Cluster, n int) string {
	var all []string
	for _, w := range c.Writes()[n:] {
		var says []string
		switch obj := w.Object.(type) {
		case *corev1.PersistentVolume:
			says = append(says, "volume")
			was, ok := w.Old.(*corev1.PersistentVolume)
			if ok && obj.Spec.ClaimRef != nil && !equality.Semantic.DeepEqual(obj.Spec.ClaimRef, was.Spec.ClaimRef) {
				says = append(says, "-> "+obj.Spec.ClaimRef.Name)
			}
			if ok && obj.Status.Phase != was.Status.Phase {
				says = append(says, string(obj.Status.Phase))
			}
		case *corev1.PersistentVolumeClaim:
			says = append(says, "claim")
			was, ok := w.Old.(*corev1.PersistentVolumeClaim)
			if ok && obj.Spec.VolumeName != was.Spec.VolumeName {
				says = append(says, "-> "+obj.Spec.VolumeName)
			}
			if ok && obj.Status.Phase != was.Status.Phase {
				says = append(says, string(obj.Status.Phase))
			}
		}
		all = append(all, strings.Join(says, " "))
	}
	return strings.Join(all, ", ")
}

// The four writes of a binding of the claim c to the volume a.
const fourWrites = "volume -> c, volume Bound, claim -> a, claim Bound"

// bindsByFourWrites compares the writes from the n-th on with these.
func bindsByFourWrites(t *testing.T, c *kubetest.Cluster, n int) {
	t.Helper()
	assert.Equal(t, fourWrites, steps(c, n), "a binding takes 4 writes, and %d were made: in their order", len(c.Writes())-n)
}

// The volume first, so that no other claim can have it; a promise is written
// down before it is made.
//
//book:exercise 5c
func TestAVolumeIsTakenBeforeItIsPromised(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		kubetest.Create(c, volume("a", "1Gi"))
		c.Settle()
		kubetest.Create(c, claim("c", "1Gi"))
		before := len(c.Writes())
		c.Settle()
		bindsByFourWrites(t, c, before)
		c.AssertQuiet(long)
	})
}

// Each of the four writes may be refused. That is reported, nothing is written
// past it, and the next look goes on from there.
//
//book:exercise 5c
func TestABindingGoesOnFromAWriteThatWasRefused(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "volumes"}, "a", errors.New("it has changed"))
	for i := range 2 * 4 {
		n, refusal := i/2, []error{kubetest.ErrFailedOnce, conflict}[i%2]
		t.Run(fmt.Sprintf("the %s of them: %v", []string{"first", "second", "third", "last"}[n], refusal), func(t *testing.T) {
			in(t, binderOnly, func(c *kubetest.Cluster) {
				kubetest.Create(c, volume("a", "1Gi"))
				c.Settle()
				writes := 0
				c.Client.Fail(func(call kubetest.Call) error {
					if !strings.HasPrefix(call.Verb, "update") {
						return nil
					}
					if writes++; writes != n+1 {
						return nil
					}
					return refusal
				})
				kubetest.Create(c, claim("c", "1Gi"))
				before := len(c.Writes())
				c.Advance(time.Minute)
				assert.True(t, c.Told(refusal), "it was refused, and nobody was told")
				bindsByFourWrites(t, c, before)
			})
		})
	}
}

// The next controller finishes the work of one that is killed at any
// write.
//
//book:exercise 5c
func TestABindingSurvivesACrashAtAnyWrite(t *testing.T) {
	for write := 1; write <= 5; write++ {
		for _, when := range []kubetest.When{kubetest.Before, kubetest.After} {
			in(t, binderOnly, func(c *kubetest.Cluster) {
				c.Client.CrashAtWrite(write, when)
				kubetest.Create(c, volume("a", "1Gi"))
				kubetest.Create(c, volume("b", "1Gi"))
				kubetest.Create(c, claim("c", "1Gi"))
				c.Settle()
				c.Restart()
				c.Settle()
				got := kubetest.Get(c, claim("c", "1Gi"))
				assert.Equal(t, corev1.ClaimBound, got.Status.Phase, "%s write %d", when, write)
				mine := kubetest.Get(c, volume(got.Spec.VolumeName, "1Gi"))
				assert.Equal(t, got.UID, mine.Spec.ClaimRef.UID, "%s write %d", when, write)
				assert.Equal(t, corev1.VolumeBound, mine.Status.Phase, "%s write %d", when, write)
				c.AssertQuiet(long)
			})
		}
	}
}

// A write that has been made does not have to be made again.
//
//book:exercise 5c
func TestABindingThatIsHalfThereIsFinished(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		kubetest.Create(c, volume("a", "1Gi", reservedFor("c")))
		kubetest.Create(c, claim("c", "1Gi", wants("a")))
		c.Settle()
		assert.Equal(t, "c Bound a", claims(c))
		assert.Equal(t, "a Bound c", volumes(c))
		v, got := kubetest.Get(c, volume("a", "1Gi")), kubetest.Get(c, claim("c", "1Gi"))
		assert.Equal(t, got.UID, v.Spec.ClaimRef.UID, "a name may be somebody else's tomorrow")
		const chosen = "pv.kubernetes.io/bound-by-controller"
		assert.NotContains(t, v.Annotations, chosen, "people chose, on both sides")
		assert.NotContains(t, got.Annotations, chosen)
		assert.Equal(t, "yes", got.Annotations[completed])
		assert.Equal(t, v.Spec.Capacity, got.Status.Capacity)
		assert.Equal(t, v.Spec.AccessModes, got.Status.AccessModes)
		assert.Empty(t, v.Status.Message, "there is nothing to say of a volume that is bound")
	})
}

func TestAClaimMayAskForOneVolume(t *testing.T) {
	for _, c := range []struct {
		name   string
		claim  *corev1.PersistentVolumeClaim
		volume *corev1.PersistentVolume
		is     string
		event  string
	}{
		{"that is there", claim("c", "1Gi", wants("a")), volume("a", "5Gi"), "c Bound a", ""},
		{"that is too small", claim("c", "6Gi", wants("a")), volume("a", "5Gi"), "c Pending a",
			`VolumeMismatch persistentvolume-controller: Cannot bind to requested volume "a": requested PV is too small`},
		{"of another class", claim("c", "1Gi", wants("a"), of("x")), volume("a", "5Gi"), "c Pending a",
			`VolumeMismatch persistentvolume-controller: Cannot bind to requested volume "a": storageClassName does not match`},
		{"of other attributes", claim("c", "1Gi", wants("a"), withAttributes("gold")), volume("a", "5Gi"), "c Pending a",
			`VolumeMismatch persistentvolume-controller: Cannot bind to requested volume "a": volumeAttributesClassName does not match`},
		{"of the same attributes", claim("c", "1Gi", wants("a"), withAttributes("gold")),
			volume("a", "5Gi", hasAttributes("gold")), "c Bound a", ""},
		{"of another mode", claim("c", "1Gi", wants("a"), blocks), volume("a", "5Gi"), "c Pending a",
			`VolumeMismatch persistentvolume-controller: Cannot bind to requested volume "a": incompatible volumeMode`},
		{"that can do less", claim("c", "1Gi", wants("a"), by(rwx)), volume("a", "5Gi"), "c Pending a",
			`VolumeMismatch persistentvolume-controller: Cannot bind to requested volume "a": incompatible accessMode`},
		{"that is another's", claim("c", "1Gi", wants("a")), volume("a", "5Gi", reservedFor("d")), "c Pending a",
			`FailedBinding persistentvolume-controller: volume "a" already bound to a different claim.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, binderOnly, func(cl *kubetest.Cluster) {
				kubetest.Create(cl, c.claim)
				cl.Settle()
				kubetest.Create(cl, c.volume)
				cl.Settle()
				assert.Equal(t, c.is, claims(cl))
				if c.event != "" {
					require.NotEmpty(t, cl.Events())
					assert.Equal(t, "Warning "+c.event, cl.Events()[len(cl.Events())-1])
				}
			})
		})
	}
}

// A claim that had a volume and has it no more is told so once, and gets no
// other: the data are gone.
func TestAClaimThatLosesItsVolumeSaysSo(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		v := kubetest.Create(c, volume("a", "1Gi"))
		kubetest.Create(c, claim("c", "1Gi"))
		c.Settle()
		gone(c, v)
		kubetest.Create(c, volume("b", "1Gi"))
		c.Settle()
		assert.Equal(t, "c Lost a", claims(c))
		assert.Equal(t, "b Available", volumes(c))
		assert.Equal(t, []string{"Warning ClaimLost persistentvolume-controller: " +
			"Bound claim has lost its PersistentVolume. Data on the volume is lost!"}, told(c, "ClaimLost"))
		lost := kubetest.Get(c, claim("c", "1Gi")).Status
		assert.Empty(t, lost.AccessModes, "it has nothing any more")
		assert.Empty(t, lost.Capacity)
		c.AssertQuiet(long)
	})
}

// The controller may hear that a claim is bound before it hears of its volume:
// then it asks.
func TestAClaimIsNotLostBecauseACacheIsLate(t *testing.T) {
	held := false
	setup := binderOnly
	setup.Controllers = []kubetest.Controller{func(s *controlloop.System) *controlloop.Controller {
		s.Client = deaf{s.Client, &held}
		return storage.NewBinder(s)
	}}
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, volume("a", "1Gi", func(v *corev1.PersistentVolume) {
			v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "default", Name: "c"}
		}))
		c.Settle()
		held = true
		kubetest.Create(c, claim("c", "1Gi"))
		c.Settle()
		assert.Equal(t, "c Bound a", claims(c))
		assert.Empty(t, told(c, "ClaimMisbound"))
		held = false
		c.Settle()
		c.AssertQuiet(long)
	})
}

// deaf is a client that delivers no events of volumes while they are
// held.
type deaf struct {
	controlloop.Client
	held *bool
}

// Watch implements controlloop.Client.
func (l deaf) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	w, err := l.Client.Watch(ctx, kind, opts)
	if kind == storage.VolumeKind {
		w = deafWatch{w, l.held}
	}
	return w, err
}

type deafWatch struct {
	controlloop.Watch
	held *bool
}

// TryNext implements controlloop.Watch.
func (w deafWatch) TryNext() (watch.Event, bool, error) {
	if *w.held {
		return watch.Event{}, false, nil
	}
	return w.Watch.TryNext()
}

// A volume whose claim took another is free again; one that was
// reserved by hand stays so.
func TestAVolumeThatItsClaimDidNotTakeIsGivenBack(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		kubetest.Create(c, volume("a", "1Gi"))
		taken := kubetest.Create(c, claim("c", "1Gi"))
		c.Settle()
		uid := kubetest.Get(c, taken).UID
		c.Client.FailNth("update", 1)
		for name, chosen := range map[string]bool{"mine": true, "yours": false} {
			kubetest.Create(c, volume(name, "1Gi", reservedFor("c"), func(v *corev1.PersistentVolume) {
				v.Spec.ClaimRef.UID = uid
				if chosen {
					v.Annotations = map[string]string{"pv.kubernetes.io/bound-by-controller": "yes"}
				}
			}))
		}
		c.Advance(time.Minute)
		assert.True(t, c.Told(kubetest.ErrFailedOnce))
		assert.Equal(t, "a Bound c, mine Available, yours Available c", volumes(c))
		assert.Empty(t, kubetest.Get(c, volume("yours", "1Gi")).Spec.ClaimRef.UID, "the next of that name may have it")
		assert.Empty(t, kubetest.Get(c, volume("mine", "1Gi")).Annotations)
		c.AssertQuiet(long)
	})
}
