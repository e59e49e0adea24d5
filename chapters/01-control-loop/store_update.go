package controlloop

import (
	"bytes"
	"context"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Update puts obj in the place of the stored object of its name, all but
// the status. It fails with 409 Conflict when obj is not made from the
// newest version, 404 NotFound, or 422 Invalid. An update that changes
// nothing writes nothing.
func (s *Store) Update(_ context.Context, obj Object) (Object, error) {
	return s.replace(obj, "Status", Kind.ValidateUpdate,
		func(k Kind, next, old Object) (changed bool) {
			if changed = !same(next, old, "Spec"); !changed {
				share(next, old, "Spec")
			}
			if k.HasGeneration && (changed || k.counts(next, old)) {
				next.SetGeneration(old.GetGeneration() + 1)
			}
			return changed
		})
}

// UpdateStatus stores obj's status and annotations and leaves all else as it
// is. It fails as Update does, and with 404 for a kind that has no status.
func (s *Store) UpdateStatus(_ context.Context, obj Object) (Object, error) {
	if kind, err := s.kinds.Of(obj); err == nil && !kind.HasStatus {
		resource := kind.GroupResource()
		resource.Resource += "/status"
		return nil, apierrors.NewNotFound(resource, obj.GetName())
	}
	return s.replace(obj, "Spec", Kind.ValidateStatusUpdate,
		func(k Kind, next, old Object) (changed bool) {
			k.keep(next, old)
			next.SetLabels(old.GetLabels())
			next.SetOwnerReferences(old.GetOwnerReferences())
			next.SetFinalizers(old.GetFinalizers())
			return !same(next, old, "Status")
		})
}

// keepIdentity copies into next the fields that no update may change.
func keepIdentity(next, old Object) {
	next.GetObjectKind().SetGroupVersionKind(old.GetObjectKind().GroupVersionKind())
	next.SetResourceVersion(old.GetResourceVersion())
	next.SetUID(old.GetUID())
	next.SetGeneration(old.GetGeneration())
	next.SetCreationTimestamp(old.GetCreationTimestamp())
	next.SetDeletionTimestamp(old.GetDeletionTimestamp())
	next.SetDeletionGracePeriodSeconds(old.GetDeletionGracePeriodSeconds())
}

// without returns obj without one of its parts, which then need not be copied.
func without(obj Object, name string) Object {
	rest := reflect.New(reflect.TypeOf(obj).Elem())
	rest.Elem().Set(reflect.ValueOf(obj).Elem())
	if p := part(rest.Interface().(Object), name); p.IsValid() {
		p.SetZero()
	}
	return rest.Interface().(Object)
}

// share lets next take over a part of old, which neither of them will change.
func share(next, old Object, name string) {
	if p := part(next, name); p.IsValid() {
		p.Set(part(old, name))
	}
}

// same reports whether a part is the same in both.
func same(next, old Object, name string) bool {
	a, b := part(next, name), part(old, name)
	return !a.IsValid() || bytes.Equal(
		written(a.Addr().Interface()), written(b.Addr().Interface()))
}

// written returns an object of Kubernetes' API, or a part of one, as etcd is
// given it. Values that are written the same are the same: nil and empty, two
// times within a second. (Kubernetes: GuaranteedUpdate in
// k8s.io/apiserver/pkg/storage/etcd3/store.go.)
func written(object any) []byte {
	text, err := object.(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		panic(err) // it only sizes a buffer, and fills it
	}
	return text
}

// counts reports whether generation counts this update, though the spec is the
// same.
func (k Kind) counts(next, old Object) bool {
	return k.Counts != nil && k.Counts(next, old)
}
