package storage_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

const (
	rwo  = corev1.ReadWriteOnce
	rox  = corev1.ReadOnlyMany
	rwx  = corev1.ReadWriteMany
	rwop = corev1.ReadWriteOncePod
)

// The choice of a claim among several volumes that have existed for a while.
//
//book:exercise 5a
func TestAClaimGetsTheSmallestThatFits(t *testing.T) {
	for _, c := range []struct {
		name    string
		claim   *corev1.PersistentVolumeClaim
		volumes []*corev1.PersistentVolume
		gets    string
	}{
		{"the smallest", claim("c", "5Gi"), []*corev1.PersistentVolume{
			volume("a", "20Gi"), volume("b", "8Gi"), volume("d", "10Gi"),
		}, "b"},
		{"not too small", claim("c", "5Gi"), []*corev1.PersistentVolume{
			volume("a", "4Gi"), volume("b", "5368709119"), volume("d", "100Gi"),
		}, "d"},
		{"as large is large enough", claim("c", "5Gi"), []*corev1.PersistentVolume{
			volume("a", "6Gi"), volume("b", "5120Mi"),
		}, "b"},
		{"of its class", claim("c", "5Gi", of("fast")), []*corev1.PersistentVolume{
			volume("a", "5Gi"), volume("b", "50Gi", inClass("fast")), volume("d", "5Gi", inClass("slow")),
		}, "b"},
		{"of no class", claim("c", "5Gi"), []*corev1.PersistentVolume{
			volume("a", "5Gi", inClass("fast")), volume("b", "9Gi"),
		}, "b"},
		{"of its attributes", claim("c", "5Gi", withAttributes("gold")), []*corev1.PersistentVolume{
			volume("a", "5Gi"), volume("b", "50Gi", hasAttributes("gold")), volume("d", "5Gi", hasAttributes("tin")),
		}, "b"},
		{"of no attributes, said or unsaid", claim("c", "5Gi", withAttributes("")), []*corev1.PersistentVolume{
			volume("a", "5Gi", hasAttributes("gold")), volume("b", "9Gi"),
		}, "b"},
		{"a reservation of other attributes is none", claim("c", "1Gi"), []*corev1.PersistentVolume{
			volume("a", "9Gi"), volume("b", "1Gi", hasAttributes("gold"), reservedFor("c")),
		}, "a"},
		{"of its mode", claim("c", "5Gi", blocks), []*corev1.PersistentVolume{
			volume("a", "5Gi"), volume("b", "50Gi", isBlock),
		}, "b"},
		{"all that was asked", claim("c", "5Gi", by(rwo, rox)), []*corev1.PersistentVolume{
			volume("a", "5Gi"), volume("b", "5Gi", can(rox)), volume("d", "50Gi", can(rwx, rox, rwo)),
		}, "d"},
		{"as little more as can be", claim("c", "5Gi", by(rwo)), []*corev1.PersistentVolume{
			volume("a", "5Gi", can(rwo, rwx, rox)), volume("b", "50Gi", can(rwo, rwx)),
		}, "b"},
		{"no more comes first, whatever the size", claim("c", "1Gi", by(rwo)), []*corev1.PersistentVolume{
			volume("a", "1Gi", can(rwo, rwx)), volume("b", "100Gi", can(rwo)),
		}, "b"},
		{"only for one Pod", claim("c", "5Gi", by(rwop)), []*corev1.PersistentVolume{
			volume("a", "5Gi", can(rwo, rwx, rox)), volume("b", "5Gi", can(rwop)),
		}, "b"},
		{"what its selector takes", claim("c", "1Gi", selecting("zone", "b")), []*corev1.PersistentVolume{
			volume("a", "1Gi", labelled("zone", "a")), volume("b", "3Gi", labelled("zone", "b")), volume("d", "1Gi"),
		}, "b"},
		{"what is reserved for it", claim("c", "1Gi"), []*corev1.PersistentVolume{
			volume("a", "1Gi"), volume("b", "9Gi", reservedFor("c")),
		}, "b"},
		{"a reservation of any class and with any labels", claim("c", "1Gi", of("x"), selecting("a", "b")),
			[]*corev1.PersistentVolume{volume("b", "9Gi", reservedFor("c"))}, "b"},
		{"a reservation that is too small is none", claim("c", "2Gi"), []*corev1.PersistentVolume{
			volume("a", "2Gi"), volume("b", "1Gi", reservedFor("c")),
		}, "a"},
		{"a reservation of another mode is none", claim("c", "1Gi"), []*corev1.PersistentVolume{
			volume("a", "9Gi"), volume("b", "1Gi", isBlock, reservedFor("c")),
		}, "a"},
		{"a reservation that can do less is none", claim("c", "1Gi", by(rwx)), []*corev1.PersistentVolume{
			volume("a", "9Gi", can(rwx)), volume("b", "1Gi", can(rwo), reservedFor("c")),
		}, "a"},
		{"a reservation that can do more waits its turn", claim("c", "1Gi"), []*corev1.PersistentVolume{
			volume("a", "1Gi", can(rwo)), volume("b", "1Gi", can(rwo, rwx), reservedFor("c")),
		}, "a"},
		{"a reservation's turn comes before what can do as much", claim("c", "1Gi"), []*corev1.PersistentVolume{
			volume("a", "1Gi", can(rwo, rwx)), volume("b", "9Gi", can(rwo, rox), reservedFor("c")),
		}, "b"},
		{"what can do more, where what cannot is too small", claim("c", "5Gi"), []*corev1.PersistentVolume{
			volume("a", "1Gi", can(rwo)), volume("b", "5Gi", can(rwo, rwx)),
		}, "b"},
		{"not what is reserved for another", claim("c", "1Gi"), []*corev1.PersistentVolume{
			volume("a", "1Gi", reservedFor("d")), volume("b", "9Gi"),
		}, "b"},
		{"nothing", claim("c", "5Gi"), []*corev1.PersistentVolume{volume("a", "4Gi")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, binderOnly, func(cl *kubetest.Cluster) {
				for _, v := range c.volumes {
					kubetest.Create(cl, v)
				}
				cl.Settle()
				kubetest.Create(cl, c.claim)
				cl.Settle()
				assert.Equal(t, c.gets, kubetest.Get(cl, c.claim).Spec.VolumeName)
			})
		})
	}
}

