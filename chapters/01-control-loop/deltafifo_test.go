package controlloop_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// at returns a ConfigMap at a version, so that a test can tell two states.
func at(name, version string) *corev1.ConfigMap {
	c := configMap(name, nil)
	c.ResourceVersion = version
	return c
}

// pop takes out one entry: "a: Added 1, Updated 2", or "" when there is none.
func pop(f *controlloop.DeltaFIFO) string {
	text := ""
	f.TryPop(func(deltas []controlloop.Delta) {
		text = "nothing"
		for i, d := range deltas {
			if i == 0 {
				text = d.Object.GetName() + ":"
			} else {
				text += ","
			}
			text += fmt.Sprintf(" %s %s", d.Type, d.Object.GetResourceVersion())
			if d.Missed {
				text += " unseen"
			}
		}
	})
	return text
}

// popAll takes out all entries.
func popAll(f *controlloop.DeltaFIFO) (all []string) {
	for entry := pop(f); entry != ""; entry = pop(f) {
		all = append(all, entry)
	}
	return all
}

// Three things happened to one object, and one to another: two entries.
//
//book:exercise 1f
func TestDeltaFIFOHasOneEntryAnObject(t *testing.T) {
	f := controlloop.NewDeltaFIFO(controlloop.NewIndexer())
	f.Add(controlloop.Added, at("b", "1"))
	f.Add(controlloop.Added, at("a", "2"))
	f.Add(controlloop.Updated, at("b", "3"))
	f.Add(controlloop.Updated, at("b", "4"))

	assert.Equal(t, "b: Added 1, Updated 3, Updated 4", pop(f))
	assert.Equal(t, "a: Added 2", pop(f))
	assert.Equal(t, "", pop(f), "an object came out twice")

	f.Add(controlloop.Updated, at("b", "5"))
	assert.Equal(t, "b: Updated 5", pop(f), "after it was taken out, an entry starts anew")
}

// Deleted and made again is not the same as changed: a handler that kept
// something for the old one has to learn that it is gone.
//
//book:exercise 1f
func TestDeltaFIFOTellsARecreatedObjectFromAChangedOne(t *testing.T) {
	f := controlloop.NewDeltaFIFO(controlloop.NewIndexer())
	f.Add(controlloop.Deleted, at("a", "7"))
	f.Add(controlloop.Added, at("a", "8"))
	assert.Equal(t, "a: Deleted 7, Added 8", pop(f))

	f.Add(controlloop.Deleted, at("a", "9"))
	f.Add(controlloop.Added, at("a", "10"))
	f.Add(controlloop.Deleted, at("a", "11"))
	f.Add(controlloop.Deleted, at("a", "11"))
	assert.Equal(t, "a: Deleted 9, Added 10, Deleted 11", pop(f), "two of three are in a row")
}

// Two deletions in a row become one. Of the one that was seen and the one that
// was only concluded, the one that was seen knows the last state.
//
//book:exercise 1f
func TestDeltaFIFOMakesOneOfTwoDeletions(t *testing.T) {
	known := controlloop.NewIndexer()
	known.Put(at("a", "1"))
	f := controlloop.NewDeltaFIFO(known)
	f.Add(controlloop.Deleted, at("a", "5"))
	f.Add(controlloop.Deleted, at("a", "5"))
	require.Equal(t, "a: Deleted 5", pop(f))

	f = controlloop.NewDeltaFIFO(known)
	f.Replace(nil)
	f.Add(controlloop.Deleted, at("a", "5"))
	assert.Equal(t, "a: Deleted 5", pop(f), "the last state was seen, and is the one to keep")
}

// A list is the whole truth. An object that was known, and is not in the list,
// is gone: from the cache, and from the deltas that still wait.
//
//book:exercise 1f
func TestDeltaFIFOReplaceDeletesWhatNobodySawGo(t *testing.T) {
	known := controlloop.NewIndexer()
	known.Put(at("cached", "1"))
	known.Put(at("stays", "2"))
	f := controlloop.NewDeltaFIFO(known)
	f.Add(controlloop.Added, at("waiting", "3"))
	f.Add(controlloop.Deleted, at("gone", "4"))
	f.Replace([]controlloop.Object{at("stays", "9"), at("new", "8")})

	assert.Equal(t, "waiting: Added 3, Deleted 3 unseen", pop(f))
	assert.Equal(t, "gone: Deleted 4", pop(f))
	assert.ElementsMatch(t, []string{
		"stays: Replaced 9", "new: Replaced 8", "cached: Deleted 1 unseen",
	}, popAll(f), "what the list has added, in any order")

	f.Replace([]controlloop.Object{at("stays", "2")}) // a second list is not the first
	assert.ElementsMatch(t, []string{"stays: Replaced 2", "cached: Deleted 1 unseen"}, popAll(f),
		"what has not changed is passed on, too, and the other is still in the cache")
}

// A reader that found nothing sleeps, and is woken by what comes in next.
//
//book:exercise 1f
func TestDeltaFIFOWakesItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := controlloop.NewDeltaFIFO(controlloop.NewIndexer())
		ctx, cancel := context.WithCancel(t.Context())
		popped := 0
		go func() {
			for f.Pop(ctx, func([]controlloop.Delta) { popped++ }) {
			}
		}()
		for n := range 3 {
			synctest.Wait()
			f.Add(controlloop.Added, at("a", "1"))
			synctest.Wait()
			assert.Equal(t, n+1, popped, "it sleeps, though something came in")
		}
		f.Replace([]controlloop.Object{at("a", "2")})
		synctest.Wait()
		assert.Equal(t, 4, popped, "it sleeps, though a list came in")
		cancel()
	})
}

//book:exercise 1f
func TestDeltaFIFOTakesAListWhenNobodyElseHasIt(t *testing.T) {
	f := controlloop.NewDeltaFIFO(controlloop.NewIndexer())
	assert.True(t, kubetest.Waits(controlloop.LockOfFIFO(f), func() { f.Replace(nil) }),
		"Replace does not wait for f.mu")
}

//book:exercise 1f
func TestDeltaFIFOTakesListsFromManyGoroutines(t *testing.T) {
	const lists = 20
	f := controlloop.NewDeltaFIFO(controlloop.NewIndexer())
	for range 5 {
		atOnce(64, func(int) {
			for range lists {
				f.Replace([]controlloop.Object{at("a", "1")})
			}
		})
		got := 0
		f.TryPop(func(deltas []controlloop.Delta) { got = len(deltas) })
		require.Equal(t, 64*lists, got, "deltas of the one object in all lists")
		require.Equal(t, "", pop(f), "an object came out twice")
	}
}

// The first list has been handled when its last object is: not before, and not
// only when what came after it is handled as well.
//
//book:exercise 1f
func TestDeltaFIFOIsSyncedByItsFirstListAlone(t *testing.T) {
	s := newSensor(t, 0)
	s.create("a", "b", "c")
	var handled []bool
	s.Handle(controlloop.Handler{OnAdd: func(controlloop.Object) {
		handled = append(handled, isSynced(s.Informer))
	}})
	s.step()
	assert.Equal(t, []bool{false, false, false}, handled, "an object of it is being handled")
	assert.True(t, isSynced(s.Informer))
	s.create("d")
	s.client.BreakWatches(errors.New("eof"))
	s.step()
	assert.True(t, isSynced(s.Informer), "once for all")
}
