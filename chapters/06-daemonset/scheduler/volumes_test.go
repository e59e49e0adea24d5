package scheduler_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// withDisks runs a test in a cluster with a scheduler, and one that binds claims.
func withDisks(t *testing.T, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		setup := scheduling()
		setup.Controllers = append(setup.Controllers, storage.NewBinder)
		c := kubetest.New(t, setup)
		kubetest.Create(c, &storagev1.StorageClass{
			ObjectMeta:        metav1.ObjectMeta{Name: "local"},
			Provisioner:       "kubernetes.io/no-provisioner",
			VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
		})
		test(c)
	})
}

// localDisk is a volume of a node.
func localDisk(name, node string) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName: "local", Capacity: kubetest.Resources("storage=1Gi"),
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				Local: &corev1.LocalVolumeSource{Path: "/" + name},
			},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []nodeTerm{{MatchExpressions: []requirement{
					rule(corev1.LabelHostname, in, node)}}},
			}},
		},
	}
}

func localClaim(name string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new("local"),
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:        corev1.VolumeResourceRequirements{Requests: kubetest.Resources("storage=1Gi")},
		},
	}
}

func mounting(claim string) podChange {
	return func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		}}}
	}
}

// The node is chosen before the disk: the other disk would be on a full node.
func TestADiskIsChosenWhereThePodFits(t *testing.T) {
	withDisks(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a", having("cpu=1 pods=10")))
		kubetest.Create(c, server("b"))
		kubetest.Create(c, server("c"))
		kubetest.Create(c, localDisk("disk-a", "a"))
		kubetest.Create(c, localDisk("disk-b", "b"))
		kubetest.Create(c, localClaim("data"))
		kubetest.Create(c, guest("p", mounting("data"), requesting("cpu=2")))
		c.Advance(2 * time.Second)
		assert.Equal(t, "p@b", where(c))
		claim := kubetest.Get(c, localClaim("data"))
		assert.Equal(t, "disk-b", claim.Spec.VolumeName)
	})
}

func TestAPodIsToldWhatItsClaimsLack(t *testing.T) {
	withDisks(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, server("b"))
		kubetest.Create(c, guest("p", mounting("data")))
		c.Settle()
		const inVain = " preemption: 0/2 nodes are available: " +
			"2 Preemption is not helpful for scheduling."
		assert.Equal(t, "0/2 nodes are available: "+
			`persistentvolumeclaim "data" not found.`+inVain, why(c, "p"))
		kubetest.Create(c, localClaim("data"))
		c.Advance(2 * time.Second)
		assert.Equal(t, "0/2 nodes are available: 2 node(s) didn't find "+
			"available persistent volumes to bind."+inVain, why(c, "p"))
		kubetest.Create(c, localDisk("disk-b", "b"))
		c.Advance(15 * time.Second)
		assert.Equal(t, "p@b", where(c))
	})
}

// A claim that only one Pod may have becomes free when that Pod leaves.
func TestAClaimThatIsInUseIsNoReasonForGood(t *testing.T) {
	withDisks(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		claim := localClaim("data")
		claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
		kubetest.Create(c, claim)
		kubetest.Create(c, guest("q", mounting("data"), placedOn("a")))
		kubetest.Create(c, guest("p", mounting("data")))
		c.Settle()
		assert.Equal(t, "0/1 nodes are available: 1 node(s) unavailable due to "+
			"PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod. "+
			"preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
			why(c, "p"))
	})
}

// While its disk is bound, a Pod has its place already.
//
//book:exercise 6n
func TestThePlaceIsKeptUntilTheDiskIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, scheduling()) // nobody binds
		kubetest.Create(c, &storagev1.StorageClass{
			ObjectMeta: metav1.ObjectMeta{Name: "local"}, Provisioner: "disks.example.com",
			VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
		})
		kubetest.Create(c, server("a"))
		kubetest.Create(c, localClaim("data"))
		kubetest.Create(c, guest("p", mounting("data"), requesting("cpu=3")))
		c.Settle()
		assert.Equal(t, "a", kubetest.Get(c, localClaim("data")).
			Annotations["volume.kubernetes.io/selected-node"])
		kubetest.Create(c, guest("q", requesting("cpu=3")))
		c.Advance(time.Minute)
		assert.Equal(t, "p@ q@", where(c))
		c.DeletePod("p", kubetest.Grace(0))
		c.Advance(15 * time.Second)
		assert.Equal(t, "q@a", where(c))
	})
}

// Nobody has asked for it: Pods of one owner are spread over nodes.
func TestPodsOfOneOwnerAreSpreadUnasked(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, replicaSet("web"))
		kubetest.Create(c, server("a", having("cpu=1 memory=1Gi pods=50")))
		kubetest.Create(c, server("b", having("cpu=90 memory=900Gi pods=50")))
		for i := range 4 {
			p := guest("web-"+string(rune('0'+i)), requesting("cpu=10m memory=10Mi"))
			ownedBy(p, "web")
			kubetest.Create(c, p)
			c.Settle()
		}
		assert.Equal(t, "web-0@a web-1@b web-2@b web-3@a", where(c))
		for i := range 4 {
			kubetest.Create(c, guest("x-"+string(rune('0'+i)), requesting("cpu=10m memory=10Mi")))
			c.Settle()
		}
		assert.Contains(t, where(c), "x-0@b x-1@b x-2@b x-3@b", "those of none are not")
	})
}

func TestATermKnowsNamespacesByTheirLabels(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: "other", Labels: map[string]string{"team": "blue"}}})
		kubetest.Create(c, server("a", inZone("1")))
		kubetest.Create(c, server("b", inZone("2")))
		web := guest("web", placedOn("b"))
		web.Namespace = "other"
		kubetest.Create(c, web)
		of := func(team string) podChange {
			return near(zoneKey, labels("app", "web"), func(t *corev1.PodAffinityTerm) {
				t.NamespaceSelector = &metav1.LabelSelector{MatchLabels: labels("team", team)}
			})
		}
		kubetest.Create(c, guest("p", of("blue")))
		kubetest.Create(c, guest("q", of("red")))
		c.Settle()
		assert.Equal(t, "p@b q@ web@b", where(c))
		kubetest.Edit(c, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other"}},
			func(n *corev1.Namespace) { n.Labels["team"] = "red" })
		kubetest.Create(c, guest("r", of("red")))
		kubetest.Create(c, guest("s", of("blue")))
		c.Settle()
		assert.Contains(t, where(c), "r@b s@", "the labels are others")
	})
}
