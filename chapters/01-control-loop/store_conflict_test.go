package controlloop_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

var configMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Data: data,
	}
}

func newStore(options ...controlloop.Option) *controlloop.Store {
	return controlloop.NewStore(controlloop.CoreKinds(), options...)
}

// mustCreate stores obj and returns it as it was stored.
func mustCreate[T controlloop.Object](t *testing.T, s *controlloop.Store, obj T) T {
	t.Helper()
	stored, err := s.Create(t.Context(), obj)
	require.NoError(t, err)
	return stored.(T)
}

func mustUpdate[T controlloop.Object](t *testing.T, s *controlloop.Store, obj T) T {
	t.Helper()
	stored, err := s.Update(t.Context(), obj)
	require.NoError(t, err)
	return stored.(T)
}

func setData(c *corev1.ConfigMap, key, value string) *corev1.ConfigMap {
	c = controlloop.Copy(c)
	if c.Data == nil {
		c.Data = map[string]string{}
	}
	c.Data[key] = value
	return c
}

// Two clients read the same version and both write. Without the refusal the
// second would undo what the first has done, and neither would know.
//
//book:exercise 1c
func TestStaleUpdateIsRefused(t *testing.T) {
	store := newStore()
	read := mustCreate(t, store, configMap("web", nil))
	mustUpdate(t, store, setData(read, "first", "yes"))

	_, err := store.Update(t.Context(), setData(read, "second", "yes"))
	require.Error(t, err, "an update made from an old version was taken")
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	assert.EqualError(t, err, `Operation cannot be fulfilled on configmaps "web": `+
		`the object has been modified; please apply your changes to the latest version and try again`)

	now, err := store.Get(t.Context(), configMapKind, controlloop.KeyOf(read))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"first": "yes"}, now.(*corev1.ConfigMap).Data)
}

// A version is a name: another is neither older nor newer, only another. "9" is
// not behind "10", and neither is it ahead.
//
//book:exercise 1c
func TestEveryVersionButTheLastIsRefused(t *testing.T) {
	store := newStore()
	last := mustCreate(t, store, configMap("web", nil))
	for range 10 {
		stale := setData(last, "stale", "yes")
		last = mustUpdate(t, store, setData(last, "version", last.ResourceVersion))
		_, err := store.Update(t.Context(), stale)
		refused(t, err, stale.ResourceVersion, last.ResourceVersion)
	}
	for _, version := range []string{"12", "99", "1000"} { // of another cluster's backup, for one
		write := setData(last, "ahead", "yes")
		write.ResourceVersion = version
		_, err := store.Update(t.Context(), write)
		refused(t, err, version, last.ResourceVersion)
	}
}

// refused asks for a conflict of a version with the one that is stored.
func refused(t *testing.T, err error, version, stored string) {
	t.Helper()
	require.Error(t, err, "version %s was taken for %s", version, stored)
	assert.True(t, apierrors.IsConflict(err), "version %s, where %s is stored, is refused, but with no 409 Conflict: %v",
		version, stored, err)
}

// A controller that has read web, and whose web was deleted and made anew by
// another, must not write its idea of the old one into the new one.
//
//book:exercise 1c
func TestUpdateOfAnotherObjectOfTheSameNameIsRefused(t *testing.T) {
	store := newStore()
	old := mustCreate(t, store, configMap("web", nil))
	require.NoError(t, store.Delete(
		t.Context(), configMapKind, controlloop.KeyOf(old), metav1.DeleteOptions{}))
	young := mustCreate(t, store, configMap("web", nil))

	write := setData(old, "ghost", "yes")
	write.ResourceVersion = "" // "whatever the version is"
	_, err := store.Update(t.Context(), write)
	require.Error(t, err, "an update meant for a deleted object was taken")
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	refusal := fmt.Sprintf(`Operation cannot be fulfilled on configmaps "web": `+
		"Precondition failed: UID in precondition: %s, UID in object meta: %s",
		old.UID, young.UID)
	assert.EqualError(t, err, refusal)

	_, err = store.Update(t.Context(), old)
	assert.True(t, apierrors.IsConflict(err), "neither its version nor its uid: %v", err)
}

// A writer that names no version takes what comes, as kubectl replace does
// with a file that names none. One that names a string that is no version at
// all is behind as well.
//
//book:exercise 1c
func TestOnlyWhoNamesNoVersionOverwrites(t *testing.T) {
	store := newStore()
	mustCreate(t, store, configMap("web", nil))
	mustUpdate(t, store, configMap("web", map[string]string{"blind": "yes"}))

	write := configMap("web", map[string]string{"wild": "yes"})
	for _, version := range []string{"0", "latest"} {
		write.ResourceVersion = version
		_, err := store.Update(t.Context(), write)
		assert.True(t, apierrors.IsConflict(err), "version %s was taken for the newest: %v", version, err)
	}
}

// A ConfigMap says nothing about the state of anything.
func TestAKindWithoutStatusHasNoneToWrite(t *testing.T) {
	store := newStore()
	_, err := store.UpdateStatus(t.Context(), mustCreate(t, store, configMap("web", nil)))
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
	assert.EqualError(t, err, `configmaps/status "web" not found`)
}
