package storage_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

var secrets = controlloop.Kind{
	GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Secret"), Resource: "secrets", Namespaced: true,
	New: func() controlloop.Object { return &corev1.Secret{} },
}

// mountable returns the kinds that a Pod can mount, without a chapter's rules.
func mountable() controlloop.Kinds {
	core := corev1.SchemeGroupVersion
	return controlloop.CoreKinds().With(
		secrets,
		controlloop.Kind{
			GroupVersionKind: core.WithKind("PersistentVolumeClaim"),
			Resource:         "persistentvolumeclaims", Namespaced: true, HasStatus: true, KeepsStatus: true,
			New: func() controlloop.Object { return &corev1.PersistentVolumeClaim{} },
		},
		controlloop.Kind{
			GroupVersionKind: core.WithKind("PersistentVolume"), Resource: "persistentvolumes",
			New: func() controlloop.Object { return &corev1.PersistentVolume{} },
		},
	)
}

// mounting is a cluster whose Pods mount folders below root, and records what
// their containers see.
type mounting struct {
	*kubetest.Cluster
	t    *testing.T
	root string

	mu   sync.Mutex
	seen map[string][]kubelet.Mount // by Pod
}

// mounts runs a test in a cluster of so many nodes, in a bubble.
func mounts(t *testing.T, nodes int, test func(m *mounting)) {
	t.Helper()
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		m := &mounting{t: t, root: root, seen: map[string][]kubelet.Mount{}}
		m.Cluster = kubetest.New(t, kubetest.Setup{
			Kinds: mountable(), Nodes: nodes, NodeObjects: true, DetectMutations: true,
			Images: simulated.Images{"app": m.app},
			Volumes: func(s *controlloop.System, node string) kubelet.Volumes {
				return storage.NewMounts(s, node, root)
			},
		})
		test(m)
	})
}

// app implements Program: it runs until it is asked to end.
func (m *mounting) app(ctx context.Context, p *simulated.Process) int {
	m.mu.Lock()
	m.seen[p.Pod.Name] = p.Mounts
	m.mu.Unlock()
	return kubetest.Sleeps(0)(ctx, p)
}

// mounter returns a Pod that mounts each of these volumes at /<its name>.
func mounter(name string, volumes ...corev1.Volume) *corev1.Pod {
	c := kubetest.Container("main", "app")
	for _, v := range volumes {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{
			Name: v.Name, MountPath: "/" + v.Name})
	}
	pod := kubetest.Pod(name, c)
	pod.Namespace, pod.Spec.Volumes = metav1.NamespaceDefault, volumes
	return pod
}

// start begins a Pod, and returns it.
func (m *mounting) start(pod *corev1.Pod) *corev1.Pod {
	m.t.Helper()
	pod = kubetest.Create(m.Cluster, pod)
	m.Advance(time.Second)
	return pod
}

// runs reports whether a Pod runs.
func (m *mounting) runs(pod string) bool {
	return m.Pod(pod).Status.Phase == corev1.PodRunning
}

// at opens the file or folder that a Pod sees at a path.
func (m *mounting) at(pod, path string) (*os.Root, *os.File) {
	m.t.Helper()
	mount := m.mountAt(pod, path)
	folder, file, err := storage.Open(mount)
	require.NoError(m.t, err)
	if folder != nil {
		m.t.Cleanup(func() { folder.Close() })
	} else {
		m.t.Cleanup(func() { file.Close() })
	}
	return folder, file
}

func (m *mounting) mountAt(pod, path string) kubelet.Mount {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mount := range m.seen[pod] {
		if mount.Path == path {
			return mount
		}
	}
	require.Fail(m.t, "nothing is mounted", "%s at %s; events: %q", pod, path, m.Events())
	return kubelet.Mount{}
}

// read returns the contents of a file as a Pod sees it, or why it cannot be
// read.
func (m *mounting) read(pod, path, name string) string {
	m.t.Helper()
	folder, file := m.at(pod, path)
	if file != nil {
		return contents(file)
	}
	data, err := folder.ReadFile(name)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(data)
}

func contents(file *os.File) string {
	data, err := io.ReadAll(io.NewSectionReader(file, 0, 1<<20))
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(data)
}

func (m *mounting) write(pod, path, name, text string) {
	m.t.Helper()
	folder, _ := m.at(pod, path)
	require.NoError(m.t, folder.WriteFile(name, []byte(text), 0o644))
}

// waits asserts what a Pod waits for, and that this was reported once.
func (m *mounting) waits(pod, why string) {
	m.t.Helper()
	assert.Equal(m.t, corev1.PodPending, m.Pod(pod).Status.Phase)
	told := 0
	for _, event := range m.Events() {
		if event == "Warning FailedMount kubelet node-1: "+why {
			told++
		}
	}
	assert.Equal(m.t, 1, told, "%q is told once among %q", why, m.Events())
}

// left returns the folders of Pods that are left.
func (m *mounting) left() (names []string) {
	m.t.Helper()
	entries, err := os.ReadDir(filepath.Join(m.root, "pods", "node-1"))
	require.NoError(m.t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func object(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name}
}

func emptyDir(name string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}

func configMapVolume(name, configMap string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: configMap}}}}
}

func claimVolume(name, claim string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}}
}

func ours(handle string) corev1.PersistentVolumeSource {
	return corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
		Driver: storage.Driver, VolumeHandle: handle}}
}

// bind stores a claim and a volume that point to each other.
func (m *mounting) bind(name string, source corev1.PersistentVolumeSource) {
	m.t.Helper()
	claim := kubetest.Create(m.Cluster, boundClaim(name))
	m.make(volumeFor(name, claim.UID, source))
}

// make creates a volume, and its disk as the provisioner would.
func (m *mounting) make(volume *corev1.PersistentVolume) *corev1.PersistentVolume {
	if csi := volume.Spec.CSI; csi != nil && csi.Driver == storage.Driver {
		_ = storage.Folders(m.root).Make(csi.VolumeHandle) // if that is a name
	}
	return kubetest.Create(m.Cluster, volume)
}

func boundClaim(name string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: object(name),
		Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: "pv-" + name},
		Status:     corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound},
	}
}

func volumeFor(
	claim string, uid types.UID, source corev1.PersistentVolumeSource,
) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pv-" + claim},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeSource: source,
			ClaimRef: &corev1.ObjectReference{
				Namespace: metav1.NamespaceDefault, Name: claim, UID: uid},
		},
	}
}
