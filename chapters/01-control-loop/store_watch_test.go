package controlloop_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// follow returns a watch of the ConfigMaps from a version on.
func follow(t *testing.T, s *controlloop.Store, version string) controlloop.Watch {
	t.Helper()
	w, err := s.Watch(t.Context(), configMapKind,
		controlloop.ListOptions{ResourceVersion: version})
	require.NoError(t, err)
	return w
}

// seen reads a watch to its end: "ADDED a", "MODIFIED b" …
func seen(t *testing.T, w controlloop.Watch) []string {
	t.Helper()
	all := []string{}
	for {
		event, ok, err := w.TryNext()
		require.NoError(t, err)
		if !ok {
			return all
		}
		obj := event.Object.(controlloop.Object)
		all = append(all, fmt.Sprintf("%s %s", event.Type, obj.GetName()))
		require.Less(t, len(all), 100, "the watch repeats itself: it does not end")
	}
}

// Whatever version a client stopped at, it sees next what came next.
//
//book:exercise 1d
func TestWatchGoesOnRightAfterItsVersion(t *testing.T) {
	store := newStore()
	var versions []string
	for _, name := range []string{"a", "b", "c", "d"} {
		versions = append(versions, mustCreate(t, store, configMap(name, nil)).ResourceVersion)
	}
	assert.Equal(t, []string{"ADDED b", "ADDED c", "ADDED d"}, seen(t, follow(t, store, versions[0])))
	assert.Equal(t, []string{"ADDED d"}, seen(t, follow(t, store, versions[2])))
	assert.Empty(t, seen(t, follow(t, store, versions[3])))
}

// One counter numbers the writes of all kinds, so that the versions of one kind
// have gaps. A list's version may be any number, in a gap too.
//
//book:exercise 1d
func TestWatchGoesOnFromAVersionOfAnotherKind(t *testing.T) {
	store := newStore()
	mustCreate(t, store, configMap("a", nil))
	between := mustCreate(t, store, nginxPod("web")).ResourceVersion
	mustCreate(t, store, nginxPod("web-2"))
	mustCreate(t, store, configMap("b", nil))

	assert.Equal(t, []string{"ADDED b"}, seen(t, follow(t, store, between)))
}

// Events that the log no longer holds cannot be told. Saying
// nothing would be worse.
//
//book:exercise 1d
func TestWatchFromTooLongAgoIsExpired(t *testing.T) {
	store := newStore(controlloop.WithHistory(5))
	first := mustCreate(t, store, configMap("first", nil)).ResourceVersion
	slow := follow(t, store, first)
	for i := range 50 {
		mustCreate(t, store, configMap(fmt.Sprintf("later-%d", i), nil))
	}

	_, err := store.Watch(t.Context(), configMapKind,
		controlloop.ListOptions{ResourceVersion: first})
	require.Error(t, err, "45 events are gone, and nobody says so")
	assert.True(t, apierrors.IsResourceExpired(err), "%v", err)
	_, _, err = slow.TryNext()
	assert.True(t, apierrors.IsResourceExpired(err), "a watch that fell behind: %v", err)
}

// The version of the last event that was dropped is not too old: all that came
// after it is still there.
//
//book:exercise 1d
func TestWatchFromTheEdgeOfTheLogMissesNothing(t *testing.T) {
	store := newStore()
	for i := range 20 {
		mustCreate(t, store, configMap(fmt.Sprintf("c-%02d", i+1), nil))
	}
	require.NoError(t, store.Compact("17"))
	_, err := store.Watch(t.Context(), configMapKind,
		controlloop.ListOptions{ResourceVersion: "16"})
	require.Error(t, err, "version 16 is older than the log")
	assert.True(t, apierrors.IsResourceExpired(err), "%v", err)

	w, err := store.Watch(t.Context(), configMapKind,
		controlloop.ListOptions{ResourceVersion: "17"})
	require.NoError(t, err, "the oldest version that can be served was refused")
	assert.Equal(t, []string{"ADDED c-18", "ADDED c-19", "ADDED c-20"}, seen(t, w))
}

// The versions of a store that goes on where another ended begin at a hundred, and
// nothing needs to have been written since.
//
//book:exercise 1d
func TestALogThatBeginsLateHasMissedWhatCameBefore(t *testing.T) {
	store := newStore(controlloop.WithObjects(100))
	from := func(version string) error {
		_, err := store.Watch(t.Context(), configMapKind,
			controlloop.ListOptions{ResourceVersion: version})
		return err
	}
	for _, version := range []string{"1", "99"} {
		err := from(version)
		assert.True(t, apierrors.IsResourceExpired(err), "version %s, in an empty log: %v", version, err)
	}
	require.NoError(t, from("100"), "nothing has been written since version 100")

	mustCreate(t, store, configMap("web", nil))
	err := from("99")
	assert.True(t, apierrors.IsResourceExpired(err), "version 99, in a log of one change: %v", err)
	assert.Equal(t, []string{"ADDED web"}, seen(t, follow(t, store, "100")))
	assert.Empty(t, seen(t, follow(t, store, "101")))
}