// A volume that is about to go, or has been let go of, is not to be had.
//
//book:exercise 5a
func TestAClaimGetsNothingThatIsOnItsWayOut(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		guarded := volume("a", "1Gi")
		guarded.Finalizers = []string{"test/kept"}
		kubetest.Create(c, guarded)
		kubetest.Create(c, volume("b", "1Gi", func(v *corev1.PersistentVolume) {
			v.Spec.ClaimRef = &corev1.ObjectReference{
				Namespace: metav1.NamespaceDefault, Name: "gone", UID: "gone",
			}
		}))
		c.Settle()
		gone(c, guarded)
		kubetest.Create(c, claim("c", "1Gi"))
		c.Settle()
		assert.Equal(t, "c Pending", claims(c))
		assert.Equal(t, "a Terminating, b Released gone", volumes(c))
		kubetest.Create(c, volume("d", "9Gi"))
		c.Settle()
		assert.Equal(t, "c Bound d", claims(c))
	})
}

// Events tell which volumes have been taken, and events are late.
//
//book:exercise 5a
func TestWhatTheCacheShowsFreeMayHaveBeenTaken(t *testing.T) {
	given := volume("a", "1Gi")
	supply := suppliedWith(t, given, volume("b", "9Gi"))
	require.Equal(t, "a", supply.Choose(claim("c", "1Gi"), nil))
	supply.Give(given)
	require.Equal(t, "b", supply.Choose(claim("c", "1Gi"), nil))
}

