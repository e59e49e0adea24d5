package snapshot

import (
	"cmp"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// State holds the objects of a store, and the version up to which its clients
// may have seen it.
type State struct {
	Version uint64
	Objects []controlloop.Object
}

// id names an object among all there are.
type id struct {
	kind schema.GroupVersionKind
	key  controlloop.Key
}

func idOf(obj controlloop.Object) id {
	return id{obj.GetObjectKind().GroupVersionKind(), controlloop.KeyOf(obj)}
}

// String returns the id as a person would say it: "Pod default/web".
func (i id) String() string {
	if i.key.Namespace == "" {
		return i.kind.Kind + " " + i.key.Name
	}
	return i.kind.Kind + " " + i.key.String()
}

// compare orders by kind, namespace and name.
func (i id) compare(other id) int {
	return cmp.Or(
		cmp.Compare(i.kind.String(), other.kind.String()),
		cmp.Compare(i.key.Namespace, other.key.Namespace),
		cmp.Compare(i.key.Name, other.key.Name),
	)
}

func versionOf(obj controlloop.Object) (uint64, error) {
	return strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
}
