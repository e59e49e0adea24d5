package storage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

func hostPath(path string, kind corev1.HostPathType) corev1.Volume {
	return corev1.Volume{Name: "host", VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: path, Type: &kind}}}
}

// disk returns a path on the disk of the first node.
func (m *mounting) disk(path string) string {
	return filepath.Join(m.root, "nodes", "node-1", path)
}

func TestAPathOfTheNodeIsOfTheTypeThatIsAskedFor(t *testing.T) {
	const failed = `MountVolume.SetUp failed for volume "host" : hostPath type check failed`
	for name, c := range map[string]struct {
		path string
		kind corev1.HostPathType
		why  string // "": it runs
	}{
		"a directory":                    {"/dir", corev1.HostPathDirectory, ""},
		"a file":                         {"/dir/file", corev1.HostPathFile, ""},
		"whatever is there":              {"/dir/file", corev1.HostPathUnset, ""},
		"a directory, made":              {"/a/b", corev1.HostPathDirectoryOrCreate, ""},
		"made without being asked":       {"/a/b", corev1.HostPathUnset, ""},
		"a file, made":                   {"/dir/new", corev1.HostPathFileOrCreate, ""},
		"a directory that was there":     {"/dir", corev1.HostPathDirectoryOrCreate, ""},
		"the node's root":                {"/", corev1.HostPathDirectory, ""},
		"no directory":                   {"/no", corev1.HostPathDirectory, `, /no is not a directory, unable to determine its type: path "/no" does not exist`},
		"no file":                        {"/no", corev1.HostPathFile, `, /no is not a file, unable to determine its type: path "/no" does not exist`},
		"a file where a directory is":    {"/dir", corev1.HostPathFile, `: /dir is not a file, it's a Directory`},
		"a directory where a file is":    {"/dir/file", corev1.HostPathDirectoryOrCreate, `: /dir/file is not a directory, it's a File`},
		"a socket":                       {"/dir", corev1.HostPathSocket, `: /dir is not a socket file, it's a Directory`},
		"a character device":             {"/dir/file", corev1.HostPathCharDev, `: /dir/file is not a character device, it's a File`},
		"a block device that is missing": {"/no", corev1.HostPathBlockDev, `, /no is not a block device, unable to determine its type: path "/no" does not exist`},
	} {
		t.Run(name, func(t *testing.T) {
			mounts(t, 1, func(m *mounting) {
				require.NoError(t, os.MkdirAll(m.disk("dir"), 0o755))
				require.NoError(t, os.WriteFile(m.disk("dir/file"), nil, 0o644))
				m.start(mounter("web", hostPath(c.path, c.kind)))
				if c.why != "" {
					m.waits("web", failed+c.why)
					return
				}
				require.True(t, m.runs("web"), "%q", m.Events())
				assert.FileExists(t, m.disk("dir/file"))
				_, err := os.Stat(m.disk(c.path))
				assert.NoError(t, err)
			})
		})
	}
}

func TestTheDiskOfANodeIsThatOfAllItsPodsAndNoOther(t *testing.T) {
	mounts(t, 2, func(m *mounting) {
		for name, node := range map[string]string{"a": "node-1", "b": "node-1", "c": "node-2"} {
			pod := mounter(name, hostPath("/data", corev1.HostPathDirectoryOrCreate))
			pod.Spec.NodeName = node
			m.start(pod)
		}
		m.write("a", "/host", "page", "hello")
		assert.Equal(t, "hello", m.read("b", "/host", "page"))
		assert.Contains(t, m.read("c", "/host", "page"), "no such file")
		m.DeletePod("a")
		m.DeletePod("b")
		m.Advance(time.Minute)
		assert.FileExists(t, m.disk("data/page"), "what is the node's stays")
	})
}

func TestAPathThatAppearsIsFoundWithoutBeingTold(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.start(mounter("web", hostPath("/late", corev1.HostPathDirectory)))
		m.Advance(time.Hour)
		require.NoError(t, os.MkdirAll(m.disk("late"), 0o755))
		m.Advance(2*time.Minute + 2*time.Second)
		assert.True(t, m.runs("web"), "asked again every 2m2s, at the latest")
	})
}

