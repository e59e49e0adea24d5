package openapi

import (
	"maps"
	"net/http"
	"reflect"
	"slices"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"reconcile/internal/apiserver/kinds"
)

// pathsOf returns the paths of a kind: where all its objects are, in one
// namespace or in all, where one is, its status and its scale.
func pathsOf(kind kinds.Kind) map[string]*spec3.Path {
	root := "/" + pathOf(kind.GroupVersion())
	object := modelName(reflect.TypeOf(kind.New()).Elem())
	collection := root + "/" + kind.Resource
	paths := map[string]*spec3.Path{}
	if kind.Namespaced {
		paths[collection] = path(nil, operations{http.MethodGet: list(kind, object)})
		collection = root + "/namespaces/{namespace}/" + kind.Resource
	}
	all := operations{
		http.MethodGet: list(kind, object), http.MethodPost: create(kind, object),
	}
	if !kind.OneByOne {
		all[http.MethodDelete] = operation(kind, "deletecollection", modelName(statusType))
	}
	paths[collection] = path(place(kind, false), all)
	one := change(kind, object)
	one[http.MethodDelete] = operation(kind, "delete", modelName(statusType))
	paths[collection+"/{name}"] = path(place(kind, true), one)
	if kind.HasStatus {
		paths[collection+"/{name}/status"] = path(place(kind, true), change(kind, object))
	}
	if kind.Scale != nil {
		scale := kind
		scale.GroupVersionKind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")
		paths[collection+"/{name}/scale"] = path(place(kind, true), change(scale,
			modelName(reflect.TypeFor[autoscalingv1.Scale]())))
	}
	return paths
}

var statusType = reflect.TypeFor[metav1.Status]()

// operations holds those of a path, by method.
type operations map[string]*spec3.Operation

func path(parameters []*spec3.Parameter, all operations) *spec3.Path {
	return &spec3.Path{PathProps: spec3.PathProps{
		Parameters: parameters,
		Get:        all[http.MethodGet],
		Put:        all[http.MethodPut],
		Post:       all[http.MethodPost],
		Delete:     all[http.MethodDelete],
		Patch:      all[http.MethodPatch],
	}}
}

// place returns the parameters in a path.
func place(kind kinds.Kind, name bool) []*spec3.Parameter {
	var all []*spec3.Parameter
	if name {
		all = append(all, parameter("path", "name", spec.StringProperty()))
	}
	if kind.Namespaced {
		all = append(all, parameter("path", "namespace", spec.StringProperty()))
	}
	return all
}

func parameter(in, name string, schema *spec.Schema) *spec3.Parameter {
	return &spec3.Parameter{ParameterProps: spec3.ParameterProps{
		Name: name, In: in, Required: in == "path", Schema: schema,
	}}
}

// query returns parameters after the question mark.
func query(schemas map[string]*spec.Schema) []*spec3.Parameter {
	var all []*spec3.Parameter
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		all = append(all, parameter("query", name, schemas[name]))
	}
	return all
}

func list(kind kinds.Kind, object string) *spec3.Operation {
	o := operation(kind, "list", object+"List")
	o.Parameters = query(map[string]*spec.Schema{
		"allowWatchBookmarks":  spec.BooleanProperty(),
		"continue":             spec.StringProperty(),
		"fieldSelector":        spec.StringProperty(),
		"labelSelector":        spec.StringProperty(),
		"limit":                spec.Int64Property(),
		"resourceVersion":      spec.StringProperty(),
		"resourceVersionMatch": spec.StringProperty(),
		"sendInitialEvents":    spec.BooleanProperty(),
		"timeoutSeconds":       spec.Int64Property(),
		"watch":                spec.BooleanProperty(),
	})
	return o
}

func create(kind kinds.Kind, object string) *spec3.Operation {
	o := operation(kind, "post", object)
	o.Parameters = writing(nil)
	o.RequestBody = body(object, "*/*")
	return o
}

// change returns the operations that read, replace and patch an
// object, or a part of it.
func change(kind kinds.Kind, object string) operations {
	put := operation(kind, "put", object)
	put.Parameters = writing(nil)
	put.RequestBody = body(object, "*/*")
	patch := operation(kind, "patch", object)
	patch.Parameters = writing(map[string]*spec.Schema{"force": spec.BooleanProperty()})
	patch.RequestBody = body(modelName(reflect.TypeFor[metav1.Patch]()),
		string(types.ApplyYAMLPatchType), string(types.JSONPatchType),
		string(types.MergePatchType), string(types.StrategicMergePatchType))
	return operations{
		http.MethodGet:   operation(kind, "get", object),
		http.MethodPut:   put,
		http.MethodPatch: patch,
	}
}

// writing returns the parameters of all operations that write. kubectl looks for
// fieldValidation: a server that has it refuses fields that it does not know.
func writing(more map[string]*spec.Schema) []*spec3.Parameter {
	all := map[string]*spec.Schema{
		"dryRun":          spec.StringProperty(),
		"fieldManager":    spec.StringProperty(),
		"fieldValidation": spec.StringProperty(),
	}
	maps.Copy(all, more)
	return query(all)
}

// operation returns one that acts on a kind, with the schema of its answer.
func operation(kind kinds.Kind, action, answer string) *spec3.Operation {
	o := &spec3.Operation{OperationProps: spec3.OperationProps{
		Responses: &spec3.Responses{ResponsesProps: spec3.ResponsesProps{
			StatusCodeResponses: map[int]*spec3.Response{
				http.StatusOK: {ResponseProps: spec3.ResponseProps{
					Description: "OK", Content: content(answer, "application/json"),
				}},
			},
		}},
	}}
	o.AddExtension("x-kubernetes-action", action)
	o.AddExtension(gvkExtension, gvkMap(kind.GroupVersionKind))
	return o
}

func body(model string, contentTypes ...string) *spec3.RequestBody {
	return &spec3.RequestBody{RequestBodyProps: spec3.RequestBodyProps{
		Required: true, Content: content(model, contentTypes...),
	}}
}

func content(model string, contentTypes ...string) map[string]*spec3.MediaType {
	all := map[string]*spec3.MediaType{}
	for _, contentType := range contentTypes {
		all[contentType] = &spec3.MediaType{MediaTypeProps: spec3.MediaTypeProps{
			Schema: spec.RefSchema("#/components/schemas/" + model),
		}}
	}
	return all
}
