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
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

func field(path, field string) corev1.DownwardAPIVolumeFile {
	return corev1.DownwardAPIVolumeFile{Path: path, FieldRef: &corev1.ObjectFieldSelector{FieldPath: field}}
}

func amount(path, container, name, divisor string) corev1.DownwardAPIVolumeFile {
	return corev1.DownwardAPIVolumeFile{Path: path, ResourceFieldRef: &corev1.ResourceFieldSelector{
		ContainerName: container, Resource: name, Divisor: resource.MustParse(divisor)}}
}

func about(items ...corev1.DownwardAPIVolumeFile) corev1.Volume {
	return corev1.Volume{Name: "about", VolumeSource: corev1.VolumeSource{
		DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: items}}}
}

func TestAPodReadsAboutItself(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		pod := mounter("web", about(
			field("name", "metadata.name"), field("in/namespace", "metadata.namespace"), field("uid", "metadata.uid"),
			field("labels", "metadata.labels"), field("app", "metadata.labels['app']"),
			field("note", "metadata.annotations['example.com/note']"), field("notes", "metadata.annotations"),
			amount("cpu", "main", "requests.cpu", "0"), amount("millis", "main", "requests.cpu", "1m"),
			amount("memory", "main", "limits.memory", "1Mi"), amount("node", "main", "limits.cpu", "1m")))
		pod.Labels = map[string]string{"app": "web", "tier": "a.b", "a": "1", "b": "2", "c": "3"}
		pod.Annotations = map[string]string{"example.com/note": `x "y"`}
		pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1100m")},
			Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64.5Mi")},
		}
		node := controlloop.Copy(kubetest.Get(m.Cluster, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}))
		node.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8")}
		_, err := m.Store.UpdateStatus(t.Context(), node)
		require.NoError(t, err)
		pod = m.start(pod)
		for file, want := range map[string]string{
			"name": "web", "in/namespace": "default", "uid": string(pod.UID), "app": "web", "note": `x "y"`,
			"labels": "a=\"1\"\napp=\"web\"\nb=\"2\"\nc=\"3\"\ntier=\"a.b\"", "notes": `example.com/note="x \"y\""`,
			"cpu": "2", "millis": "1100", "memory": "65", "node": "8000",
		} {
			assert.Equal(t, want, m.read("web", "/about", file), file)
		}
		kubetest.Edit(m.Cluster, pod, func(p *corev1.Pod) { p.Labels["app"] = "shop" })
		m.Settle()
		assert.Equal(t, "shop", m.read("web", "/about", "app"))
	})
}

func TestWhatCannotBeSaidOfAPodIsRefused(t *testing.T) {
	for want, item := range map[string]corev1.DownwardAPIVolumeFile{
		"unsupported fieldPath: spec.nodeName": field("f", "spec.nodeName"),
		"container other not found":            amount("f", "other", "limits.cpu", "0"),
	} {
		mounts(t, 1, func(m *mounting) {
			m.start(mounter("web", about(item)))
			m.waits("web", `MountVolume.SetUp failed for volume "about" : `+want)
		})
	}
}

// Without a limit the node is the limit, and the node has to be asked.
func TestALimitThatNobodyCanSayIsWaitedFor(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.Advance(time.Second)
		m.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "get" && call.Kind == controlloop.NodeKind {
				return kubetest.ErrFailedOnce
			}
			return nil
		})
		m.start(mounter("web", about(amount("cpu", "main", "limits.cpu", "0"))))
		m.waits("web", `MountVolume.SetUp failed for volume "about" : `+kubetest.ErrFailedOnce.Error())
		m.Client.Repair()
		m.Advance(time.Minute)
		assert.Equal(t, "0", m.read("web", "/about", "cpu"))
	})
}

