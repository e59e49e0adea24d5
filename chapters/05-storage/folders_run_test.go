package storage_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/kubetest"
)

// A Pod mounts a scratch folder, a ConfigMap and a path of its node, and goes.
func TestRunOfWhatAPodLeavesOnDisk(t *testing.T) {
	var log bytes.Buffer
	mounts(t, 1, func(m *mounting) {
		kubetest.Create(m.Cluster, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: metav1.NamespaceDefault},
			Data:       map[string]string{"color": "blue"},
		})
		path := corev1.HostPathDirectoryOrCreate
		pod := m.start(mounter("reader",
			corev1.Volume{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			corev1.Volume{Name: "settings", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}}}},
			corev1.Volume{Name: "logs", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{
				Path: "/var/log", Type: &path}}},
		))
		fmt.Fprintln(&log, "# part: there")
		log.WriteString(m.tree(t, string(pod.UID)))
		m.DeletePod("reader", kubetest.Grace(0))
		m.Settle()
		fmt.Fprintln(&log, "# part: gone")
		log.WriteString(m.tree(t, string(pod.UID)))
	})
	kubetest.Recorded(t, "folders.txt", log.Bytes())
}

// tree lists the files below the root. uid is written as UID.
func (m *mounting) tree(t *testing.T, uid string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(m.root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == m.root {
			return err
		}
		rest, err := filepath.Rel(m.root, at)
		if err != nil {
			return err
		}
		name := strings.ReplaceAll(d.Name(), uid, "UID")
		if d.Type() == fs.ModeSymlink {
			to, err := os.Readlink(at)
			if err != nil {
				return err
			}
			name += " -> " + to
		}
		fmt.Fprintf(&all, "%s%s\n", strings.Repeat("  ", strings.Count(rest, string(filepath.Separator))), name)
		return nil
	})
	require.NoError(t, err)
	return all.String()
}