// A container that may write on the node's disk has made the links. All of them
// lead to this machine, from outside of a container.
func TestNoLinkOnANodesDiskLeadsToThisMachine(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	for name, path := range map[string]string{
		"absolute": "/absolute", "relative": "/relative", "on the way": "/absolute/new", "a file": "/file", "around": "/loop",
	} {
		for _, kind := range []corev1.HostPathType{corev1.HostPathUnset, corev1.HostPathDirectory,
			corev1.HostPathDirectoryOrCreate, corev1.HostPathFile, corev1.HostPathFileOrCreate} {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				mounts(t, 1, func(m *mounting) {
					require.NoError(t, os.MkdirAll(m.disk("/"), 0o755))
					up, err := filepath.Rel(m.disk("/"), outside)
					require.NoError(t, err)
					for name, target := range map[string]string{"absolute": outside, "relative": up,
						"file": filepath.Join(outside, "secret"), "loop": "loop"} {
						require.NoError(t, os.Symlink(target, m.disk(name)))
					}
					m.start(mounter("web", hostPath(path, kind)))
					assert.False(t, m.runs("web"))
					entries, err := os.ReadDir(outside)
					require.NoError(t, err)
					assert.Len(t, entries, 1)
				})
			})
		}
	}
}

func TestNoPathHasAWayUp(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.start(mounter("web", hostPath("/data/../../..", corev1.HostPathUnset)))
		m.waits("web", "MountVolume.SetUp failed for volume \"host\" : invalid HostPath `/data/../../..`: must not contain '..'")
		for i, source := range []corev1.PersistentVolumeSource{
			ours("../pods"), ours(".."), ours("a/b"), ours(""),
			{NFS: &corev1.NFSVolumeSource{Server: "../..", Path: "/"}},
			{NFS: &corev1.NFSVolumeSource{Server: "files", Path: "/../../x"}},
			{Local: &corev1.LocalVolumeSource{Path: "/../.."}},
		} {
			name := string(rune('a' + i))
			m.bind(name, source)
			m.start(mounter(name, claimVolume("data", name)))
			assert.False(t, m.runs(name), "%v", source)
		}
		m.waits("f", `MountVolume.SetUp failed for volume "pv-f" : invalid path: /../../x must not contain '..'`)
	})
}

func TestALocalVolumeIsADiskThatSomebodyHasPutThere(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.bind("data", corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: "/mnt/disks/ssd1"}})
		m.start(mounter("web", claimVolume("data", "data")))
		m.waits("web", `MountVolume.NewMounter initialization failed for volume "pv-data" : path "/mnt/disks/ssd1" does not exist`)
		m.start(mounter("setup", hostPath("/mnt/disks/ssd1", corev1.HostPathDirectoryOrCreate)))
		m.Advance(time.Minute)
		m.write("web", "/data", "page", "hello")
		assert.Equal(t, "hello", m.read("setup", "/host", "page"))
	})
}

func TestAVolumeCanBeAPathOfTheNode(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.bind("data", corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/mnt/data"}})
		m.start(mounter("web", claimVolume("data", "data")))
		m.write("web", "/data", "page", "hello")
		assert.FileExists(t, m.disk("mnt/data/page"))
	})
}

func TestWhatAFileServerExportsIsSeenByAllNodes(t *testing.T) {
	mounts(t, 2, func(m *mounting) {
		m.bind("data", corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Server: "172.17.0.2", Path: "/srv/nfs"}})
		m.bind("same", corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Server: "172.17.0.2", Path: "/srv", ReadOnly: true}})
		first := mounter("a", claimVolume("data", "data"))
		first.Spec.NodeName = "node-1"
		second := mounter("b", claimVolume("data", "same"))
		second.Spec.NodeName = "node-2"
		m.start(first)
		m.start(second)
		m.write("a", "/data", "page", "hello")
		assert.Equal(t, "hello", m.read("b", "/data", "nfs/page"))
		assert.True(t, m.mountAt("b", "/data").ReadOnly)
	})
}