func TestAVolumeIsProjectedFromManySources(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		named := corev1.LocalObjectReference{Name: "web"}
		pod := mounter("web", corev1.Volume{Name: "all", VolumeSource: corev1.VolumeSource{
			Projected: &corev1.ProjectedVolumeSource{DefaultMode: new(int32(0o440)), Sources: []corev1.VolumeProjection{
				{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: named,
					Items: []corev1.KeyToPath{{Key: "port", Path: "etc/port"}, {Key: "none", Path: "none"}}, Optional: new(true)}},
				{Secret: &corev1.SecretProjection{LocalObjectReference: named}},
				{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{field("etc/name", "metadata.name")}}},
				{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}},
			}}}})
		pod.Spec.ServiceAccountName = "default"
		kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"port": "80"}})
		m.start(pod)
		m.waits("web", `MountVolume.SetUp failed for volume "all" : secret "web" not found`)
		secret := kubetest.Create(m.Cluster, &corev1.Secret{ObjectMeta: object("web"), Data: map[string][]byte{"key": []byte("K")}})
		m.Settle()
		for file, want := range map[string]string{
			"etc/port": "80", "etc/name": "web", "key": "K", "token": "system:serviceaccount:default:default",
		} {
			assert.Equal(t, want, m.read("web", "/all", file), file)
		}
		folder, _ := m.at("web", "/all")
		info, err := folder.Stat("etc/port")
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o440), info.Mode().Perm())
		kubetest.Edit(m.Cluster, secret, func(s *corev1.Secret) { s.Data["key"] = []byte("L") })
		m.Settle()
		assert.Equal(t, "L", m.read("web", "/all", "key"))
	})
}

func TestASourceThatNobodyServesIsRefused(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.start(mounter("web", corev1.Volume{Name: "all", VolumeSource: corev1.VolumeSource{
			Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
				{ClusterTrustBundle: &corev1.ClusterTrustBundleProjection{}}}}}}))
		m.waits("web", `MountVolume.SetUp failed for volume "all" : no volume plugin matched one of its sources`)
	})
}

// Each state is one in which a process can have been killed while it wrote.
func TestAFolderThatWasLeftHalfWrittenIsWritten(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, folder string){
		"an empty one": func(t *testing.T, folder string) {},
		"files, and no link": func(t *testing.T, folder string) {
			dir := filepath.Join(folder, "..2000_01_01_00_00_01.0")
			require.NoError(t, os.Mkdir(dir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "port"), []byte("8"), 0o444))
		},
		"the next link": func(t *testing.T, folder string) {
			require.NoError(t, os.Symlink("..2000_01_01_00_00_00.7", filepath.Join(folder, "..data_tmp")))
		},
		"no names": func(t *testing.T, folder string) {
			dir := filepath.Join(folder, "..2000_01_01_00_00_00.7")
			require.NoError(t, os.Mkdir(dir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "port"), []byte("80"), 0o444))
			require.NoError(t, os.Symlink("..2000_01_01_00_00_00.7", filepath.Join(folder, "..data")))
		},
		"what was before": func(t *testing.T, folder string) {
			for _, dir := range []string{"..2000_01_01_00_00_00.7", "..2000_01_01_00_00_00.8"} {
				require.NoError(t, os.Mkdir(filepath.Join(folder, dir), 0o755))
			}
			require.NoError(t, os.Symlink("..2000_01_01_00_00_00.8", filepath.Join(folder, "..data")))
			require.NoError(t, os.Symlink("..data/old", filepath.Join(folder, "old")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			mounts(t, 1, func(m *mounting) {
				pod := m.start(mounter("web", configMapVolume("etc", "web")))
				folder := filepath.Join(m.root, "pods", "node-1", string(pod.UID), "etc")
				require.NoError(t, os.MkdirAll(folder, 0o777))
				leave(t, folder)
				kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"port": "80"}})
				m.Settle()
				assert.Equal(t, "80", m.read("web", "/etc", "port"))
				entries, err := os.ReadDir(folder)
				require.NoError(t, err)
				assert.Len(t, entries, 3, "nothing is left of before: %v", entries)
			})
		})
	}
}

// Ten times as many Pods that mount something else cost a change nothing.
func TestAChangeCostsWhatIsMountedOfIt(t *testing.T) {
	calls := func(others int) (calls int) {
		mounts(t, 1, func(m *mounting) {
			config := kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"a": "1"}})
			kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("other"), Data: map[string]string{"a": "1"}})
			for i := range others {
				kubetest.Create(m.Cluster, mounter(fmt.Sprint("other-", i), configMapVolume("etc", "other")))
				kubetest.Create(m.Cluster, mounter(fmt.Sprint("waits-", i), configMapVolume("etc", "missing")))
			}
			m.start(mounter("web", configMapVolume("etc", "web")))
			m.Advance(time.Second)
			before := m.Client.Calls()["get"]
			kubetest.Edit(m.Cluster, config, func(c *corev1.ConfigMap) { c.Data = map[string]string{"a": "2"} })
			m.Settle()
			assert.Equal(t, "2", m.read("web", "/etc", "a"))
			calls = m.Client.Calls()["get"] - before
		})
		return calls
	}
	assert.Equal(t, 1, calls(3))
	assert.Equal(t, 1, calls(30))
}
