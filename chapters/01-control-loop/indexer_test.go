package controlloop_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// placed returns a Pod of a namespace on a node.
func placed(namespace, name, node string) *corev1.Pod {
	pod := nginxPod(name)
	pod.Namespace, pod.Spec.NodeName = namespace, node
	return pod
}

func byNode(obj controlloop.Object) []string {
	if node := obj.(*corev1.Pod).Spec.NodeName; node != "" {
		return []string{node}
	}
	return nil
}

func keysOf(objs []controlloop.Object) (keys []string) {
	for _, obj := range objs {
		keys = append(keys, controlloop.KeyOf(obj).String())
	}
	return keys
}

func TestAnIndexFindsObjectsByWhatItsFunctionSays(t *testing.T) {
	x := controlloop.NewIndexer()
	x.Put(placed("b", "web", "node-1"))
	x.AddIndex("node", byNode) // objects that are cached already are found too
	x.Put(placed("a", "web", "node-1"))
	x.Put(placed("a", "db", "node-2"))
	x.Put(placed("a", "new", ""))
	assert.ElementsMatch(t, []string{"a/web", "b/web"}, keysOf(x.Lookup("node", "node-1")))
	assert.ElementsMatch(t, []string{"a/db", "a/new", "a/web"},
		keysOf(x.Lookup(controlloop.ByNamespace, "a")))
	assert.Empty(t, x.Lookup("node", ""), "no value is no entry")
	assert.Empty(t, x.Lookup("no such index", "x"))

	x.AddIndex("node", func(controlloop.Object) []string { return []string{"x"} })
	x.Put(placed("c", "web", "node-1"))
	assert.Len(t, x.Lookup("node", "node-1"), 3, "the first of a name stays")
}

func TestAnObjectThatChangesMovesInTheIndex(t *testing.T) {
	x := controlloop.NewIndexer()
	x.AddIndex("node", byNode)
	first := placed("a", "web", "")
	_, had := x.Put(first)
	assert.False(t, had)
	old, had := x.Put(placed("a", "web", "node-1"))
	assert.True(t, had)
	assert.Same(t, first, old)
	x.Put(placed("a", "web", "node-2"))
	assert.Empty(t, x.Lookup("node", "node-1"))
	assert.Len(t, x.Lookup("node", "node-2"), 1)
	_, had = x.Remove(controlloop.KeyOf(first))
	assert.True(t, had)
	assert.Empty(t, x.Lookup("node", "node-2"))
	assert.Empty(t, x.List())
	_, had = x.Remove(controlloop.KeyOf(first))
	assert.False(t, had)
	_, found := x.Get(controlloop.KeyOf(first))
	assert.False(t, found)
}

func TestAnObjectMayHaveManyValues(t *testing.T) {
	x := controlloop.NewIndexer()
	x.AddIndex("letter", func(obj controlloop.Object) (letters []string) {
		for _, letter := range obj.GetName() {
			letters = append(letters, string(letter))
		}
		return letters
	})
	x.Put(placed("a", "web", ""))
	x.Put(placed("a", "ebb", ""))
	assert.ElementsMatch(t, []string{"a/ebb", "a/web"}, keysOf(x.Lookup("letter", "b")))
	assert.Equal(t, []string{"a/web"}, keysOf(x.Lookup("letter", "w")))
	x.Remove(controlloop.Key{Namespace: "a", Name: "ebb"})
	assert.Equal(t, []string{"a/web"}, keysOf(x.Lookup("letter", "b")))
}

// Where it was, the cache knows by itself: the function need not say the same of
// the old object again.
func TestAnObjectIsTakenFromWhereItWasPut(t *testing.T) {
	x, value := controlloop.NewIndexer(), "then"
	x.AddIndex("mood", func(controlloop.Object) []string { return []string{value} })
	x.Put(placed("a", "web", ""))
	value = "now"
	x.Put(placed("a", "web", ""))
	assert.Empty(t, x.Lookup("mood", "then"))
	assert.Len(t, x.Lookup("mood", "now"), 1)
	value = "later"
	x.Remove(controlloop.Key{Namespace: "a", Name: "web"})
	assert.Empty(t, x.Lookup("mood", "now"))
}

// After any row of changes a lookup finds what a search through the list finds,
// and in the same order as another cache that saw the same changes.
func TestAnIndexAgreesWithItsList(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	x, twin := controlloop.NewIndexer(), controlloop.NewIndexer()
	x.AddIndex("node", byNode)
	twin.AddIndex("node", byNode)
	for range 2000 {
		pod := placed("a", fmt.Sprint("p", r.IntN(30)), fmt.Sprint("node-", r.IntN(4)))
		if r.IntN(3) == 0 {
			x.Remove(controlloop.KeyOf(pod))
			twin.Remove(controlloop.KeyOf(pod))
		} else {
			x.Put(pod)
			twin.Put(pod)
		}
		node := fmt.Sprint("node-", r.IntN(4))
		want := slices.DeleteFunc(x.List(), func(obj controlloop.Object) bool {
			return obj.(*corev1.Pod).Spec.NodeName != node
		})
		found := x.Lookup("node", node)
		if !assert.ElementsMatch(t, keysOf(want), keysOf(found)) ||
			!assert.Equal(t, found, twin.Lookup("node", node)) {
			return
		}
	}
}

func TestManyMayReadWhileOneWrites(t *testing.T) {
	x := controlloop.NewIndexer()
	x.AddIndex("node", byNode)
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for range 100 {
				for _, obj := range x.Lookup("node", "node-1") {
					assert.Equal(t, "node-1", obj.(*corev1.Pod).Spec.NodeName)
				}
				x.List()
			}
		})
	}
	for i := range 200 {
		x.Put(placed("a", "web", fmt.Sprint("node-", i%2)))
		x.Put(placed("a", fmt.Sprint("p", i), "node-1"))
	}
	readers.Wait()
}