func TestWhatNobodyServesIsRefusedByName(t *testing.T) {
	for name, c := range map[string]struct {
		volume corev1.Volume
		why    string
	}{
		"inline": {corev1.Volume{Name: "disk", VolumeSource: corev1.VolumeSource{ISCSI: &corev1.ISCSIVolumeSource{}}},
			`Unable to attach or mount volumes: unmounted volumes=[disk], unattached volumes=[], failed to process volumes=[disk]: ` +
				`failed to get Plugin from volumeSpec for volume "disk" err=no volume plugin matched`},
		"claimed": {claimVolume("disk", "rbd"),
			`Unable to attach or mount volumes: unmounted volumes=[disk], unattached volumes=[], failed to process volumes=[disk]: ` +
				`failed to get Plugin from volumeSpec for volume "pv-rbd" err=no volume plugin matched`},
		"a driver": {claimVolume("disk", "csi"),
			`MountVolume.MountDevice failed for volume "pv-csi" : kubernetes.io/csi: attacher.MountDevice failed to create ` +
				`newCsiDriverClient: driver name ebs.csi.aws.com not found in the list of registered CSI drivers`},
		"a device": {claimVolume("disk", "block"),
			`Unable to attach or mount volumes: unmounted volumes=[disk], unattached volumes=[], failed to process volumes=[disk]: ` +
				`volume disk has volumeMode Block, but is specified in volumeMounts`},
		"another Pod's": {corev1.Volume{Name: "disk", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}},
			`Unable to attach or mount volumes: unmounted volumes=[disk], unattached volumes=[], failed to process volumes=[disk]: ` +
				`PVC default/web-disk was not created for pod default/web (pod is not owner)`},
	} {
		t.Run(name, func(t *testing.T) {
			mounts(t, 1, func(m *mounting) {
				m.bind("rbd", corev1.PersistentVolumeSource{RBD: &corev1.RBDPersistentVolumeSource{}})
				m.bind("csi", corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com"}})
				m.bind("web-disk", ours("web-disk"))
				claim := kubetest.Create(m.Cluster, boundClaim("block"))
				volume := volumeFor("block", claim.UID, ours("block"))
				volume.Spec.VolumeMode = new(corev1.PersistentVolumeBlock)
				kubetest.Create(m.Cluster, volume)
				m.start(mounter("web", c.volume))
				m.waits("web", c.why)
			})
		})
	}
}

func TestAVolumeCanLiveAsLongAsItsPod(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		pod := m.start(mounter("web", corev1.Volume{Name: "disk", VolumeSource: corev1.VolumeSource{
			Ephemeral: &corev1.EphemeralVolumeSource{}}}))
		claim := boundClaim("web-disk")
		claim.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pod, controlloop.PodKind)}
		claim = kubetest.Create(m.Cluster, claim)
		m.make(volumeFor("web-disk", claim.UID, ours("pv")))
		m.Settle()
		assert.True(t, m.runs("web"), "%q", m.Events())
	})
}

func TestAClaimCanBeMountedForReading(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.bind("data", ours("pv-data"))
		reads := claimVolume("reads", "data")
		reads.PersistentVolumeClaim.ReadOnly = true
		m.start(mounter("web", reads, claimVolume("writes", "data")))
		assert.True(t, m.mountAt("web", "/reads").ReadOnly)
		assert.False(t, m.mountAt("web", "/writes").ReadOnly)
	})
}

func TestAVolumeSaysThatItIsForReading(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		source := ours("pv-data")
		source.CSI.ReadOnly = true
		m.bind("data", source)
		m.start(mounter("web", claimVolume("data", "data"), emptyDir("scratch")))
		assert.True(t, m.mountAt("web", "/data").ReadOnly)
		for _, path := range []string{"/data", "/scratch"} {
			folder, _ := m.at("web", path)
			info, err := folder.Stat(".")
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o777), info.Mode().Perm(), "everybody may write")
		}
	})
}

// Nothing is locked for this machine's root: run it as another user.
func TestWhatAContainerHasLockedGoesWithItsPod(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.start(mounter("web", emptyDir("scratch")))
		folder, _ := m.at("web", "/scratch")
		require.NoError(t, folder.MkdirAll("a/b/c", 0o755))
		require.NoError(t, folder.WriteFile("a/b/f", nil, 0o644))
		for _, locked := range []string{"a/b/c", "a/b", "a", "."} {
			require.NoError(t, folder.Chmod(locked, 0))
		}
		m.DeletePod("web")
		m.Advance(time.Minute)
		assert.Empty(t, m.left())
	})
}

// A volume that was emptied by hand is not taken for one that is new.
func TestADiskThatIsGoneIsNotMadeAgain(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.bind("data", ours("pv-data"))
		disk := filepath.Join(m.root, "volumes", "pv-data")
		require.NoError(t, os.RemoveAll(disk))
		m.start(mounter("web", claimVolume("data", "data")))
		m.waits("web", fmt.Sprintf("MountVolume.NewMounter initialization failed for "+
			"volume %q : path %q does not exist", "pv-data", disk))
		require.NoError(t, os.Mkdir(disk, 0o777))
		m.Advance(time.Minute)
		assert.True(t, m.runs("web"))
	})
}
