package storage_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// consumers runs a test with a binder, and Consumers to ask about Pods.
func consumers(t *testing.T, test func(c *kubetest.Cluster, consumers *storage.Consumers)) {
	t.Helper()
	setup := binderOnly
	var asked *storage.Consumers
	setup.Controllers = []kubetest.Controller{
		newBackend().provisioner, func(s *controlloop.System) *controlloop.Controller {
			asked = storage.NewConsumers(s)
			return storage.NewBinder(s)
		},
	}
	in(t, setup, func(c *kubetest.Cluster) { test(c, asked) })
}

func unplaced(claims ...string) *corev1.Pod {
	pod := user("p", "")
	pod.Namespace = metav1.NamespaceDefault
	pod.Spec.NodeName, pod.Spec.Volumes = "", nil
	for _, name := range claims {
		pod.Spec.Volumes = append(pod.Spec.Volumes, user("p", name).Spec.Volumes...)
	}
	return pod
}

// The obstacles for which a Pod waits before it may start anywhere.
//
//book:exercise 5h
func TestAPodWaitsForItsClaims(t *testing.T) {
	consumers(t, func(c *kubetest.Cluster, asked *storage.Consumers) {
		kubetest.Create(c, class("immediate"))
		kubetest.Create(c, class("later", delayed))
		kubetest.Create(c, volume("a", "1Gi"))
		kubetest.Create(c, claim("ready", "1Gi"))
		kubetest.Create(c, claim("waits", "9Gi"))
		kubetest.Create(c, claim("later", "1Gi", of("later")))
		kubetest.Create(c, claim("unmade", "1Gi", of("nowhere")))
		kubetest.Create(c, claim("chosen", "1Gi", of("later"), wants("b")))
		lost := claim("lost", "1Gi")
		kubetest.Create(c, volume("l", "1Gi", reservedFor("lost")))
		kubetest.Create(c, lost)
		leaving := claim("leaving", "1Gi")
		leaving.Finalizers = []string{"test/kept"}
		kubetest.Create(c, volume("m", "1Gi", reservedFor("leaving")))
		kubetest.Create(c, leaving)
		both := claim("both", "1Gi")
		both.Finalizers = []string{"test/kept"}
		kubetest.Create(c, volume("b", "1Gi", reservedFor("both")))
		kubetest.Create(c, both)
		c.Settle()
		gone(c, volume("l", "1Gi"))
		gone(c, volume("b", "1Gi"))
		gone(c, leaving)
		gone(c, both)
		c.Settle()
		const unbound = "pod has unbound immediate PersistentVolumeClaims"
		for _, is := range []struct {
			claims []string
			why    string
		}{
			{nil, ""},
			{[]string{"ready"}, ""},
			{[]string{"missing"}, `persistentvolumeclaim "missing" not found`},
			{[]string{"waits"}, unbound},
			{[]string{"later"}, ""},
			{[]string{"unmade"}, unbound},
			{[]string{"chosen"}, unbound},
			{[]string{"lost"}, `persistentvolumeclaim "lost" bound to non-existent persistentvolume "l"`},
			{[]string{"leaving"}, `persistentvolumeclaim "leaving" is being deleted`},
			{[]string{"ready", "later"}, ""},
			{[]string{"ready", "waits"}, unbound},
			{[]string{"waits", "missing"}, `persistentvolumeclaim "missing" not found`},
			{[]string{"both"}, `persistentvolumeclaim "both" bound to non-existent persistentvolume "b"`},
			{[]string{"leaving", "missing"}, `persistentvolumeclaim "leaving" is being deleted`},
			{[]string{"leaving", "lost"}, `persistentvolumeclaim "leaving" is being deleted`},
			{[]string{"lost", "missing"}, `persistentvolumeclaim "lost" bound to non-existent persistentvolume "l"`},
			{[]string{"missing", "lost"}, `persistentvolumeclaim "missing" not found`},
		} {
			assert.Equal(t, is.why, asked.Obstacle(unplaced(is.claims...)), "%v", is.claims)
		}
	})
}

