package controlloop

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Kind holds all that the store and the decoder know about a kind of object.
type Kind struct {
	schema.GroupVersionKind
	Resource      string // the plural that URLs and kubectl use: "pods"
	Namespaced    bool
	HasStatus     bool          // status is written apart from the rest
	KeepsStatus   bool          // its creator may say what its status is
	HasGeneration bool          // metadata.generation counts changes of spec
	New           func() Object // an empty object
	Rules
	Ending
}

// Rules hold what is peculiar to one kind. Any of them may be nil.
type Rules struct {
	Name           validation.ValidateNameFunc           // nil: a DNS subdomain
	Default        func(obj Object)                      // sets what was left out
	Validate       func(obj Object) field.ErrorList      // what is wrong with obj
	ValidateUpdate func(obj, old Object) field.ErrorList // what may not change
	Verdicts       Verdicts                              // instead of Name, Validate, ValidateUpdate
	Keep           func(obj, old Object)                 // what a new status left out
	Fields         func(obj Object) fields.Set           // what fields can select
	Topic          Topic                                 // the one that many select by
	Allotment      Allotment                             // what it has alone

	// Counts reports whether generation counts this update though the spec is
	// the same.
	Counts func(obj, old Object) bool
}

// Verdicts find all that is wrong with an object, its name and the rest of its
// metadata included: where a kind has them, Name, Validate and ValidateUpdate are not asked.
type Verdicts struct {
	Create         func(obj Object) field.ErrorList
	Update, Status func(obj, old Object) field.ErrorList
}

// And returns rules that apply r and then more: both fill in, both may
// complain, and fields of both can be selected by. If both have a rule for
// names, more's applies.
func (r Rules) And(more Rules) Rules {
	all := r
	all.Allotment = r.Allotment.and(more.Allotment)
	if more.Name != nil {
		all.Name = more.Name
	}
	if more.Verdicts.Create != nil {
		all.Verdicts = more.Verdicts
	}
	if more.Keep != nil {
		all.Keep = more.Keep
	}
	if more.Counts != nil {
		all.Counts = more.Counts
	}
	if more.Topic.Of != nil {
		all.Topic = more.Topic
	}
	all.Default = func(obj Object) {
		r.fill(obj)
		more.fill(obj)
	}
	all.Validate = func(obj Object) field.ErrorList {
		return slices.Concat(r.check(obj), more.check(obj))
	}
	all.ValidateUpdate = func(obj, old Object) field.ErrorList {
		return slices.Concat(r.change(obj, old), more.change(obj, old))
	}
	if r.Fields == nil {
		all.Fields = more.Fields
	} else if more.Fields != nil {
		all.Fields = func(obj Object) fields.Set {
			set := r.Fields(obj)
			maps.Copy(set, more.Fields(obj))
			return set
		}
	}
	return all
}

func (r Rules) fill(obj Object) {
	if r.Default != nil {
		r.Default(obj)
	}
}

func (r Rules) check(obj Object) field.ErrorList {
	if r.Validate == nil {
		return nil
	}
	return r.Validate(obj)
}

func (r Rules) change(obj, old Object) field.ErrorList {
	if r.ValidateUpdate == nil {
		return nil
	}
	return r.ValidateUpdate(obj, old)
}

func (r Rules) keep(obj, old Object) {
	if r.Keep != nil {
		r.Keep(obj, old)
	}
}

// Default fills in what the author of obj left out. Doing it twice changes
// nothing more.
func (k Kind) Default(obj Object) {
	k.inNamespace(obj)
	k.fill(obj)
}

func (k Kind) inNamespace(obj Object) {
	if k.Namespaced && obj.GetNamespace() == "" {
		obj.SetNamespace(corev1.NamespaceDefault)
	}
}

// ValidateCreate returns a 422 Invalid that names every field of obj that
// breaks a rule, or nil. By now the name has been generated and the
// defaults are filled in.
func (k Kind) ValidateCreate(obj Object) error {
	if k.Verdicts.Create != nil {
		return k.invalid(obj, k.Verdicts.Create(obj))
	}
	name := k.Name
	if name == nil {
		name = validation.NameIsDNSSubdomain
	}
	errs := validation.ValidateObjectMetaAccessor(
		obj, k.Namespaced, name, field.NewPath("metadata"))
	return k.invalid(obj, append(errs, k.check(obj)...))
}

// ValidateUpdate does the same for an obj that replaces old, of which some
// fields must be kept.
func (k Kind) ValidateUpdate(obj, old Object) error {
	if k.Verdicts.Update != nil {
		return k.invalid(obj, k.Verdicts.Update(obj, old))
	}
	errs := validation.ValidateObjectMetaAccessorUpdate(
		obj, old, field.NewPath("metadata"))
	return k.invalid(obj, slices.Concat(errs, k.check(obj), k.change(obj, old)))
}

// ValidateStatusUpdate checks all that a new status has to pass. Without
// Verdicts it refuses nothing that is said of an object's state; besides that
// only annotations can have changed.
func (k Kind) ValidateStatusUpdate(obj, old Object) error {
	if k.Verdicts.Status != nil {
		return k.invalid(obj, k.Verdicts.Status(obj, old))
	}
	return k.invalid(obj, validation.ValidateAnnotations(
		obj.GetAnnotations(), field.NewPath("metadata", "annotations")))
}

func (k Kind) invalid(obj Object, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(k.GroupKind(), obj.GetName(), errs)
}

// Kinds is a set of kinds. It never changes: With returns another.
type Kinds struct {
	byGVK  map[schema.GroupVersionKind]Kind
	byType map[reflect.Type]Kind
}

// With returns the kinds of k and more; a kind of more replaces one of k that
// has the same name.
func (k Kinds) With(more ...Kind) Kinds {
	all := Kinds{maps.Clone(k.byGVK), maps.Clone(k.byType)}
	if all.byGVK == nil {
		all.byGVK = map[schema.GroupVersionKind]Kind{}
		all.byType = map[reflect.Type]Kind{}
	}
	for _, kind := range more {
		all.byGVK[kind.GroupVersionKind] = kind
		all.byType[reflect.TypeOf(kind.New())] = kind
	}
	return all
}

// For returns the kind that a manifest names, or a meta.NoKindMatchError.
func (k Kinds) For(gvk schema.GroupVersionKind) (Kind, error) {
	if kind, ok := k.byGVK[gvk]; ok {
		return kind, nil
	}
	return Kind{}, &meta.NoKindMatchError{
		GroupKind:        gvk.GroupKind(),
		SearchedVersions: []string{gvk.Version},
	}
}

// Of returns the kind of an object by its Go type: apiVersion and kind need
// not be set, and mostly are not.
func (k Kinds) Of(obj Object) (Kind, error) {
	if kind, ok := k.byType[reflect.TypeOf(obj)]; ok {
		return kind, nil
	}
	return Kind{}, runtime.NewNotRegisteredErrForType(
		"Kinds", reflect.TypeOf(obj))
}

// All returns every kind, sorted by group, version and name.
func (k Kinds) All() []Kind {
	return slices.SortedFunc(maps.Values(k.byGVK), func(a, b Kind) int {
		return cmp.Compare(a.String(), b.String())
	})
}
