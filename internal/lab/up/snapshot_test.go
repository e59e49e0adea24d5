package up_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/lab/up"
)

func TestASnapshotOutlivesTheLab(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Snapshot = filepath.Join(folder, "lab.json")
	first := start(t, opts)
	assert.Contains(t, first.out.String(), "its state is kept in "+opts.Snapshot)
	before := first.create("default", pod("web"))
	first.prints("Container started")
	require.NoError(t, first.stop())

	second := start(t, opts)
	second.prints("Container started")
	pods := second.pods()
	require.Len(t, pods, 1)
	assert.Equal(t, before.UID, pods[0].UID)
	assert.Equal(t, before.CreationTimestamp.Unix(), pods[0].CreationTimestamp.Unix())
	watch, err := second.client().CoreV1().Pods("").Watch(t.Context(),
		metav1.ListOptions{ResourceVersion: before.ResourceVersion})
	require.NoError(t, err)
	err = apierrors.FromObject((<-watch.ResultChan()).Object)
	assert.True(t, apierrors.IsResourceExpired(err), "%v", err)
	require.NoError(t, second.stop())
}

func TestWhatVolumesHoldIsKeptBesideTheSnapshot(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Snapshot = filepath.Join(folder, "lab.json")
	written := filepath.Join(opts.Snapshot+".volumes", "nodes", "node-1", "data", "starts")
	web := pod("web")
	web.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: "/data"}}}}
	web.Spec.InitContainers = []corev1.Container{{
		Name: "count", Image: "busybox:1.36", Command: []string{"sh", "-c", "echo start >> /data/starts"},
		VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
	}}
	for _, want := range []string{"start\n", "start\nstart\n"} {
		l := start(t, opts)
		if want == "start\n" {
			l.create("default", web)
		}
		l.prints(`Successfully pulled image "` + web.Spec.Containers[0].Image + `"`)
		require.NoError(t, l.stop())
		text, err := os.ReadFile(written)
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
	info, err := os.Stat(opts.Snapshot + ".volumes")
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm(), "others on this machine read no Secrets")
	require.NoError(t, os.Remove(opts.Snapshot))
	err = up.Run(t.Context(), opts)
	assert.ErrorContains(t, err, "holds the volumes of another cluster, whose snapshot is gone")
	assert.FileExists(t, written)
	require.NoError(t, os.RemoveAll(opts.Snapshot+".volumes"))
	require.NoError(t, start(t, opts).stop())
}

func TestASnapshotThatCannotBeKeptIsToldAtTheStart(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Snapshot = filepath.Join(folder, "nowhere", "lab.json")
	assert.ErrorContains(t, refused(t, opts), "--snapshot: "+opts.Snapshot+" cannot be written: ")

	opts.Snapshot = filepath.Join(folder, "lab.json")
	require.NoError(t, os.MkdirAll(filepath.Join(opts.Snapshot+".tmp", "full"), 0o755))
	assert.ErrorContains(t, refused(t, opts), "--snapshot: ")
	require.NoError(t, os.RemoveAll(opts.Snapshot+".tmp"))

	require.NoError(t, os.WriteFile(opts.Snapshot, []byte("{"), 0o600))
	assert.ErrorContains(t, refused(t, opts), "--snapshot: "+opts.Snapshot+":1: this is no snapshot: ")
	text, err := os.ReadFile(opts.Snapshot)
	require.NoError(t, err)
	assert.Equal(t, "{", string(text))
	assert.NoFileExists(t, opts.Kubeconfig)
}

func TestASnapshotThatIsNotSavedIsToldAtTheEnd(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Snapshot = filepath.Join(folder, "lab.json")
	l := start(t, opts)
	inTheWay := filepath.Join(opts.Snapshot+".tmp", "full")
	for os.MkdirAll(inTheWay, 0o755) != nil { // the file may be being written
	}
	before, err := os.ReadFile(opts.Snapshot)
	require.NoError(t, err)
	l.create("default", pod("web"))
	l.prints("lab: the state is not saved: ")
	assert.ErrorContains(t, l.stop(), "the file holds what was saved before")
	after, err := os.ReadFile(opts.Snapshot)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
	assert.NoFileExists(t, l.kubeconfig)
	assert.NoFileExists(t, opts.Snapshot+".lock")
}

func TestTheStateIsSavedAgainAndAFullDiskIsToldEachTime(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Snapshot = filepath.Join(folder, "lab.json")
	l := start(t, opts)
	inTheWay := filepath.Join(opts.Snapshot+".tmp", "full")
	for n := range 2 {
		for os.MkdirAll(inTheWay, 0o755) != nil { // the file may be being written
		}
		l.create("default", pod(fmt.Sprint("web-", n)))
		l.printsTimes(n+1, "lab: the state is not saved: ")
		require.NoError(t, os.RemoveAll(opts.Snapshot+".tmp"))
		l.printsTimes(n+1, "lab: the state is saved again\n")
	}
	require.NoError(t, l.stop())
}
