package apiserver

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
)

// newManagers returns the keeper of metadata.managedFields: which client set which
// field of a kind, through one subresource.
func newManagers(
	kind kinds.Kind, fill defaulter, subresource string, codecs *codecs,
) *managedfields.FieldManager {
	managers, err := managedfields.NewDefaultFieldManager(codecs.typed, codecs.scheme,
		fill, codecs.scheme, kind.GroupVersionKind, kind.GroupVersion(),
		subresource, ignored(kind, subresource))
	if err != nil {
		panic(err) // of a wrong table only
	}
	return managers
}

// ignored returns the fields that a subresource does not write, whatever it is
// sent: no client becomes their manager through it.
func ignored(
	kind kinds.Kind, subresource string,
) map[fieldpath.APIVersion]fieldpath.Filter {
	version := fieldpath.APIVersion(kind.GroupVersion().String())
	var paths []fieldpath.Path
	switch {
	case subresource == "ephemeralcontainers":
		return map[fieldpath.APIVersion]fieldpath.Filter{
			version: fieldpath.NewIncludeMatcherFilter(
				fieldpath.MakePrefixMatcherOrDie("spec", "ephemeralContainers")),
		}
	case subresource == "status":
		paths = []fieldpath.Path{
			fieldpath.MakePathOrDie("spec"),
			fieldpath.MakePathOrDie("metadata", "labels"),
			fieldpath.MakePathOrDie("metadata", "ownerReferences"),
			fieldpath.MakePathOrDie("metadata", "finalizers"),
		}
	case kind.HasStatus:
		paths = []fieldpath.Path{fieldpath.MakePathOrDie("status")}
	default:
		return nil
	}
	return fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{
		version: fieldpath.NewSet(paths...),
	})
}

// whole cuts the times of managers to whole seconds, as the API writes them: an
// object that is stored and one that is read again must be equal.
func whole(obj runtime.Object) controlloop.Object {
	o := obj.(controlloop.Object)
	entries := slices.Clone(o.GetManagedFields())
	for i := range entries {
		if entries[i].Time != nil {
			entries[i].Time = new(entries[i].Time.Rfc3339Copy())
		}
	}
	o.SetManagedFields(entries)
	return o
}

// onlyTimesDiffer reports whether next's managers are those of live, but for
// when they last wrote.
func onlyTimesDiffer(next, live controlloop.Object) bool {
	ours, theirs := next.GetManagedFields(), live.GetManagedFields()
	return !equality.Semantic.DeepEqual(ours, theirs) &&
		slices.EqualFunc(ours, theirs, func(a, b metav1.ManagedFieldsEntry) bool {
			a.Time, b.Time = nil, nil
			return equality.Semantic.DeepEqual(a, b)
		})
}

// defaulter gives the field manager the kind's defaults.
type defaulter func(obj controlloop.Object)

// Default implements runtime.ObjectDefaulter.
func (d defaulter) Default(obj runtime.Object) {
	if o, ok := obj.(controlloop.Object); ok {
		d(o)
	}
}
