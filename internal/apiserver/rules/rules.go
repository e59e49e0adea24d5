package rules

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// typed holds rules for one Go type. Any of them may be nil.
type typed[T controlloop.Object] struct {
	name   validation.ValidateNameFunc
	fill   func(obj T)
	check  func(obj T) field.ErrorList
	change func(obj, old T) field.ErrorList
	allot  controlloop.Allotment
}

// rules returns the same rules without the type, as the store has them.
func (t typed[T]) rules() controlloop.Rules {
	r := controlloop.Rules{Name: t.name, Allotment: t.allot}
	if t.fill != nil {
		r.Fill = func(obj controlloop.Object) { t.fill(obj.(T)) }
	}
	if t.check != nil {
		r.Check = func(obj controlloop.Object) field.ErrorList { return t.check(obj.(T)) }
	}
	if t.change != nil {
		r.Change = func(obj, old controlloop.Object) field.ErrorList {
			return t.change(obj.(T), old.(T))
		}
	}
	return r
}

// oneOf wants one of the allowed values, or names them.
func oneOf[T ~string](value T, path *field.Path, allowed ...T) field.ErrorList {
	switch {
	case value == "":
		return field.ErrorList{field.Required(path, "")}
	case !slices.Contains(allowed, value):
		return field.ErrorList{field.NotSupported(path, value, allowed)}
	}
	return nil
}

// supported wants one of the allowed values, as oneOf does, if Kubernetes does
// not require a value.
func supported[T ~string](value T, path *field.Path, allowed ...T) field.ErrorList {
	if slices.Contains(allowed, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, allowed)}
}

func nonnegative(value int32, path *field.Path) field.ErrorList {
	return validation.ValidateNonnegativeField(int64(value), path)
}

// nonnegativeIfSet checks a number that may be left out.
func nonnegativeIfSet(value *int32, path *field.Path) field.ErrorList {
	if value == nil {
		return nil
	}
	return nonnegative(*value, path)
}

// label wants a DNS label: the name may be part of a host's name.
func label(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	return invalid(name, path, utilvalidation.IsDNS1123Label(name))
}

func labelIfSet(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return nil
	}
	return label(name, path)
}

// unique refuses a value that was seen before.
func unique(value string, seen sets.Set[string], path *field.Path) field.ErrorList {
	if seen.Has(value) {
		return field.ErrorList{field.Duplicate(path, value)}
	}
	seen.Insert(value)
	return nil
}

func checkPort(number int32, path *field.Path) field.ErrorList {
	return invalid(number, path, utilvalidation.IsValidPortNum(int(number)))
}

// invalid returns an error for each complaint about a value.
func invalid(value any, path *field.Path, complaints []string) field.ErrorList {
	var errs field.ErrorList
	for _, complaint := range complaints {
		errs = append(errs, field.Invalid(path, value, complaint))
	}
	return errs
}
