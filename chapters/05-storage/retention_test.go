package storage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

func ref(kind, name string, uid types.UID, controls *bool) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: map[string]string{"StatefulSet": "apps/v1", "Pod": "v1"}[kind],
		Kind:       kind, Name: name, UID: uid, Controller: controls,
	}
}

// A set of one, web, and the owners that a claim of web-0, which is wanted, or of
// web-1, which is one too many, gets and loses.
//
//book:exercise 5j
func TestWhoOwnsAClaim(t *testing.T) {
	set := web(1)
	set.UID = "web"
	theSet := *metav1.NewControllerRef(set, statefulset.StatefulSetKind)
	thePod := func(name string) metav1.OwnerReference {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
		return *metav1.NewControllerRef(pod, controlloop.PodKind)
	}
	backup, audit := ref("Backup", "b", "b", nil), ref("Audit", "a", "a", new(false))
	another := ref("StatefulSet", "db", "db", new(true))
	type refs = []metav1.OwnerReference
	for _, c := range []struct {
		name   string
		policy setChange
		pod    string
		are    refs
		become refs
		change bool
	}{
		{"nobody, if it is kept", retention(retain, retain), "web-1", nil, nil, false},
		{"the set, with which it goes", retention(remove, retain), "web-0", nil, refs{theSet}, true},
		{"the set, though its Pod is one too many", retention(remove, retain), "web-1", nil, refs{theSet}, true},
		{"the Pod that is one too many", retention(retain, remove), "web-1", nil, refs{thePod("web-1")}, true},
		{"the Pod rather than the set", retention(remove, remove), "web-1", refs{theSet}, refs{thePod("web-1")}, true},
		{"the set again, when its Pod is wanted again", retention(remove, remove), "web-0", refs{thePod("web-0")}, refs{theSet}, true},
		{"not a Pod that is wanted", retention(retain, remove), "web-0", nil, nil, false},
		{"not a Pod that is wanted, though it ends", retention(retain, remove), "web-0 ending", nil, nil, false},
		{"not a Pod that is wanted, though it has failed", retention(retain, remove), "web-0 failed", nil, nil, false},
		{"who owns it already", retention(remove, remove), "web-0", refs{theSet}, refs{theSet}, false},
		{"nobody any more", retention(retain, retain), "web-0", refs{theSet}, nil, true},
		{"others, too, as long as they do not control it", retention(remove, remove), "web-0",
			refs{backup, audit}, refs{backup, audit, theSet}, true},
		{"others alone, if one of them does", retention(remove, remove), "web-0",
			refs{backup, another}, refs{backup, another}, false},
		{"others alone, and the set no more", retention(remove, remove), "web-0",
			refs{ref("StatefulSet", "web", "web", nil), another}, refs{another}, true},
		{"others of the same name as well", retention(remove, remove), "web-0",
			refs{ref("Backup", "web-0", "b", nil)}, refs{ref("Backup", "web-0", "b", nil), theSet}, true},
		{"whom it was to go with: a set of that name", retention(remove, remove), "web-0",
			refs{ref("StatefulSet", "web", "before", nil)}, nil, false},
		{"whom it was to go with: a Pod of that name", retention(remove, remove), "web-0",
			refs{ref("Pod", "web-0", "before", nil)}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.policy(set)
			name, state, _ := strings.Cut(c.pod, " ")
			claim := claim("www-"+name, "1Gi")
			claim.OwnerReferences = c.are
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
			switch state {
			case "ending":
				pod.DeletionTimestamp = &metav1.Time{}
			case "failed":
				pod.Status.Phase = corev1.PodFailed
			}
			owners, change := storage.OwnersOf(claim, set, pod)
			assert.Equal(t, c.change, change, "whether there is something to write")
			if change {
				assert.ElementsMatch(t, c.become, owners)
			}
		})
	}
}

func TestAllClaimsOfAPodGoWithIt(t *testing.T) {
	with(t, func(c *kubetest.Cluster, disks *backend) {
		set := web(2, retention(retain, remove))
		set.Spec.VolumeClaimTemplates = append(set.Spec.VolumeClaimTemplates, *claim("logs", "1Gi", ofAny))
		kubetest.Create(c, set)
		rest(c)
		scale(c, 1)
		rest(c)
		assert.Equal(t, "logs-web-0 Bound, www-web-0 Bound", disksOf(c))
		assert.Len(t, disks.disks, 2)
	})
}

// In order, no Pod is taken away while one that stays does not work. One that a
// user deletes then, or a drain, takes nothing along either.
func TestAPodThatCannotGoYetTakesNothingAlong(t *testing.T) {
	with(t, func(c *kubetest.Cluster, disks *backend) {
		kubetest.Create(c, web(3, retention(retain, remove)))
		rest(c)
		before := claims(c)
		broken(c, "web-0")
		scale(c, 1)
		rest(c)
		c.DeletePod("web-2")
		rest(c)
		assert.Equal(t, "web-0, web-1", names(c))
		assert.Equal(t, before, claims(c))
		assert.Len(t, disks.disks, 3)
		runs(c, "web-0")
		rest(c)
		assert.Equal(t, "web-0", names(c))
		assert.Equal(t, "www-web-0 Bound, www-web-2 Bound", disksOf(c), "web-2 was gone before it had its turn")
	})
}

