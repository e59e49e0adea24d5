package storage_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/kubetest"
)

// A content is what a volume's folder has, and what a container reads there and
// where it has mounted one file of it, as figures/mount.svg has it.
type content struct {
	Links   []link   `json:"links"`
	Folders []string `json:"folders"`
	Held    string   `json:"held"` // the folder of the mounted file, if it is there
	Whole   string   `json:"whole"`
	Part    string   `json:"part"`
}

type link struct {
	Name string `json:"name"`
	To   string `json:"to"`
}

// A ConfigMap is changed while a container has mounted all of it, and one of its
// files by a subPath.
func TestRunOfAConfigMapThatChanges(t *testing.T) {
	var versions []content
	mounts(t, 1, func(m *mounting) {
		config := kubetest.Create(m.Cluster, &corev1.ConfigMap{
			ObjectMeta: object("settings"), Data: map[string]string{"color": "blue", "size": "large"}})
		reader := mounter("reader", configMapVolume("settings", "settings"))
		mounted := &reader.Spec.Containers[0].VolumeMounts
		*mounted = append(*mounted, corev1.VolumeMount{Name: "settings", MountPath: "/one/color", SubPath: "color"})
		m.start(reader)
		_, part := m.at("reader", "/one/color")
		opened, err := part.Stat()
		require.NoError(t, err)
		folder := m.mountAt("reader", "/settings").Source
		look := func() {
			now := content{
				Whole: m.read("reader", "/settings", "color"), Part: contents(part),
			}
			entries, err := os.ReadDir(folder)
			require.NoError(t, err)
			for _, entry := range entries {
				at := filepath.Join(folder, entry.Name())
				if entry.IsDir() {
					now.Folders = append(now.Folders, entry.Name())
					file, err := os.Stat(filepath.Join(at, "color"))
					require.NoError(t, err)
					if os.SameFile(opened, file) {
						now.Held = entry.Name()
					}
					continue
				}
				to, err := os.Readlink(at)
				require.NoError(t, err)
				now.Links = append(now.Links, link{entry.Name(), to})
			}
			versions = append(versions, now)
		}
		look()
		m.Advance(time.Minute)
		kubetest.Edit(m.Cluster, config, func(c *corev1.ConfigMap) { c.Data["color"] = "red" })
		m.Advance(time.Minute)
		look()
	})
	kubetest.RecordedJSON(t, "mount.json", map[string]any{"versions": versions})
}
