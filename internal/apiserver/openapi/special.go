package openapi

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// special lists types that are written otherwise than their fields would be,
// with a description: they come without documentation.
var special = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time](): "Time is a wrapper around time.Time which " +
		"supports correct marshaling to YAML and JSON.  Wrappers are provided for " +
		"many of the factory methods that the time package offers.",
	reflect.TypeFor[metav1.MicroTime](): "MicroTime is version of Time with " +
		"microsecond level precision.",
	reflect.TypeFor[intstr.IntOrString](): "IntOrString is a type that can hold an " +
		"int32 or a string.  When used in JSON or YAML marshalling and " +
		"unmarshalling, it produces or consumes the inner type.  This allows you to " +
		"have, for example, a JSON field that can accept a name or number.",
	reflect.TypeFor[resource.Quantity](): "Quantity is an amount of a resource: a " +
		"number, whole or with up to three decimals, and a suffix that says what it " +
		"counts in. 100m is a tenth, 2k two thousand, 1Gi two to the power of thirty.",
	reflect.TypeFor[runtime.RawExtension](): "RawExtension is used to hold extensions " +
		"in external versions.",
	reflect.TypeFor[metav1.FieldsV1](): "FieldsV1 stores a set of fields in a data " +
		"structure like a Trie, in JSON format.",
	reflect.TypeFor[metav1.Patch](): "Patch is provided to give a concrete name and " +
		"type to the Kubernetes PATCH request body.",
}

// specialSchema returns the schema of a type that says itself how it is
// written, or of one that may hold anything; nil for all others.
func specialSchema(t reflect.Type) *spec.Schema {
	doc, ok := special[t]
	if !ok {
		return nil
	}
	schema := object(doc)
	schema.Properties = nil
	value := reflect.Zero(t).Interface()
	if typed, ok := value.(interface {
		OpenAPISchemaType() []string
		OpenAPISchemaFormat() string
	}); ok {
		schema.Type = typed.OpenAPISchemaType()
		schema.Format = typed.OpenAPISchemaFormat()
	}
	if several, ok := value.(interface{ OpenAPIV3OneOfTypes() []string }); ok {
		schema.Type = nil
		for _, one := range several.OpenAPIV3OneOfTypes() {
			schema.OneOf = append(schema.OneOf, spec.Schema{
				SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{one}},
			})
		}
	}
	return schema
}
