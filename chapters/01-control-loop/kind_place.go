package controlloop

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// place is a place in an object, where what is wrong is written down.
type place struct {
	path *field.Path
	errs *field.ErrorList
}

func placeAt(path *field.Path) place { return place{path, &field.ErrorList{}} }

func (p place) child(name string) place {
	return place{p.path.Child(name), p.errs}
}

func (p place) index(i int) place { return place{p.path.Index(i), p.errs} }

func (p place) add(errs ...*field.Error) {
	*p.errs = append(*p.errs, errs...)
}

func (p place) required(given bool) bool {
	if !given {
		p.add(field.Required(p.path, ""))
	}
	return given
}

func (p place) invalid(value any, complaints ...string) {
	for _, complaint := range complaints {
		p.add(field.Invalid(p.path, value, complaint))
	}
}

func (p place) forbidden(why string) { p.add(field.Forbidden(p.path, why)) }

// label wants a DNS label: what is named so may be part of a host's name.
func (p place) label(name string) {
	if p.required(name != "") {
		p.invalid(name, validation.IsDNS1123Label(name)...)
	}
}

func (p place) port(number int32) {
	p.invalid(number, validation.IsValidPortNum(int(number))...)
}

func (p place) unique(value string, seen sets.Set[string]) {
	if seen.Has(value) {
		p.add(field.Duplicate(p.path, value))
	}
	seen.Insert(value)
}

func oneOf[T ~string](p place, value T, allowed ...T) {
	if p.required(value != "") && !slices.Contains(allowed, value) {
		p.add(field.NotSupported(p.path, value, allowed))
	}
}

func nonnegative[T int32 | int64](p place, value T) {
	if value < 0 {
		p.invalid(value, "must be greater than or equal to 0")
	}
}