// In parallel no Pod waits for another, and neither do its claims.
func TestInParallelAClaimGoesWithItsPodAtOnce(t *testing.T) {
	with(t, func(c *kubetest.Cluster, _ *backend) {
		kubetest.Create(c, web(2, retention(retain, remove), func(set *appsv1.StatefulSet) {
			set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
		}))
		rest(c)
		broken(c, "web-0")
		scale(c, 1)
		rest(c)
		assert.Equal(t, "www-web-0 Bound", disksOf(c))
	})
}

// A Pod that is on no node gets one look only: nothing has to end, and it is
// gone with the first deletion.
func TestAllClaimsOfAPodThatNeverStartedGoWithIt(t *testing.T) {
	with(t, func(c *kubetest.Cluster, _ *backend) {
		set := web(1, retention(retain, remove))
		set.Spec.VolumeClaimTemplates = append(set.Spec.VolumeClaimTemplates, *claim("logs", "1Gi", of("nowhere")))
		kubetest.Create(c, set)
		rest(c)
		assert.Equal(t, "logs-web-0 Pending, www-web-0 Bound", disksOf(c))
		scale(c, 0)
		rest(c)
		assert.Empty(t, names(c)+disksOf(c))
	})
}

func TestAPodThatHasItsClaimsIsMadeAtOnce(t *testing.T) {
	with(t, func(c *kubetest.Cluster, _ *backend) {
		kubetest.Create(c, web(1))
		c.Settle()
		assert.Equal(t, "web-0", names(c))
		assert.Equal(t, []string{
			"Normal SuccessfulCreate statefulset-controller: Create Claim www-web-0 Pod web-0 in StatefulSet web success",
			"Normal SuccessfulCreate statefulset-controller: Create Pod web-0 in StatefulSet web successful",
		}, told(c, "SuccessfulCreate"))
	})
}

// A claim that is made again, for a Pod that waits for it, may be refused as any
// other may.
func TestAClaimThatIsRefusedIsTold(t *testing.T) {
	with(t, func(c *kubetest.Cluster, _ *backend) {
		kubetest.Create(c, web(1))
		c.Settle()
		gone(c, claim("www-web-0", "1Gi"))
		c.Client.FailNth("create", 1)
		kubetest.Edit(c, web(0), func(set *appsv1.StatefulSet) { set.Labels = map[string]string{"a": "b"} })
		c.Advance(time.Minute)
		assert.True(t, c.Told(kubetest.ErrFailedOnce))
		assert.Equal(t, []string{"Warning FailedCreate statefulset-controller: Create Claim www-web-0 for Pod web-0 in StatefulSet web " +
			"failed error: " + kubetest.ErrFailedOnce.Error()}, told(c, "FailedCreate"))
		rest(c)
		assert.Equal(t, "www-web-0 Bound", disksOf(c))
	})
}

// A Pod whose claim cannot be had yet is not made, and its set says why.
func TestAPodThatWaitsForItsClaimSaysSo(t *testing.T) {
	leftBehind := func(c *corev1.PersistentVolumeClaim) {
		c.OwnerReferences = []metav1.OwnerReference{ref("Pod", "web-0", "before", new(true))}
	}
	for why, change := range map[string]claimChange{
		"pvc www-web-0 is being deleted":                            func(*corev1.PersistentVolumeClaim) {},
		"pvc www-web-0 is about to go with web-0, as it was before": leftBehind,
	} {
		with(t, func(c *kubetest.Cluster, _ *backend) {
			leaving := claim("www-web-0", "1Gi", ofAny, change)
			leaving.Finalizers = []string{"test/kept"}
			kubetest.Create(c, leaving)
			gone(c, leaving)
			kubetest.Create(c, web(1, retention(retain, remove)))
			c.Settle()
			assert.Equal(t, "Warning FailedCreate statefulset-controller: Create Pod web-0 in StatefulSet web failed error: "+why,
				first(t, told(c, "FailedCreate")))
			assert.Empty(t, names(c))
		})
	}
	with(t, func(c *kubetest.Cluster, _ *backend) {
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "create" && call.Kind == claimKind {
				return kubetest.ErrFailedOnce
			}
			return nil
		})
		kubetest.Create(c, web(1))
		c.Settle()
		require.GreaterOrEqual(t, len(told(c, "FailedCreate")), 2)
		const refused = "Warning FailedCreate statefulset-controller: Create "
		assert.Equal(t, []string{
			refused + "Claim www-web-0 for Pod web-0 in StatefulSet web failed error: " + kubetest.ErrFailedOnce.Error(),
			refused + "Pod web-0 in StatefulSet web failed error: failed to create PVC www-web-0: " + kubetest.ErrFailedOnce.Error(),
		}, told(c, "FailedCreate")[:2])
		assert.Empty(t, names(c))
	})
}

// The claims of a set are where the set is.
//
//book:exercise 5j
func TestAClaimIsInTheNamespaceOfItsSet(t *testing.T) {
	with(t, func(c *kubetest.Cluster, _ *backend) {
		set := web(1)
		set.Namespace = "shop"
		kubetest.Create(c, set)
		c.Settle()
		mine := claim("www-web-0", "1Gi")
		mine.Namespace = set.Namespace
		got, err := c.Store.Get(t.Context(), claimKind, controlloop.KeyOf(mine))
		require.NoError(t, err)
		assert.Equal(t, set.Spec.Selector.MatchLabels, got.GetLabels())
	})
}
