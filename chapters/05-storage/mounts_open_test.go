package storage_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/kubelet"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// part returns a Pod that mounts a part of a claim.
func part(name, subPath string) *corev1.Pod {
	pod := mounter(name, claimVolume("data", "data"))
	pod.Spec.Containers[0].VolumeMounts[0].SubPath = subPath
	return pod
}

func (m *mounting) waiting(pod string) string {
	m.t.Helper()
	waiting := m.Pod(pod).Status.ContainerStatuses[0].State.Waiting
	require.NotNil(m.t, waiting)
	return waiting.Reason + ": " + waiting.Message
}

func TestAPartOfAVolumeIsMountedAndMade(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.bind("data", ours("pv-data"))
		m.start(part("web", "a/b"))
		m.write("web", "/data", "page", "hello")
		assert.FileExists(t, filepath.Join(m.root, "volumes", "pv-data", "a", "b", "page"))
		m.start(part("file", "a/b/page"))
		assert.Equal(t, "hello", m.read("file", "/data", ""))
	})
}

func TestAPartOfAVolumeThatWouldBeOutsideIsRefused(t *testing.T) {
	outside := t.TempDir()
	mounts(t, 1, func(m *mounting) {
		m.bind("data", ours("pv-data"))
		m.start(mounter("maker", claimVolume("data", "data")))
		folder := filepath.Join(m.root, "volumes", "pv-data")
		for name, target := range map[string]string{"away": outside, "up": "../..", "loop": "loop"} {
			require.NoError(t, os.Symlink(target, filepath.Join(folder, name)))
		}
		m.write("maker", "/data", "file", "")
		for path, want := range map[string]string{
			"/abs":       "error SubPath `/abs` must not be an absolute path",
			"../..":      "unable to provision SubPath `../..`: must not contain '..'",
			"away":       `failed to prepare subPath for volumeMount "data" of container "main"`,
			"away/new":   `failed to prepare subPath for volumeMount "data" of container "main"`,
			"up":         `failed to prepare subPath for volumeMount "data" of container "main"`,
			"loop":       `failed to prepare subPath for volumeMount "data" of container "main"`,
			"file/below": `failed to prepare subPath for volumeMount "data" of container "main"`,
		} {
			name := string(rune('a' + len(m.Pods())))
			m.start(part(name, path))
			assert.Equal(t, "CreateContainerConfigError: "+want, m.waiting(name), path)
		}
		entries, err := os.ReadDir(outside)
		require.NoError(t, err)
		assert.Empty(t, entries)
	})
}

// A subPath was looked at, and then an attacker who has the volume puts a link
// where it leads. A container that opens the mount then does not follow it.
func TestALinkThatComesAfterTheLookIsNotFollowed(t *testing.T) {
	outside := t.TempDir()
	mounts(t, 1, func(m *mounting) {
		m.bind("data", ours("pv-data"))
		m.start(part("web", "a/b"))
		mount := m.mountAt("web", "/data")
		before, _, err := storage.Open(mount)
		require.NoError(t, err)
		defer before.Close()
		a := filepath.Join(m.root, "volumes", "pv-data", "a")
		require.NoError(t, os.Rename(a, a+"-was"))
		require.NoError(t, os.Symlink(outside, a))
		require.NoError(t, os.Mkdir(filepath.Join(outside, "b"), 0o755))
		_, _, err = storage.Open(mount)
		assert.Error(t, err)
		require.NoError(t, before.WriteFile("page", nil, 0o644), "what is open is what it was")
		assert.FileExists(t, filepath.Join(a+"-was", "b", "page"))
		require.NoError(t, os.Remove(a))
		require.NoError(t, os.Symlink("../pv-other", a))
		require.NoError(t, os.MkdirAll(filepath.Join(m.root, "volumes", "pv-other", "b"), 0o755))
		_, _, err = storage.Open(mount)
		assert.Error(t, err, "another volume is outside as well")
	})
}

func TestAPartOfAPartStaysWithinIt(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		require.NoError(t, os.MkdirAll(m.disk("data"), 0o755))
		require.NoError(t, os.MkdirAll(m.disk("secret"), 0o755))
		require.NoError(t, os.Symlink("../secret", m.disk("data/link")))
		pod := mounter("web", hostPath("/data", corev1.HostPathDirectory))
		pod.Spec.Containers[0].VolumeMounts[0].SubPath = "link"
		m.start(pod)
		assert.Equal(t, `CreateContainerConfigError: failed to prepare subPath for volumeMount "host" of container "main"`,
			m.waiting("web"), "it is on the node's disk, but not in the volume")
	})
}

func TestAFileHasNoParts(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		require.NoError(t, os.MkdirAll(m.disk("data"), 0o755))
		require.NoError(t, os.WriteFile(m.disk("data/file"), nil, 0o644))
		pod := mounter("web", hostPath("/data/file", corev1.HostPathFile))
		pod.Spec.Containers[0].VolumeMounts[0].SubPath = "in"
		m.start(pod)
		assert.Equal(t, `CreateContainerConfigError: failed to prepare subPath for volumeMount "host" of container "main"`,
			m.waiting("web"))
	})
}

func TestAPartOfAPartIsFoundInIt(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		pod := mounter("web", hostPath("/data", corev1.HostPathUnset))
		pod.Spec.Containers[0].VolumeMounts[0].SubPath = "in"
		m.start(pod)
		m.write("web", "/host", "page", "hello")
		assert.FileExists(t, m.disk("data/in/page"))
	})
}

// A bind mount does not either.
func TestAFileThatIsMountedAloneDoesNotChangeWithItsConfigMap(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		config := kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"port": "80"}})
		pod := mounter("web", configMapVolume("etc", "web"))
		mounted := &pod.Spec.Containers[0].VolumeMounts
		*mounted = append(*mounted, corev1.VolumeMount{Name: "etc", MountPath: "/port", SubPath: "port"})
		m.start(pod)
		_, file := m.at("web", "/port")
		kubetest.Edit(m.Cluster, config, func(c *corev1.ConfigMap) { c.Data = map[string]string{"port": "81"} })
		m.Advance(time.Minute)
		assert.Equal(t, "80", contents(file))
		assert.Equal(t, "81", m.read("web", "/etc", "port"))
	})
}

func TestOfAFileThatCannotBeWrittenThereIsReading(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o644))
	_, file, err := storage.Open(kubelet.Mount{Source: dir, Within: []string{"f"}, ReadOnly: true})
	require.NoError(t, err)
	defer file.Close()
	_, err = file.Write([]byte("y"))
	assert.Error(t, err)
	_, _, err = storage.Open(kubelet.Mount{Source: dir, Within: []string{"f", "g"}})
	assert.Error(t, err)
}

// The way is looked at, and then gone: in between an attacker has the link that
// is on it lead elsewhere.
func TestALinkThatChangesBetweenLookAndOpeningIsNotFollowed(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "inside"), 0o755))
	link, next := filepath.Join(dir, "link"), filepath.Join(dir, "next")
	require.NoError(t, os.Symlink("inside", link))
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			os.Symlink([]string{outside, "inside"}[n%2], next)
			os.Rename(next, link)
		}
	})
	opened, escaped := 0, 0
	for range 20_000 {
		folder, _, err := storage.Open(kubelet.Mount{Source: dir, Within: []string{"link"}})
		if err != nil {
			continue
		}
		opened++
		if _, err := folder.Stat("secret"); err == nil {
			escaped++
		}
		folder.Close()
	}
	close(stop)
	swapping.Wait()
	assert.NotZero(t, opened, "never looked at the right time")
	assert.Zero(t, escaped)
}
