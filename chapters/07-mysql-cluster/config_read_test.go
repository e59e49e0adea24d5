package mysqlcluster_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	storage "reconcile/chapters/05-storage"
	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/internal/kubetest"
)

var pair = []string{"tls.crt", "tls.key"}

// A renewal is a volume with a certificate and its key of one day, which chapter 5's
// kubelet writes from a ConfigMap.
type renewal struct {
	t       *testing.T
	store   *controlloop.Store
	volumes kubelet.Volumes
	pod     *corev1.Pod // that mounts it
	folder  *os.Root
	reads   int
}

// renewals returns one, of which a reader is to leave nothing open.
func renewals(t *testing.T, day string) *renewal {
	r := &renewal{t: t, store: controlloop.NewStore(controlloop.CoreKinds())}
	r.volumes = storage.NewMounts(&controlloop.System{Client: r.store}, "node-1", t.TempDir())
	r.pod = kubetest.Pod("web", kubetest.Container("main", "web"))
	r.pod.Namespace, r.pod.UID = metav1.NamespaceDefault, "web"
	r.pod.Spec.Volumes = []corev1.Volume{{Name: "tls", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "tls"}}}}}
	r.pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "tls", MountPath: "/tls"}}
	_, err := r.store.Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "tls"}})
	require.NoError(t, err)
	mount, err := r.write(day)
	require.NoError(t, err)
	r.folder, _, err = storage.Open(mount)
	require.NoError(t, err)
	t.Cleanup(func() { r.folder.Close() })
	kubetest.Closes(t, mount.Source)
	return r
}

func (r *renewal) renew(day string) {
	_, err := r.write(day)
	require.NoError(r.t, err)
}

// write stores the pair of a day, and has the kubelet write its files.
func (r *renewal) write(day string) (kubelet.Mount, error) {
	kind := corev1.SchemeGroupVersion.WithKind("ConfigMap")
	obj, err := r.store.Get(r.t.Context(), kind, kubetest.Named("tls"))
	if err != nil {
		return kubelet.Mount{}, err
	}
	config := controlloop.Copy(obj).(*corev1.ConfigMap)
	config.Data = map[string]string{"tls.crt": day, "tls.key": day}
	if _, err := r.store.Update(r.t.Context(), config); err != nil {
		return kubelet.Mount{}, err
	}
	mounts, err := r.volumes.Mount(r.t.Context(), r.pod)
	return mounts["tls"], err
}

// before returns a way to read in which, before the nth file is read, something
// else happens.
func (r *renewal) before(n int, do func()) func(*os.Root, string) ([]byte, error) {
	return func(in *os.Root, name string) ([]byte, error) {
		if r.reads++; r.reads == n {
			do()
		}
		require.Less(r.t, r.reads, 100, "it reads again and again")
		return in.ReadFile(name)
	}
}

// byPath reads two paths, one after the other.
func byPath(
	volume *os.Root, read func(*os.Root, string) ([]byte, error),
) (crt, key []byte, err error) {
	crt, err = read(volume, "tls.crt")
	if err != nil {
		return nil, nil, err
	}
	key, err = read(volume, "tls.key")
	return crt, key, err
}

// The volume is written anew between the two reads of a program.
func TestRunOfAReadThatIsTorn(t *testing.T) {
	var log bytes.Buffer
	log.WriteString("# part: paths\n")
	r := renewals(t, "Monday")
	crt, key, err := byPath(r.folder, r.before(2, func() { r.renew("Tuesday") }))
	require.NoError(t, err)
	fmt.Fprintf(&log, "tls.crt of %-9s tls.key of %s\n", crt, key)

	log.WriteString("# part: together\n")
	r = renewals(t, "Monday")
	files, err := mysqlcluster.ReadTogether(r.folder, pair, r.before(2, func() { r.renew("Tuesday") }))
	require.NoError(t, err)
	fmt.Fprintf(&log, "tls.crt of %-9s tls.key of %-9s %d reads\n", files[0], files[1], r.reads)
	kubetest.Recorded(t, "between.txt", log.Bytes())
}

// Between any two reads of it, a volume may be written anew.
//
//book:exercise 7o
func TestAReaderIsNeverTorn(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		t.Run(fmt.Sprintf("before read %d", n), func(t *testing.T) {
			r := renewals(t, "Monday")
			files, err := mysqlcluster.ReadTogether(r.folder, pair,
				r.before(n, func() { r.renew("Tuesday") }))
			require.NoError(t, err)
			require.Len(t, files, 2)
			assert.Equal(t, string(files[0]), string(files[1]), "of one day")
		})
	}
}

// The version that it has begun to read is removed, and so is the one after it.
//
//book:exercise 7o
func TestAReaderOutlivesManyRenewals(t *testing.T) {
	r := renewals(t, "day 0")
	left := 5
	files, err := mysqlcluster.ReadTogether(r.folder, pair,
		func(in *os.Root, name string) ([]byte, error) {
			if name == "tls.key" && left > 0 {
				left--
				r.renew(fmt.Sprintf("day %d", 5-left))
			}
			return in.ReadFile(name)
		})
	require.NoError(t, err)
	require.Len(t, files, 2)
	assert.Equal(t, "day 5", string(files[0]))
	assert.Equal(t, "day 5", string(files[1]))
}

// It is not taken for one that a renewal has removed.
//
//book:exercise 7o
func TestAFileThatNoVersionHasIsMissing(t *testing.T) {
	r := renewals(t, "Monday")
	_, err := mysqlcluster.ReadTogether(r.folder, []string{"tls.crt", "ca.crt"}, r.before(0, nil))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// A folder that no kubelet has written, or not yet, has no version at all.
//
//book:exercise 7o
func TestAVolumeWithoutAVersionIsAnError(t *testing.T) {
	dir := t.TempDir()
	volume, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer volume.Close()
	done := make(chan error, 1)
	go func() {
		_, err := mysqlcluster.ReadTogether(volume, pair, func(*os.Root, string) ([]byte, error) { return nil, io.EOF })
		done <- err
	}()
	select {
	case err := <-done:
		assert.ErrorIs(t, err, fs.ErrNotExist)
	case <-time.After(2 * time.Second):
		require.NoError(t, os.Symlink(".", filepath.Join(dir, "..data"))) // so that it ends
		<-done
		assert.Fail(t, "it tries for ever what has failed", "there is no ..data, and openCurrent has said so")
	}
}

// A program that opens two paths is torn now and then, however the volume is
// written; one that reads them together never is.
func TestReadsAreTornBetweenTwoPathsAlone(t *testing.T) {
	r := renewals(t, "0")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 300 {
			_, err := r.write(fmt.Sprint(i))
			assert.NoError(t, err)
		}
	}()
	reads, torn := 0, 0
	for {
		select {
		case <-done:
			t.Logf("%d of %d reads by path were torn", torn, reads)
			return
		default:
		}
		crt, key, err := byPath(r.folder, (*os.Root).ReadFile)
		if reads++; err == nil && !bytes.Equal(crt, key) {
			torn++
		}
		files, err := mysqlcluster.ReadTogether(r.folder, pair, (*os.Root).ReadFile)
		require.NoError(t, err)
		require.Equal(t, string(files[0]), string(files[1]))
	}
}
