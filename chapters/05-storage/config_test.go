package storage_test

import (
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/kubetest"
)

func TestAPodStartsTheInstantItsConfigMapComes(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.start(mounter("web", configMapVolume("etc", "web")))
		m.waits("web", `MountVolume.SetUp failed for volume "etc" : configmap "web" not found`)
		m.Advance(10 * time.Minute)
		m.waits("web", `MountVolume.SetUp failed for volume "etc" : configmap "web" not found`)
		kubetest.Create(m.Cluster, &corev1.ConfigMap{
			ObjectMeta: object("web"), Data: map[string]string{"port": "80"},
			BinaryData: map[string][]byte{"key": {0, 1}},
		})
		m.Settle()
		assert.True(t, m.runs("web"))
		assert.Equal(t, "80", m.read("web", "/etc", "port"))
		assert.Equal(t, "\x00\x01", m.read("web", "/etc", "key"))
		assert.True(t, m.mountAt("web", "/etc").ReadOnly)
	})
}

func TestASecretIsMountedWithItsModes(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		pod := mounter("web", corev1.Volume{Name: "keys", VolumeSource: corev1.VolumeSource{
			Secret: &corev1.SecretVolumeSource{SecretName: "tls", DefaultMode: new(int32(0o400)), Items: []corev1.KeyToPath{
				{Key: "a", Path: "private/a.key"}, {Key: "b", Path: "b.crt", Mode: new(int32(0o444))},
			}}}})
		m.start(pod)
		m.waits("web", `MountVolume.SetUp failed for volume "keys" : secret "tls" not found`)
		secret := kubetest.Create(m.Cluster, &corev1.Secret{
			ObjectMeta: object("tls"), Data: map[string][]byte{"a": []byte("A"), "c": []byte("C")}})
		m.Settle()
		m.waits("web", `MountVolume.SetUp failed for volume "keys" : references non-existent secret key: b`)
		kubetest.Edit(m.Cluster, secret, func(s *corev1.Secret) { s.Data["b"] = []byte("B") })
		m.Settle()
		require.True(t, m.runs("web"))
		folder, _ := m.at("web", "/keys")
		for file, mode := range map[string]fs.FileMode{"private/a.key": 0o400, "b.crt": 0o444} {
			info, err := folder.Stat(file)
			require.NoError(t, err)
			assert.Equal(t, mode, info.Mode().Perm(), file)
		}
		assert.Equal(t, "A", m.read("web", "/keys", "private/a.key"))
		assert.Contains(t, m.read("web", "/keys", "c"), "no such file")
	})
}

func TestWhatIsOptionalMayCome(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		volume := configMapVolume("etc", "web")
		volume.ConfigMap.Optional = new(true)
		m.start(mounter("web", volume))
		require.True(t, m.runs("web"))
		assert.Contains(t, m.read("web", "/etc", "port"), "no such file")
		config := kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"port": "80"}})
		m.Settle()
		assert.Equal(t, "80", m.read("web", "/etc", "port"))
		require.NoError(t, m.Store.Delete(t.Context(), config.GroupVersionKind(), kubetest.Named("web"), metav1.DeleteOptions{}))
		m.Settle()
		assert.Contains(t, m.read("web", "/etc", "port"), "no such file")
	})
}

