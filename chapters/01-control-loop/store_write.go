package controlloop

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Create stores a new object: with a uid, a time of creation, its first
// version, and a name where only generateName was given. It fails with 409
// AlreadyExists or 422 Invalid.
func (s *Store) Create(_ context.Context, obj Object) (Object, error) {
	next := Copy(obj)
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.tableOf(next)
	if err != nil {
		return nil, err
	}
	if next.GetResourceVersion() != "" {
		return nil, apierrors.NewBadRequest(
			"resourceVersion should not be set on objects to be created")
	}
	t.clearStatus(next)
	s.name(t, next)
	t.Default(next)
	s.begin(t, next)
	inVain := t.allot(next, nil)
	if err := cmp.Or(t.ValidateCreate(next), inVain); err != nil {
		return nil, err
	}
	if _, taken := t.objects[KeyOf(next)]; taken {
		return nil, apierrors.NewAlreadyExists(t.GroupResource(), next.GetName())
	}
	return s.commit(t, watch.Added, next, nil), nil
}

// name generates one where only generateName was given: before anything is
// filled in, since defaults may follow from the name.
func (s *Store) name(t *table, obj Object) {
	t.inNamespace(obj)
	if obj.GetName() == "" && obj.GetGenerateName() != "" {
		obj.SetName(s.freeName(t, obj))
	}
}

// begin fills in what only the store may say of a new object.
func (s *Store) begin(t *table, obj Object) {
	obj.SetUID(s.id.uid())
	obj.SetCreationTimestamp(Now())
	obj.SetDeletionTimestamp(nil)
	obj.SetDeletionGracePeriodSeconds(nil)
	obj.SetGeneration(0)
	if t.HasGeneration {
		obj.SetGeneration(1)
	}
}

// clearStatus drops the status that the creator of an object gave it, since
// status is for others to observe.
func (k Kind) clearStatus(obj Object) {
	if status := part(obj, "Status"); k.HasStatus && !k.KeepsStatus {
		status.SetZero()
	}
}

// freeName tries eight times to find a name that is not taken, as Kubernetes
// does; if all are, the caller gets AlreadyExists.
func (s *Store) freeName(t *table, obj Object) string {
	key := KeyOf(obj)
	for range 8 {
		key.Name = s.id.name(obj.GetGenerateName())
		if _, taken := t.objects[key]; !taken {
			break
		}
	}
	return key.Name
}

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

// replace does the work of both updates: other is the part of old that this one
// may not touch, validate what it must pass, and keep sees to the rest. When
// keep knows that something changed, the rest need not be compared.
func (s *Store) replace(
	obj Object, other string, validate func(k Kind, next, old Object) error,
	keep func(k Kind, next, old Object) (changed bool),
) (Object, error) {
	next := Copy(without(obj, other))
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.tableOf(next)
	if err != nil {
		return nil, err
	}
	t.Default(next)
	old, err := t.get(KeyOf(next))
	if err != nil {
		return nil, err
	}
	if err := t.fresh(next.GetResourceVersion(), next.GetUID(), old); err != nil {
		return nil, err
	}
	keepIdentity(next, old)
	share(next, old, other)
	var inVain error
	if other == "Status" {
		inVain = t.allot(next, old)
	}
	changed := keep(t.Kind, next, old)
	if !changed && bytes.Equal(written(next), written(old)) {
		return old, nil
	}
	if err := cmp.Or(validate(t.Kind, next, old), inVain); err != nil {
		return nil, err
	}
	if t.gone(next) {
		return s.commit(t, watch.Deleted, next, old), nil
	}
	return s.commit(t, watch.Modified, next, old), nil
}

// fresh checks a write that was made from a version: a writer says
// which version and which uid its change was made from, and is refused
// if the object has changed since, or was replaced by another of the
// same name. That is optimistic concurrency. A writer that names
// neither overwrites the object as it is.
//
//book:exercise 1.2
func (k Kind) fresh(version string, uid types.UID, old Object) error {
	if uid != "" && uid != old.GetUID() {
		return k.conflict(old, fmt.Errorf(
			"Precondition failed: UID in precondition: %v, UID in object meta: %v",
			uid, old.GetUID()))
	}
	if version != "" && version != old.GetResourceVersion() {
		return k.conflict(old, errors.New("the object has been modified; please "+
			"apply your changes to the latest version and try again"))
	}
	return nil
}

// keepIdentity copies into next the fields that no update may change.
func keepIdentity(next, old Object) {
	next.GetObjectKind().SetGroupVersionKind(old.GetObjectKind().GroupVersionKind())
	next.SetResourceVersion(old.GetResourceVersion())
	next.SetUID(old.GetUID())
	next.SetGenerateName(old.GetGenerateName())
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

func (s *Store) tableOf(obj Object) (*table, error) {
	kind, err := s.kinds.Of(obj)
	if err != nil {
		return nil, err
	}
	return s.table(kind.GroupVersionKind)
}

func (k Kind) conflict(obj Object, why error) error {
	return apierrors.NewConflict(k.GroupResource(), obj.GetName(), why)
}

// Now returns the time as the API writes it: in whole seconds.
func Now() metav1.Time { return metav1.Now().Rfc3339Copy() }
