package kubetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// detector finds out that an object was changed after it was written: such an
// object is in the store and in caches, and others read it. It looks at the
// objects that the store holds after every step, and so knows who changed them;
// at earlier ones, which hardly any reader still has, and at nil that became
// empty, it looks at the end.
type detector struct {
	mu      sync.Mutex
	present []kept // in the store, or replaced since the last look
	past    []kept
}

// kept is an object, with its state when it was written.
type kept struct {
	shared, copy controlloop.Object
	text         []byte // as it is stored, which is quicker to compare
	replaced     bool   // by another, or by nothing
}

func (k kept) looksTheSame() bool { return bytes.Equal(stored(k.shared), k.text) }
func (k kept) isTheSame() bool    { return reflect.DeepEqual(k.shared, k.copy) }

func stored(obj controlloop.Object) []byte {
	text, _ := obj.(interface{ Marshal() ([]byte, error) }).Marshal()
	return text // an API type always has one
}

func (d *detector) remember(w controlloop.Write) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, k := range d.present {
		if k.shared == w.Old {
			d.present[i].replaced = true
		}
	}
	d.present = append(d.present, kept{w.Object, controlloop.Copy(w.Object),
		stored(w.Object), w.Type == watch.Deleted})
}

// changes returns which fields of which objects have changed. Each
// change is reported once.
func (d *detector) changes() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := changes(d.present, kept.looksTheSame)
	d.present = slices.DeleteFunc(d.present, func(k kept) bool {
		if k.replaced {
			d.past = append(d.past, k)
		}
		return k.replaced
	})
	return found
}

// ever returns the changes of all objects that ever were in the store.
func (d *detector) ever() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append(changes(d.present, kept.isTheSame),
		changes(d.past, kept.isTheSame)...)
}

func changes(objects []kept, same func(kept) bool) (found []string) {
	for i, k := range objects {
		if same(k) {
			continue
		}
		for _, difference := range differences(k.copy, k.shared) {
			found = append(found, fmt.Sprintf("%s %s: %s",
				k.copy.GetObjectKind().GroupVersionKind().Kind,
				controlloop.KeyOf(k.copy), difference))
		}
		objects[i].copy, objects[i].text = controlloop.Copy(k.shared), stored(k.shared)
	}
	return found
}

// checkMutations fails the test when a shared object was changed.
func (c *Cluster) checkMutations(who string, changes func(*detector) []string) {
	if c.detector == nil {
		return
	}
	report(c.t, who, changes(c.detector))
}

func report(t testing.TB, who string, changes []string) {
	for _, change := range changes {
		t.Errorf("%s changed an object that is shared; copy it first: %s",
			who, change)
	}
}

// DetectMutations returns an option of a store that stands alone. It compares every
// object that ever was in the store, and so all that a client's Get has returned,
// with a copy when the test ends.
func DetectMutations(t testing.TB) controlloop.Option {
	d := &detector{}
	t.Cleanup(func() { report(t, "somebody, at some time,", d.ever()) })
	return controlloop.OnWrite(d.remember)
}

// differences returns the fields in which two objects differ, as they are
// written in a manifest: `spec.containers[0].image: "a" became "b"`.
func differences(before, after controlloop.Object) []string {
	found := compare("", plain(before), plain(after))
	if found == nil {
		return []string{"what is nil became empty, or the reverse"}
	}
	return found
}

func plain(obj controlloop.Object) (fields any) {
	text, err := json.Marshal(obj)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		panic(err) // every API type can be JSON
	}
	return fields
}

func compare(path string, before, after any) []string {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	var found []string
	switch was := before.(type) {
	case map[string]any:
		if is, ok := after.(map[string]any); ok {
			all := maps.Clone(was)
			maps.Copy(all, is)
			for _, key := range slices.Sorted(maps.Keys(all)) {
				found = append(found, compare(join(path, key), was[key], is[key])...)
			}
			return found
		}
	case []any:
		if is, ok := after.([]any); ok && len(is) == len(was) {
			for i := range was {
				found = append(found,
					compare(fmt.Sprintf("%s[%d]", path, i), was[i], is[i])...)
			}
			return found
		}
	}
	return []string{fmt.Sprintf("%s: %s became %s", path, show(before), show(after))}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func show(value any) string {
	if value == nil {
		return "nothing"
	}
	text, _ := json.Marshal(value)
	return string(text)
}
