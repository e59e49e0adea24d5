package controlloop

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Named returns obj with the name that it is to be created by, for whoever judges it
// before: obj itself, unless only its generateName was given.
func (s *Store) Named(obj Object) (Object, error) {
	if obj.GetName() != "" || obj.GetGenerateName() == "" {
		return obj, nil
	}
	next := Copy(obj)
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.tableOf(next)
	if err != nil {
		return nil, err
	}
	s.name(t, next)
	return next, nil
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

// taken returns the error of a name that an object has. Of one that is only waiting
// for its end it says so: trying again is enough. (Kubernetes: Store.Create in
// k8s.io/apiserver/pkg/registry/generic/registry.)
func (k Kind) taken(by Object) error {
	err := apierrors.NewAlreadyExists(k.GroupResource(), by.GetName())
	if by.GetDeletionTimestamp() != nil {
		err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
	}
	return err
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
