package controlloop_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// slotted returns an allotment of numbers from 0, in one of the data of a
// ConfigMap.
func slotted(name string) controlloop.Allotment {
	return controlloop.Allotment{
		Of: func(obj controlloop.Object) []string {
			slot, has := obj.(*corev1.ConfigMap).Data[name]
			if !has {
				return nil
			}
			return []string{name + slot}
		},
		Give: func(obj, _ controlloop.Object, taken func(string) bool) field.ErrorList {
			data := obj.(*corev1.ConfigMap).Data
			if slot, has := data[name]; has {
				if taken(name + slot) {
					return field.ErrorList{field.Duplicate(field.NewPath("data", name), slot)}
				}
				return nil
			}
			for n := 0; data[name] == ""; n++ {
				if slot := fmt.Sprint(n); !taken(name + slot) {
					data[name] = slot
				}
			}
			return nil
		},
	}
}

// allotting returns a store of ConfigMaps that are given a slot and a seat, and
// whose other rules give nothing.
func allotting(t *testing.T) *controlloop.Store {
	kinds := controlloop.CoreKinds()
	kind, err := kinds.Of(&corev1.ConfigMap{})
	require.NoError(t, err)
	kind.Rules = kind.Rules.And(controlloop.Rules{Allotment: slotted("slot")}).
		And(controlloop.Rules{Allotment: slotted("seat")}).And(controlloop.Rules{})
	return controlloop.NewStore(kinds.With(kind))
}

func holding(name string, data map[string]string) *corev1.ConfigMap {
	m := settings(name)
	m.Data = data
	return m
}

func TestWhatIsAllottedIsGivenOnceHoweverManyAskAtOnce(t *testing.T) {
	s := allotting(t)
	var mu sync.Mutex
	slots, seats := sets.Set[string]{}, sets.Set[string]{}
	var asking sync.WaitGroup
	for n := range 100 {
		asking.Go(func() {
			got := mustCreate(t, s, holding(fmt.Sprint("m-", n), map[string]string{}))
			mu.Lock()
			defer mu.Unlock()
			slots.Insert(got.Data["slot"])
			seats.Insert(got.Data["seat"])
		})
	}
	asking.Wait()
	assert.Len(t, slots, 100)
	assert.Len(t, seats, 100)
}

func TestWhatAnotherHasIsRefusedUntilItIsGivenBack(t *testing.T) {
	s := allotting(t)
	a := mustCreate(t, s, holding("a", map[string]string{"slot": "7"}))
	b := mustCreate(t, s, holding("b", map[string]string{}))
	_, err := s.Create(t.Context(), holding("c", map[string]string{"slot": "7"}))
	require.ErrorContains(t, err, `data.slot: Duplicate value: "7"`)
	_, err = s.Update(t.Context(), edited(b, func(m *corev1.ConfigMap) { m.Data["slot"] = "7" }))
	require.ErrorContains(t, err, `data.slot: Duplicate value: "7"`)
	mustUpdate(t, s, edited(a, func(m *corev1.ConfigMap) { m.Labels = map[string]string{"a": "b"} }))

	mustUpdate(t, s, edited(a, func(m *corev1.ConfigMap) {
		m.ResourceVersion, m.Data["slot"] = "", "8"
	}))
	mustCreate(t, s, holding("c", map[string]string{"slot": "7"}))
	_, err = s.Create(t.Context(), holding("d", map[string]string{"slot": "8"}))
	assert.Error(t, err, "what it gave for that is taken now")
}

func TestAllThatIsTakenIsNamedInTheOrderOfTheRules(t *testing.T) {
	s := allotting(t)
	both := map[string]string{"slot": "7", "seat": "2"}
	mustCreate(t, s, holding("a", both))
	_, err := s.Create(t.Context(), holding("b", both))
	assert.ErrorContains(t, err,
		`[data.slot: Duplicate value: "7", data.seat: Duplicate value: "2"]`)
}

// A status asks for nothing, so nothing is given, and nothing is refused.
func TestAWriteOfAStatusIsAllottedNothing(t *testing.T) {
	kinds := controlloop.CoreKinds()
	kind, err := kinds.Of(&corev1.Node{})
	require.NoError(t, err)
	given := 0
	kind.Rules.Allotment = controlloop.Allotment{
		Of: func(controlloop.Object) []string { return nil },
		Give: func(_, _ controlloop.Object, _ func(string) bool) field.ErrorList {
			given++
			return nil
		},
	}
	s := controlloop.NewStore(kinds.With(kind))
	node := mustCreate(t, s, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	node = mustUpdate(t, s, edited(node, func(n *corev1.Node) { n.Spec.PodCIDR = "10.0.0.0/24" }))
	require.Equal(t, 2, given)
	mustUpdateStatus(t, s, edited(node, func(n *corev1.Node) { n.Status.Phase = "Running" }))
	assert.Equal(t, 2, given)
}
