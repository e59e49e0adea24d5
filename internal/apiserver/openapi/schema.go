package openapi

import (
	"cmp"
	"maps"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// schemas holds the schemas of Go types, by the name of their model:
// io.k8s.api.core.v1.PodSpec. Types to which a type refers are there too.
type schemas struct {
	all map[string]*spec.Schema
}

func newSchemas() *schemas {
	return &schemas{all: map[string]*spec.Schema{}}
}

// addKind adds a kind to the schema of its Go type, which it makes if need be.
func (s *schemas) addKind(gvk schema.GroupVersionKind, t reflect.Type) {
	s.ref(t)
	of := s.all[modelName(t)]
	all, _ := of.Extensions[gvkExtension].([]any)
	for _, known := range all {
		if maps.Equal(known.(map[string]any), gvkMap(gvk)) {
			return
		}
	}
	of.AddExtension(gvkExtension, append(all, gvkMap(gvk)))
}

// addList adds the schema of a list of such objects.
func (s *schemas) addList(gvk schema.GroupVersionKind, t reflect.Type) {
	list := object(gvk.Kind + "List is a list of " + gvk.Kind + " objects.")
	s.addFields(list, reflect.TypeFor[metav1.TypeMeta]())
	list.Properties["metadata"] = described(s.ref(reflect.TypeFor[metav1.ListMeta]()),
		"Standard list metadata.", map[string]any{})
	list.Properties["items"] = *spec.ArrayProperty(s.ref(t)).
		WithDescription("Items is the list of " + gvk.Kind + " objects.")
	list.Required = []string{"items"}
	gvk.Kind += "List"
	list.AddExtension(gvkExtension, []any{gvkMap(gvk)})
	s.all[modelName(t)+"List"] = list
}

// ref returns a reference to the schema of a named type, which it adds.
func (s *schemas) ref(t reflect.Type) *spec.Schema {
	name := modelName(t)
	if _, done := s.all[name]; !done {
		s.all[name] = nil // it may refer to itself
		s.all[name] = s.named(t)
	}
	return spec.RefSchema("#/components/schemas/" + name)
}

// named returns the schema of a type that has a name.
func (s *schemas) named(t reflect.Type) *spec.Schema {
	if special := specialSchema(t); special != nil {
		return special
	}
	schema := object(docOf(t)[""])
	s.addFields(schema, t)
	addMarkers(schema, modelName(t))
	return schema
}

func object(description string) *spec.Schema {
	return &spec.Schema{SchemaProps: spec.SchemaProps{
		Type:        spec.StringOrArray{"object"},
		Description: description,
		Properties:  map[string]spec.Schema{},
	}}
}

// addFields adds the fields of a struct. Embedded ones are fields of its own.
func (s *schemas) addFields(to *spec.Schema, t reflect.Type) {
	for field := range fields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && field.Anonymous:
			s.addFields(to, field.Type)
		default:
			name = cmp.Or(name, field.Name)
			to.Properties[name] = s.property(field, docOf(t)[name])
			if !strings.Contains(options, "omit") {
				to.Required = append(to.Required, name)
			}
		}
	}
}

func fields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if t.Field(i).IsExported() && !yield(t.Field(i)) {
				return
			}
		}
	}
}

// property returns the schema of a field: its type, its description,
// and how it is patched.
func (s *schemas) property(field reflect.StructField, doc string) spec.Schema {
	var empty any
	if field.Type.Kind() == reflect.Struct && specialSchema(field.Type) == nil {
		empty = map[string]any{}
	}
	property := described(s.schemaOf(field.Type), doc, empty)
	for tag, extension := range map[string]string{
		"patchStrategy": "x-kubernetes-patch-strategy",
		"patchMergeKey": "x-kubernetes-patch-merge-key",
	} {
		if value := field.Tag.Get(tag); value != "" {
			property.AddExtension(extension, value)
		}
	}
	return property
}

// described adds to a schema the description of one use. A reference stands
// alone, so that one is wrapped.
func described(schema *spec.Schema, doc string, empty any) spec.Schema {
	if schema.Ref.String() != "" {
		schema = &spec.Schema{
			SchemaProps: spec.SchemaProps{AllOf: []spec.Schema{*schema}},
		}
	}
	schema.Description = doc
	schema.Default = empty
	return *schema
}

// schemaOf returns the schema of any type.
func (s *schemas) schemaOf(t reflect.Type) *spec.Schema {
	if _, ok := reflect.Zero(t).Interface().(model); ok && t.Kind() != reflect.Pointer {
		return s.ref(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.schemaOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return spec.StrFmtProperty("byte")
		}
		return spec.ArrayProperty(s.schemaOf(t.Elem()))
	case reflect.Map:
		return spec.MapProperty(s.schemaOf(t.Elem()))
	case reflect.Bool:
		return spec.BooleanProperty()
	case reflect.Int32:
		return spec.Int32Property()
	case reflect.Int64:
		return spec.Int64Property()
	case reflect.String:
		return spec.StringProperty()
	}
	panic("no schema for " + t.String())
}

// model is implemented by all types that are a schema of their own.
type model interface{ OpenAPIModelName() string }

func modelName(t reflect.Type) string {
	return reflect.Zero(t).Interface().(model).OpenAPIModelName()
}

// docOf returns the documentation of a type, under "", and of its fields.
func docOf(t reflect.Type) map[string]string {
	if documented, ok := reflect.Zero(t).Interface().(interface {
		SwaggerDoc() map[string]string
	}); ok {
		return documented.SwaggerDoc()
	}
	return nil
}

const gvkExtension = "x-kubernetes-group-version-kind"

func gvkMap(gvk schema.GroupVersionKind) map[string]any {
	return map[string]any{
		"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind,
	}
}