// Half a binding is none: the volume may still turn out to be another's.
//
//book:exercise 5h
func TestAPodDoesNotStartOnHalfABinding(t *testing.T) {
	consumers(t, func(c *kubetest.Cluster, asked *storage.Consumers) {
		kubetest.Create(c, claim("half", "1Gi", wants("a")))
		c.Settle()
		assert.Equal(t, "pod has unbound immediate PersistentVolumeClaims", asked.Obstacle(unplaced("half")))
	})
}

func node(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{corev1.LabelHostname: name},
	}}
}

func onlyOn(node string) volumeChange {
	return func(v *corev1.PersistentVolume) {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
				}},
			}},
		}}
	}
}

func local(c *storagev1.StorageClass) { c.Provisioner = "kubernetes.io/no-provisioner" }

// A disk that is in one machine says where its Pod runs.
//
//book:exercise 5i
func TestALocalVolumeSaysWhereItsPodRuns(t *testing.T) {
	consumers(t, func(c *kubetest.Cluster, asked *storage.Consumers) {
		kubetest.Create(c, class("local", delayed, local))
		kubetest.Create(c, volume("a", "1Gi", inClass("local"), onlyOn("node-1")))
		kubetest.Create(c, claim("c", "1Gi", of("local")))
		kubetest.Create(c, claim("d", "1Gi", of("local")))
		c.Settle()
		pod, both := unplaced("c"), unplaced("c", "d")
		none := []string{"node(s) didn't find available persistent volumes to bind"}
		assert.Empty(t, asked.Refusals(pod, node("node-1")))
		assert.Equal(t, none, asked.Refusals(pod, node("node-2")))
		assert.Equal(t, none, asked.Refusals(both, node("node-1")), "one volume is not two")

		c.Client.FailNth("update", 1)
		_, err := asked.Settle(context.Background(), pod, node("node-1"))
		require.ErrorIs(t, err, kubetest.ErrFailedOnce)
		settled, err := asked.Settle(context.Background(), pod, node("node-1"))
		require.NoError(t, err)
		assert.False(t, settled)
		c.Settle()
		assert.Equal(t, "c Bound a, d Pending", claims(c))
		settled, err = asked.Settle(context.Background(), pod, node("node-1"))
		require.NoError(t, err)
		assert.True(t, settled)
		assert.Equal(t, []string{"node(s) didn't match PersistentVolume's node affinity"},
			asked.Refusals(pod, node("node-2")))
	})
}

// A volume that does not exist yet is made for the node that was chosen.
func TestAVolumeIsMadeForTheNodeOfItsFirstConsumer(t *testing.T) {
	consumers(t, func(c *kubetest.Cluster, asked *storage.Consumers) {
		kubetest.Create(c, class("later", delayed))
		mine := kubetest.Create(c, claim("c", "1Gi", of("later")))
		c.Settle()
		assert.Equal(t, "c Pending", claims(c))
		assert.Contains(t, first(t, c.Events()), "WaitForFirstConsumer persistentvolume-controller: "+
			"waiting for first consumer to be created before binding")
		pod := unplaced("c")
		settled, err := asked.Settle(context.Background(), pod, node("node-2"))
		require.NoError(t, err)
		assert.False(t, settled)
		c.Settle()
		assert.Equal(t, "node-2", kubetest.Get(c, mine).Annotations["volume.kubernetes.io/selected-node"])
		assert.Equal(t, "c Bound pvc-"+string(mine.UID), claims(c))
		assert.Empty(t, asked.Refusals(pod, node("node-1")), "a disk of a network is everywhere")
	})
}

// One volume exists, the other is to be made, and both are settled at once.
func TestAllClaimsOfAPodAreSettledAtOnce(t *testing.T) {
	consumers(t, func(c *kubetest.Cluster, asked *storage.Consumers) {
		kubetest.Create(c, class("later", delayed))
		kubetest.Create(c, volume("a", "1Gi", inClass("later")))
		large := kubetest.Create(c, claim("large", "5Gi", of("later")))
		kubetest.Create(c, claim("small", "1Gi", of("later")))
		c.Settle()
		pod := unplaced("large", "small")
		assert.Empty(t, asked.Refusals(pod, node("node-1")))
		_, err := asked.Settle(context.Background(), pod, node("node-1"))
		require.NoError(t, err)
		c.Settle()
		assert.Equal(t, "large Bound pvc-"+string(large.UID)+", small Bound a", claims(c))
	})
}