// A reader who has opened the directory of one time reads all of that time, and
// one who opens it next all of the next.
func TestAChangeReachesFilesAllAtOnce(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		config := kubetest.Create(m.Cluster, &corev1.ConfigMap{
			ObjectMeta: object("web"), Data: map[string]string{"a": "1", "b": "1", "old": "1"}})
		m.start(mounter("web", configMapVolume("etc", "web")))
		folder, _ := m.at("web", "/etc")
		before, err := folder.Readlink("..data")
		require.NoError(t, err)
		assert.Regexp(t, `^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\d+$`, before)
		link, err := folder.Readlink("a")
		require.NoError(t, err)
		assert.Equal(t, "..data/a", link)
		kubetest.Edit(m.Cluster, config, func(c *corev1.ConfigMap) {
			c.Data = map[string]string{"a": "2", "b": "2", "new": "2"}
		})
		m.Settle()
		for _, file := range []string{"a", "b", "new"} {
			assert.Equal(t, "2", m.read("web", "/etc", file))
		}
		entries, err := fs.ReadDir(folder.FS(), ".")
		require.NoError(t, err)
		var names []string
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), "..2") {
				names = append(names, entry.Name())
			}
		}
		assert.Equal(t, []string{"..data", "a", "b", "new"}, names)
		assert.Len(t, entries, 5, "one directory, of this time")
		after, err := folder.Readlink("..data")
		require.NoError(t, err)
		kubetest.Edit(m.Cluster, config, func(c *corev1.ConfigMap) { c.Labels = map[string]string{"a": "b"} })
		m.Settle()
		still, err := folder.Readlink("..data")
		require.NoError(t, err)
		assert.Equal(t, after, still, "what reads the same is not written again")
	})
}

// A reader that was on its way to a version which has been removed would find
// another one there, half written.
func TestNoVersionHasTheNameOfOneBeforeIt(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		config := kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"port": "0"}})
		m.start(mounter("web", configMapVolume("etc", "web")))
		folder, _ := m.at("web", "/etc")
		var versions []string
		for port := range 12 {
			kubetest.Edit(m.Cluster, config, func(c *corev1.ConfigMap) { c.Data["port"] = strconv.Itoa(port) })
			m.Settle()
			version, err := folder.Readlink("..data")
			require.NoError(t, err)
			require.NotContains(t, versions, version)
			versions = append(versions, version)
		}
	})
}

// "It could not be asked" is not "it is not there".
func TestWhatIsOptionalIsNotTakenForMissing(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		volume := configMapVolume("etc", "web")
		volume.ConfigMap.Optional = new(true)
		kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"port": "80"}})
		m.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "get" && call.Kind.Kind == "ConfigMap" {
				return kubetest.ErrFailedOnce
			}
			return nil
		})
		m.start(mounter("web", volume))
		assert.False(t, m.runs("web"), "it would not find what it needs")
		m.Client.Repair()
		m.Advance(time.Minute)
		assert.Equal(t, "80", m.read("web", "/etc", "port"))
	})
}

// It may be optional, and is not.
func TestWhatIsNotOptionalIsWaitedFor(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		volume := configMapVolume("etc", "web")
		volume.ConfigMap.Optional = new(false)
		m.start(mounter("web", volume))
		m.waits("web", `MountVolume.SetUp failed for volume "etc" : configmap "web" not found`)
	})
}

func TestAConfigMapThatIsDeletedStaysWithThoseWhoHaveIt(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		config := kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"a": "1"}})
		m.start(mounter("web", configMapVolume("etc", "web")))
		require.NoError(t, m.Store.Delete(t.Context(), config.GroupVersionKind(), kubetest.Named("web"), metav1.DeleteOptions{}))
		m.Advance(time.Minute)
		assert.Equal(t, "1", m.read("web", "/etc", "a"))
		kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"a": "2"}})
		m.Settle()
		assert.Equal(t, "2", m.read("web", "/etc", "a"))
	})
}

func TestAPodThatHasEndedGetsNoMoreFiles(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		config := kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"a": "1"}})
		m.SetImage("job", kubetest.Exits(10*time.Second, 0))
		pod := mounter("job", configMapVolume("etc", "web"))
		pod.Spec.RestartPolicy, pod.Spec.Containers[0].Image = corev1.RestartPolicyNever, "job"
		m.start(pod)
		assert.Len(t, m.left(), 1)
		m.Advance(time.Minute)
		assert.Empty(t, m.left())
		kubetest.Edit(m.Cluster, config, func(c *corev1.ConfigMap) { c.Data["a"] = "2" })
		m.Settle()
		assert.Empty(t, m.left())
	})
}
