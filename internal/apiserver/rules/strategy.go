package rules

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/versions"
)

// strategy is what Kubernetes' server does with objects of one kind, whose
// internal type is T. Any of its functions may be nil.
type strategy[T runtime.Object] struct {
	// prepare fills in what no version's defaults do, and drops the fields of
	// features that are off. It is called before every write; a second time it
	// changes nothing.
	prepare func(obj T)
	create  func(obj T) field.ErrorList
	update  func(obj, old T) field.ErrorList
	status  func(obj, old T) field.ErrorList
	warn    func(obj, old T) []string // old is nil if obj is new
	// options are the features that the kind's declarative validation asks for.
	options map[string]bool
}

// server is a strategy without the type.
type server interface {
	fill(obj controlloop.Object)
	verdicts(kind controlloop.Kind) controlloop.Verdicts
	warnings(obj, old controlloop.Object) []string
}

// fill fills in defaults, and both of two names that one field has.
func (s strategy[T]) fill(obj controlloop.Object) {
	versions.Scheme.Default(obj)
	internal, err := versions.Internal(obj)
	if err != nil {
		return // validation says so
	}
	if s.prepare != nil {
		s.prepare(internal.(T))
	}
	restore(obj, internal)
}

func restore(obj controlloop.Object, internal runtime.Object) {
	if err := versions.Restore(obj, internal); err != nil {
		panic(err) // it was read a moment ago
	}
}

// verdicts returns what is wrong with objects, in Kubernetes' order. (BeforeCreate
// and BeforeUpdate in k8s.io/apiserver/pkg/registry/rest.)
func (s strategy[T]) verdicts(kind controlloop.Kind) controlloop.Verdicts {
	return controlloop.Verdicts{
		Create: func(obj controlloop.Object) field.ErrorList {
			return s.judge(obj, nil, func(obj, _ T) field.ErrorList {
				var errs field.ErrorList
				if s.create != nil {
					errs = s.create(obj)
				}
				if len(errs) == 0 {
					errs = checkMeta(obj, kind)
				}
				return errs
			})
		},
		Update: func(obj, old controlloop.Object) field.ErrorList {
			return s.judge(obj, old, func(obj, old T) field.ErrorList {
				errs := checkMetaUpdate(obj, old, kind)
				if s.update != nil {
					errs = append(errs, s.update(obj, old)...)
				}
				return errs
			})
		},
		Status: func(obj, old controlloop.Object) field.ErrorList {
			return s.judge(obj, old, func(obj, old T) field.ErrorList {
				errs := checkMetaUpdate(obj, old, kind)
				if s.status != nil {
					errs = append(errs, s.status(obj, old)...)
				}
				return errs
			}, "status")
		},
	}
}

// judge returns what Kubernetes' validation finds: the handwritten one, except
// where the one that is generated from the types has replaced it.
func (s strategy[T]) judge(
	obj, old controlloop.Object, byHand func(obj, old T) field.ErrorList,
	subresource ...string,
) field.ErrorList {
	next, was, err := internals[T](obj, old)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	ctx := context.Background()
	var declared field.ErrorList
	if old == nil {
		declared = versions.Scheme.Validate(ctx, s.options, obj, subresource...)
	} else {
		declared = versions.Scheme.ValidateUpdate(ctx, s.options, obj, old, subresource...)
	}
	declared = validate.FilterEnforcedDeclarativeErrors(ctx, declared, true)
	errs := byHand(next, was).MarkFromImperative()
	return append(validate.FilterCoveredHandwrittenErrors(ctx, errs, declared, true),
		declared...)
}

func (s strategy[T]) warnings(obj, old controlloop.Object) []string {
	next, was, err := internals[T](obj, old)
	if s.warn == nil || err != nil {
		return nil
	}
	return s.warn(next, was)
}

// internals returns the internal forms of two objects; that of a nil old is
// nil.
func internals[T runtime.Object](obj, old controlloop.Object) (next, was T, err error) {
	internal, err := versions.Internal(obj)
	if err != nil {
		return next, was, err
	}
	next = internal.(T)
	if old == nil {
		return next, was, nil
	}
	if internal, err = versions.Internal(old); err != nil {
		return next, was, err
	}
	return next, internal.(T), nil
}

var (
	metaPath     = field.NewPath("metadata")
	specPath     = field.NewPath("spec")
	templatePath = specPath.Child("template")
)

// segment takes a name that can stand in a URL. What else a kind asks of its
// names, its own validation knows.
func segment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

func checkMeta(obj runtime.Object, kind controlloop.Kind) field.ErrorList {
	about, err := meta.Accessor(obj)
	if err != nil {
		panic(err) // every kind has metadata
	}
	return validation.ValidateObjectMetaAccessor(about, kind.Namespaced, segment, metaPath)
}

func checkMetaUpdate(obj, old runtime.Object, kind controlloop.Kind) field.ErrorList {
	next, err := meta.Accessor(obj)
	was, err2 := meta.Accessor(old)
	if err != nil || err2 != nil {
		panic("an object without metadata") // every kind has them
	}
	return append(checkMeta(obj, kind),
		validation.ValidateObjectMetaAccessorUpdate(next, was, metaPath)...)
}