// A claim that asks for a Pod takes only volumes within reach of the Pod's
// node.
//
//book:exercise 5a
func TestAClaimGetsOnlyWhatWillDo(t *testing.T) {
	supply := suppliedWith(t, volume("a", "1Gi"), volume("b", "2Gi"), volume("d", "3Gi"))
	mine := claim("c", "1Gi")
	not := func(names ...string) func(string) bool {
		return func(name string) bool { return !slices.Contains(names, name) }
	}
	assert.Equal(t, "b", supply.Choose(mine, not("a")), "a will not do")
	assert.Equal(t, "d", supply.Choose(mine, not("a", "b")), "neither a nor b will")
	assert.Empty(t, supply.Choose(mine, not("a", "b", "d")), "none will")
	supply = suppliedWith(t, volume("a", "1Gi"), volume("e", "9Gi", reservedFor("c")))
	assert.Equal(t, "e", supply.Choose(mine, not("e")), "of the reserved one it isn't asked")
}

// suppliedWith returns a supply that has heard of these volumes,
// all of them available.
func suppliedWith(t *testing.T, volumes ...*corev1.PersistentVolume) storage.Supply {
	t.Helper()
	store := controlloop.NewStore(allKinds)
	system := &controlloop.System{Client: store}
	supply := storage.NewSupply(system)
	for _, v := range volumes {
		stored, err := store.Create(t.Context(), v)
		require.NoError(t, err)
		next := controlloop.Copy(stored.(*corev1.PersistentVolume))
		next.Status.Phase = corev1.VolumeAvailable
		_, err = store.UpdateStatus(t.Context(), next)
		require.NoError(t, err)
	}
	for more := true; more; {
		var err error
		more, err = system.Step(t.Context(), controlloop.InOrder)
		require.NoError(t, err)
	}
	return supply
}

// Volumes that come later are given to claims that have waited, whichever comes
// first, until none is left.
func TestAVolumeThatComesLaterIsGivenToAClaimThatWaits(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		kubetest.Create(c, claim("large", "10Gi"))
		kubetest.Create(c, claim("small", "1Gi"))
		kubetest.Create(c, claim("picky", "1Gi", selecting("a", "b")))
		kubetest.Create(c, claim("classy", "1Gi", of("fast")))
		c.Settle()
		kubetest.Create(c, volume("a", "5Gi"))
		c.Settle()
		assert.Equal(t, "classy Pending, large Pending, picky Pending, small Bound a", claims(c))
		for _, v := range []*corev1.PersistentVolume{
			volume("b", "50Gi"), volume("d", "1Gi", labelled("a", "b")), volume("e", "1Gi", inClass("fast")),
		} {
			kubetest.Create(c, v)
		}
		c.Settle()
		assert.Equal(t, "classy Bound e, large Bound b, picky Bound d, small Bound a", claims(c))
		kubetest.Create(c, claim("huge", "100Gi", by(rwx)))
		kubetest.Create(c, claim("late", "1Gi"))
		c.Settle()
		kubetest.Create(c, volume("f", "5Gi", can(rwo, rwx)))
		c.Settle()
		assert.Contains(t, claims(c), "huge Pending, large Bound b, late Bound f")
	})
}

// Two claims and two volumes at once: each gets one, though both would like the
// same.
//
//book:exercise 5c
func TestTwoClaimsNeverGetOneVolume(t *testing.T) {
	for seed := range uint64(50) {
		setup := binderOnly
		setup.Seed = seed + 1
		in(t, setup, func(c *kubetest.Cluster) {
			for _, obj := range []controlloop.Object{
				claim("c", "1Gi"), volume("a", "1Gi"), claim("d", "1Gi"), volume("b", "2Gi"),
			} {
				kubetest.Create(c, obj)
			}
			c.Settle()
			one := kubetest.Get(c, claim("c", "1Gi")).Spec.VolumeName
			other := kubetest.Get(c, claim("d", "1Gi")).Spec.VolumeName
			require.ElementsMatch(t, []string{"a", "b"}, []string{one, other}, "seed %d", seed+1)
			c.AssertQuiet(long)
		})
	}
}