func TestAPodWhoseVolumeIsGoneRunsNowhere(t *testing.T) {
	setup := binderOnly
	var asked *storage.Consumers
	setup.Controllers = []kubetest.Controller{func(s *controlloop.System) *controlloop.Controller {
		asked = storage.NewConsumers(s)
		return storage.NewVolumeProtection(s)
	}}
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, claim("c", "1Gi", wants("gone"), func(c *corev1.PersistentVolumeClaim) {
			c.Annotations = map[string]string{completed: "yes"}
		}))
		c.Settle()
		assert.Equal(t, []string{"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"},
			asked.Refusals(unplaced("c"), node("node-1")))
	})
}

// A volume that is being made for one node is promised to it, as long as that
// lasts.
func TestAVolumeThatIsBeingMadeForANodeIsForNoOther(t *testing.T) {
	consumers(t, func(c *kubetest.Cluster, asked *storage.Consumers) {
		kubetest.Create(c, class("slow", delayed, func(c *storagev1.StorageClass) { c.Provisioner = "slow.example.com" }))
		kubetest.Create(c, claim("c", "1Gi", of("slow")))
		c.Settle()
		pod := unplaced("c")
		assert.Empty(t, asked.Refusals(pod, node("node-1")), "one could be made here")
		_, err := asked.Settle(context.Background(), pod, node("node-2"))
		require.NoError(t, err)
		c.Settle()
		assert.Equal(t, []string{"node(s) didn't find available persistent volumes to bind"}, asked.Refusals(pod, node("node-1")))
		assert.Empty(t, asked.Refusals(pod, node("node-2")))
		writes := len(c.Writes())
		settled, err := asked.Settle(context.Background(), pod, node("node-2"))
		require.NoError(t, err)
		assert.False(t, settled)
		assert.Len(t, c.Writes(), writes, "it was written down before")
	})
}

func TestWhichPodsAClaimWaitsForIsSaid(t *testing.T) {
	consumers(t, func(c *kubetest.Cluster, _ *storage.Consumers) {
		kubetest.Create(c, class("later", delayed))
		one, two := unplaced("c"), unplaced("c")
		one.Name, two.Name = "one", "two"
		kubetest.Create(c, two)
		mine := kubetest.Create(c, claim("c", "1Gi", of("later")))
		c.Settle()
		kubetest.Create(c, one)
		kubetest.Edit(c, mine, func(c *corev1.PersistentVolumeClaim) { c.Labels = map[string]string{"a": "b"} })
		c.Settle()
		all := told(c, "WaitForPodScheduled")
		require.Len(t, all, 2)
		const said = "Normal WaitForPodScheduled persistentvolume-controller: "
		assert.Equal(t, []string{said + "waiting for pod two to be scheduled", said + "waiting for pods one,two to be scheduled"}, all)
	})
}

func TestOnePodAtATimeHasAClaimForOnePod(t *testing.T) {
	consumers(t, func(c *kubetest.Cluster, asked *storage.Consumers) {
		kubetest.Create(c, volume("a", "1Gi", can(rwop)))
		kubetest.Create(c, claim("c", "1Gi", by(rwop)))
		other := kubetest.Create(c, user("other", "c"))
		c.Settle()
		assert.Equal(t, []string{"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod " +
			"access mode already in-use by another pod"}, asked.Refusals(unplaced("c"), node("node-1")))
		assert.Empty(t, asked.Refusals(other, node("node-1")), "it has it itself")
		c.DeletePod(other.Name, kubetest.Grace(0))
		waits := unplaced("c")
		waits.Name = "waits"
		kubetest.Create(c, waits)
		ended := controlloop.Copy(kubetest.Create(c, user("ended", "c")))
		ended.Status.Phase = corev1.PodFailed
		_, err := c.Store.UpdateStatus(t.Context(), ended)
		require.NoError(t, err)
		c.Settle()
		assert.Empty(t, asked.Refusals(unplaced("c"), node("node-1")), "whoever is nowhere, or has ended, has nothing")
	})
}
