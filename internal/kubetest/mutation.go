package kubetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	controlloop "reconcile/chapters/01-control-loop"
)

// detector finds out that an object was changed after it was written: such an
// object is in the store and in caches, and others read it.
type detector struct {
	mu      sync.Mutex
	objects []kept
}

// kept is an object, and what it was when it was written.
type kept struct{ shared, copy controlloop.Object }

func (d *detector) remember(obj controlloop.Object) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.objects = append(d.objects, kept{obj, controlloop.Copy(obj)})
}

// changes says which fields of which objects are not what they were. Each
// change is reported once.
func (d *detector) changes() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []string
	for i, k := range d.objects {
		if reflect.DeepEqual(k.shared, k.copy) {
			continue
		}
		for _, difference := range differences(k.copy, k.shared) {
			found = append(found, fmt.Sprintf("%s %s: %s",
				k.copy.GetObjectKind().GroupVersionKind().Kind,
				controlloop.KeyOf(k.copy), difference))
		}
		d.objects[i].copy = controlloop.Copy(k.shared)
	}
	return found
}

// checkMutations fails the test when somebody has changed what is shared.
func (c *Cluster) checkMutations(who string) {
	if c.detector == nil {
		return
	}
	for _, change := range c.detector.changes() {
		c.t.Errorf("%s changed an object that is shared; copy it first: %s",
			who, change)
	}
}

// differences are the fields in which two objects differ, as they are written
// in a manifest: `spec.containers[0].image: "a" became "b"`.
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
		panic(err) // an API type that cannot be JSON
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
