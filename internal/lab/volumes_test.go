package lab_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/lab"
)

// bind stores a claim, and a volume that is reserved for it.
func (f fixture) bind(name string) {
	f.t.Helper()
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	f.create(&corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: modes, VolumeName: "pv-" + name, StorageClassName: new(string),
			Resources: corev1.VolumeResourceRequirements{Requests: size},
		},
	})
	f.create(&corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pv-" + name},
		Spec: corev1.PersistentVolumeSpec{
			AccessModes: modes, Capacity: size,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
				Driver: storage.Driver, VolumeHandle: "pv-" + name}},
			ClaimRef: &corev1.ObjectReference{Namespace: "default", Name: name},
		},
	})
	require.NoError(f.t, storage.Folders(f.Folder()).Make("pv-"+name))
	synctest.Wait()
}

// mounting returns a Pod with one volume, mounted as these say.
func mounting(name string, source corev1.VolumeSource, at ...corev1.VolumeMount) *corev1.Pod {
	p := pod("default", name)
	p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: source}}
	for i := range at {
		at[i].Name = "data"
	}
	p.Spec.Containers[0].VolumeMounts = at
	return p
}

func ofClaim(name string) corev1.VolumeSource {
	return corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}
}

// sh runs a script in a Pod's shell, and returns what it prints.
func (f fixture) sh(name, script string) string {
	f.t.Helper()
	obj, err := f.Store.Get(f.t.Context(), controlloop.PodKind, controlloop.Key{Namespace: "default", Name: name})
	require.NoError(f.t, err)
	var out bytes.Buffer
	_, err = f.Machines.Exec(f.t.Context(), obj.(*corev1.Pod), "web",
		[]string{"sh", "-c", script}, streams.IO{Stdout: &out, Stderr: &out})
	require.NoError(f.t, err, "events: %q", f.told("FailedMount"))
	return out.String()
}

func (f fixture) remove(name string) {
	f.t.Helper()
	f.delete(controlloop.PodKind, "default", name)
	time.Sleep(time.Minute)
	synctest.Wait()
}

func TestWhatAPodWritesItsSuccessorServes(t *testing.T) {
	const html = "/usr/share/nginx/html"
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		f.bind("www")
		f.create(mounting("web-0", ofClaim("www"), corev1.VolumeMount{MountPath: html}))
		assert.Contains(t, f.sh("web-0", "curl -s localhost"), "403 Forbidden")
		f.sh("web-0", "echo hello $(hostname) > "+html+"/index.html")
		assert.Equal(t, "hello web-0\n", f.sh("web-0", "curl -s localhost"))
		f.remove("web-0")
		f.create(mounting("web-0", ofClaim("www"), corev1.VolumeMount{MountPath: html}))
		assert.Equal(t, "hello web-0\n", f.sh("web-0", "curl -s localhost"))
	})
}

func TestWhatVolumesHoldOutlivesTheLabInAFolderThatIsGiven(t *testing.T) {
	folder := t.TempDir()
	for _, want := range []string{"no page\n", "kept\n"} {
		running(t, lab.Options{Nodes: 1, Folder: folder}, func(f fixture) {
			f.bind("www")
			f.create(mounting("web", ofClaim("www"), corev1.VolumeMount{MountPath: "/data"}))
			assert.Equal(t, want, f.sh("web", "cat /data/page 2>/dev/null || echo no page"))
			f.sh("web", "echo kept > /data/page")
		})
	}
}

func TestATemporaryFolderGoesWithTheLab(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(mounting("web", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
			corev1.VolumeMount{MountPath: "/data"}))
		f.sh("web", "mkdir -p /data/deep; touch /data/deep/f; chmod 0 /data/deep")
	})
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestAChangedConfigMapIsReadAllButThroughASubPath(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		config := configMap("default", "app")
		config.Data = map[string]string{"port": "80\n", "host": "a\n"}
		f.create(config)
		f.create(mounting("web", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: "app"}}},
			corev1.VolumeMount{MountPath: "/etc/app"},
			corev1.VolumeMount{MountPath: "/etc/port", SubPath: "port"}))
		const all = "cat /etc/app/port /etc/app/host /etc/port"
		assert.Equal(t, "80\na\n80\n", f.sh("web", all))
		assert.Equal(t, "..data/port\n", f.sh("web", "ls -l /etc/app/port | sed 's/.* //'"))
		assert.Contains(t, f.sh("web", "echo 1 > /etc/app/port"), "Read-only file system\n")
		next := controlloop.Copy(config)
		next.Data = map[string]string{"port": "81\n", "host": "b\n"}
		f.update(next)
		assert.Equal(t, "81\nb\n80\n", f.sh("web", all))
		time.Sleep(time.Minute)
		f.remove("web")
		f.create(mounting("web", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: "app"}}},
			corev1.VolumeMount{MountPath: "/etc/port", SubPath: "port"}))
		assert.Equal(t, "81\n", f.sh("web", "cat /etc/port"))
	})
}

func TestPodsShareAVolumeInPartsOfTheirOwn(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.bind("logs")
		for _, name := range []string{"a", "b"} {
			p := mounting(name, ofClaim("logs"), corev1.VolumeMount{MountPath: "/log", SubPathExpr: "pods/$(POD)"})
			p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "POD", ValueFrom: &corev1.EnvVarSource{
				FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}}
			f.create(p)
			f.sh(name, "hostname > /log/name")
		}
		f.create(mounting("all", ofClaim("logs"), corev1.VolumeMount{MountPath: "/logs"}))
		assert.Equal(t, "a\nb\n", f.sh("all", "cat /logs/pods/a/name /logs/pods/b/name"))
	})
}

// A container makes the links, with a shell, and asks for what is behind them
// through the next Pod's subPath.
func TestASubPathLeadsNowhereButIntoItsVolume(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret\n"), 0o644))
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.bind("data")
		f.create(mounting("maker", ofClaim("data"), corev1.VolumeMount{MountPath: "/data"}))
		f.sh("maker", "cd /data; mkdir in; echo fine > in/f; ln -s in near; ln -s "+outside+" far; ln -s ../.. up; "+
			"ln -s "+outside+"/secret file; ln -s loop loop")
		for path, reason := range map[string]string{
			"far": "CreateContainerConfigError", "up": "CreateContainerConfigError",
			"far/new": "CreateContainerConfigError", "file": "CreateContainerConfigError", "loop": "CreateContainerConfigError",
		} {
			name := strings.ReplaceAll(path, "/", "-")
			f.create(mounting(name, ofClaim("data"), corev1.VolumeMount{MountPath: "/data", SubPath: path}))
			obj, err := f.Store.Get(t.Context(), controlloop.PodKind, controlloop.Key{Namespace: "default", Name: name})
			require.NoError(t, err)
			waiting := obj.(*corev1.Pod).Status.ContainerStatuses[0].State.Waiting
			require.NotNil(t, waiting, path)
			assert.Equal(t, reason, waiting.Reason, path)
			assert.Regexp(t, `^failed to (prepare subPath|create subPath directory) for volumeMount "data" of container "web"$`,
				waiting.Message)
		}
		f.create(mounting("near", ofClaim("data"), corev1.VolumeMount{MountPath: "/data", SubPath: "near"}))
		assert.Equal(t, "fine\n", f.sh("near", "cat /data/f; cat /data/../in/f 2>/dev/null"))
		left, err := os.ReadDir(outside)
		require.NoError(t, err)
		assert.Len(t, left, 1)
	})
}
