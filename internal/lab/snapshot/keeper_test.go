package snapshot_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/lab/snapshot"
)

var configMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")

// cluster is a store that a keeper keeps.
type cluster struct {
	*controlloop.Store
	t      *testing.T
	keeper *snapshot.Keeper
}

// startCluster starts a process.
func startCluster(t *testing.T, path string) cluster {
	t.Helper()
	keeper, err := snapshot.Open(path, controlloop.CoreKinds())
	require.NoError(t, err)
	options := []controlloop.Option{controlloop.OnWrite(keeper.Wrote)}
	if state := keeper.State(); state != nil {
		options = append(options,
			controlloop.WithObjects(state.Version, state.Objects...))
	}
	return cluster{controlloop.NewStore(controlloop.CoreKinds(), options...), t, keeper}
}

func (c cluster) create(obj controlloop.Object) controlloop.Object {
	c.t.Helper()
	stored, err := c.Create(c.t.Context(), obj)
	require.NoError(c.t, err)
	return stored
}

func (c cluster) delete(name string) {
	c.t.Helper()
	require.NoError(c.t, c.Delete(c.t.Context(), configMapKind,
		controlloop.Key{Namespace: "default", Name: name}, metav1.DeleteOptions{}))
}

func (c cluster) names() (names []string) {
	c.t.Helper()
	list, err := c.List(c.t.Context(), configMapKind, controlloop.ListOptions{})
	require.NoError(c.t, err)
	for _, obj := range list.Items {
		names = append(names, obj.GetName())
	}
	return names
}

func (c cluster) version() string {
	list, err := c.List(c.t.Context(), configMapKind, controlloop.ListOptions{})
	require.NoError(c.t, err)
	return list.ResourceVersion
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Data:       map[string]string{"text": "two\nlines, and </script>"},
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestAClusterGoesOnWhereItEnded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.json")
	first := startCluster(t, path)
	first.create(configMap("gone"))
	stored := first.create(configMap("kept"))
	pod := first.create(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "web-"},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "web", Image: "nginx"}},
		},
	})
	first.delete("gone")
	require.NoError(t, first.keeper.Close())

	second := startCluster(t, path)
	defer second.keeper.Close()
	assert.Equal(t, []string{"kept"}, second.names())
	for _, obj := range []controlloop.Object{stored, pod} {
		again, err := second.Get(t.Context(),
			obj.GetObjectKind().GroupVersionKind(), controlloop.KeyOf(obj))
		require.NoError(t, err)
		assert.True(t, equality.Semantic.DeepEqual(obj, again),
			"uid, version and times are as they were: %v", again)
	}
}

func TestVersionsOfTheNextLifeAreNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.json")
	first := startCluster(t, path)
	first.create(configMap("a"))
	require.NoError(t, first.keeper.Save())
	first.create(configMap("b")) // never saved: the process is killed here
	told := first.version()
	require.NoError(t, os.Remove(path+".lock"))

	second := startCluster(t, path)
	defer second.keeper.Close()
	_, err := second.Watch(t.Context(), configMapKind,
		controlloop.ListOptions{ResourceVersion: told})
	assert.True(t, apierrors.IsResourceExpired(err),
		"whoever has seen version %s must list again: %v", told, err)
}

func TestVersionsOfALifeWithoutWritesAreNotGivenAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.json")
	first := startCluster(t, path)
	first.create(configMap("a"))
	require.NoError(t, first.keeper.Close())
	var told []int
	for range 3 {
		life := startCluster(t, path)
		version, err := strconv.Atoi(life.version())
		require.NoError(t, err)
		told = append(told, version)
		require.NoError(t, life.keeper.Close())
	}
	assert.Less(t, told[0], told[1])
	assert.Less(t, told[1], told[2])
}

func TestAFileIsForOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.json")
	first := startCluster(t, path)
	_, err := snapshot.Open(path, controlloop.CoreKinds())
	require.ErrorContains(t, err, path+" is in use by another lab (process "+
		strconv.Itoa(os.Getpid())+"); stop that, or use another file")

	require.NoError(t, first.keeper.Close())
	second := startCluster(t, path)
	require.NoError(t, second.keeper.Close())
	assert.NoFileExists(t, path+".lock")
}

func TestALinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "lab.json"), filepath.Join(dir, "link.json")
	first := startCluster(t, path)
	first.create(configMap("a"))
	require.NoError(t, first.keeper.Close())
	require.NoError(t, os.Symlink(path, link))

	second := startCluster(t, link)
	second.create(configMap("b"))
	require.NoError(t, second.keeper.Close())
	assert.Contains(t, read(t, path), `"name":"b"`)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink, "the link is still one")
}

func TestWhatCannotBeWrittenIsRefusedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	for name, path := range map[string]string{
		"no such folder": filepath.Join(dir, "nowhere", "lab.json"),
		"a folder":       dir,
	} {
		_, err := snapshot.Open(path, controlloop.CoreKinds())
		require.Error(t, err, name)
		assert.ErrorContains(t, err, path, name)
	}
}

// running runs a cluster's keeper in a bubble, and calls f.
func running(t *testing.T, f func(c cluster, path string, told *[]error)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(dir, "lab.json")
		c := startCluster(t, path)
		ctx, cancel := context.WithCancel(t.Context())
		var told []error
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.keeper.Run(ctx, func(err error) {
				told = append(told, err)
			})
		}()
		f(c, path, &told)
		cancel()
		<-done
	})
}

func TestAKilledProcessLosesASecondAtMost(t *testing.T) {
	running(t, func(c cluster, path string, _ *[]error) {
		c.create(configMap("a"))
		synctest.Wait()
		assert.Contains(t, read(t, path), `"name":"a"`, "the first write is not waited with")

		c.create(configMap("b"))
		time.Sleep(snapshot.Pause)
		synctest.Wait()
		assert.Contains(t, read(t, path), `"name":"b"`)
	})
}

func TestManyWritesAreOneWriteOfTheFile(t *testing.T) {
	running(t, func(c cluster, path string, _ *[]error) {
		c.create(configMap("a"))
		synctest.Wait()
		before := read(t, path)
		for n := range 100 {
			c.create(configMap("b" + strconv.Itoa(n)))
			time.Sleep(snapshot.Pause / 200)
			synctest.Wait()
		}
		assert.Equal(t, before, read(t, path), "half a second has passed")
	})
}

func TestALeaseIsWrittenWithTheNextChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.json")
	kinds := controlloop.CoreKinds().With(daemonset.Kinds()...)
	synctest.Test(t, func(t *testing.T) {
		keeper, err := snapshot.Open(path, kinds)
		require.NoError(t, err)
		c := cluster{controlloop.NewStore(kinds, controlloop.OnWrite(keeper.Wrote)), t, keeper}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			keeper.Run(ctx, func(err error) { assert.NoError(t, err) })
		}()
		c.create(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "node-1"}})
		time.Sleep(10 * snapshot.Pause)
		synctest.Wait()
		assert.NoFileExists(t, path)

		c.create(configMap("a"))
		synctest.Wait()
		assert.Contains(t, read(t, path), `"name":"node-1"`)
		cancel()
		<-done
		require.NoError(t, keeper.Close())
	})
}

func TestAFileThatCannotBeWrittenStaysWhole(t *testing.T) {
	running(t, func(c cluster, path string, told *[]error) {
		c.create(configMap("a"))
		synctest.Wait()
		before := read(t, path)
		require.NoError(t, os.Mkdir(path+".tmp", 0o755)) // where the next is prepared

		c.create(configMap("b"))
		time.Sleep(10 * snapshot.Pause)
		synctest.Wait()
		assert.Equal(t, before, read(t, path))
		assert.Len(t, *told, 1, "ten times the same is told once")
		assert.Error(t, c.keeper.Save())

		require.NoError(t, os.Remove(path+".tmp"))
		time.Sleep(snapshot.Pause)
		synctest.Wait()
		assert.Contains(t, read(t, path), `"name":"b"`, "it was tried again")
	})
}

func TestTheSecondFullDiskIsToldAsLoudlyAsTheFirst(t *testing.T) {
	running(t, func(c cluster, path string, told *[]error) {
		for n := range 2 {
			*told = nil
			require.NoError(t, os.Mkdir(path+".tmp", 0o755)) // where the next is prepared
			c.create(configMap("full-" + strconv.Itoa(n)))
			time.Sleep(10 * snapshot.Pause)
			synctest.Wait()
			require.Len(t, *told, 1)
			require.ErrorContains(t, (*told)[0], path+".tmp")

			require.NoError(t, os.Remove(path+".tmp"))
			c.create(configMap("emptied-" + strconv.Itoa(n)))
			time.Sleep(10 * snapshot.Pause)
			c.create(configMap("later-" + strconv.Itoa(n)))
			time.Sleep(10 * snapshot.Pause)
			synctest.Wait()
			require.Len(t, *told, 2, "that it is saved again is told once")
			require.NoError(t, (*told)[1])
		}
	})
}
