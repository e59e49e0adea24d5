package openapi

import (
	"slices"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/validation/spec"
	merge "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// Comments in Kubernetes' source mark what Go types cannot say: how the
// elements of a list are told apart, defaults, which fields are optional.
// client-go has the first two compiled in, for server-side apply.

// merging returns client-go's knowledge of all of Kubernetes' types. Reading it
// takes a while, and is done once.
var merging = sync.OnceValue(func() *merge.Schema {
	deployment := &appsv1.Deployment{}
	deployment.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	typed, err := applyconfigurations.NewTypeConverter(scheme.Scheme).ObjectToTyped(deployment)
	if err != nil {
		panic("client-go does not know its own types: " + err.Error())
	}
	return typed.Schema()
})

// addMarkers adds to the schema of a struct the marks on its fields.
func addMarkers(schema *spec.Schema, model string) {
	schema.Required = slices.DeleteFunc(
		append(schema.Required, alsoRequired[model]...),
		func(name string) bool { return slices.Contains(notRequired[model], name) })
	def, _ := merging().FindNamedType(model)
	if def.Map == nil {
		return
	}
	if def.Map.ElementRelationship == merge.Atomic {
		schema.AddExtension(mapType, "atomic")
	}
	for _, field := range def.Map.Fields {
		property, ok := schema.Properties[field.Name]
		if !ok {
			continue
		}
		if field.Default != nil {
			property.Default = field.Default
		}
		addRelationship(&property, field.Type)
		schema.Properties[field.Name] = property
	}
}

const mapType = "x-kubernetes-map-type"

// addRelationship says whether the elements of a list or a map belong to
// different writers, and which of their fields tell those of a list apart.
func addRelationship(property *spec.Schema, t merge.TypeRef) {
	if own := t.ElementRelationship; own != nil && *own == merge.Separable {
		property.AddExtension(mapType, "granular")
	}
	if t.Inlined.Map != nil && t.Inlined.Map.ElementRelationship == merge.Atomic {
		property.AddExtension(mapType, "atomic")
	}
	list := t.Inlined.List
	switch {
	case list == nil:
	case list.ElementRelationship == merge.Atomic:
		property.AddExtension("x-kubernetes-list-type", "atomic")
	case len(list.Keys) == 0:
		property.AddExtension("x-kubernetes-list-type", "set")
	default:
		property.AddExtension("x-kubernetes-list-type", "map")
		property.AddExtension("x-kubernetes-list-map-keys", list.Keys)
	}
}

// Fields that are always written are required, and those that may be left out
// are not, but for these.
var (
	alsoRequired = map[string][]string{
		"io.k8s.api.apps.v1.DaemonSet":                       {"spec"},
		"io.k8s.api.apps.v1.Deployment":                      {"spec"},
		"io.k8s.api.apps.v1.ReplicaSet":                      {"spec"},
		"io.k8s.api.apps.v1.StatefulSet":                     {"spec"},
		"io.k8s.api.core.v1.ContainerRestartRule":            {"action"},
		"io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes": {"operator"},
		"io.k8s.api.core.v1.ImageVolumeStatus":               {"imageRef"},
		"io.k8s.api.core.v1.PodCertificateProjection":        {"signerName", "keyType"},
	}
	notRequired = map[string][]string{
		"io.k8s.api.apps.v1.ControllerRevision":              {"revision"},
		"io.k8s.api.apps.v1.DaemonSetCondition":              {"status", "type"},
		"io.k8s.api.apps.v1.DeploymentCondition":             {"status", "type"},
		"io.k8s.api.apps.v1.ReplicaSetCondition":             {"status", "type"},
		"io.k8s.api.apps.v1.StatefulSetCondition":            {"status", "type"},
		"io.k8s.api.apps.v1.StatefulSetOrdinals":             {"start"},
		"io.k8s.api.apps.v1.StatefulSetSpec":                 {"serviceName"},
		"io.k8s.api.apps.v1.StatefulSetStatus":               {"availableReplicas"},
		"io.k8s.api.core.v1.AzureFilePersistentVolumeSource": {"secretNamespace"},
		"io.k8s.api.core.v1.ContainerImage":                  {"names"},
		"io.k8s.api.core.v1.Event":                           {"reportingComponent", "reportingInstance"},
		"io.k8s.api.core.v1.GRPCAction":                      {"service"},
		"io.k8s.api.core.v1.NodeRuntimeHandler":              {"name"},
		"io.k8s.api.core.v1.ProjectedVolumeSource":           {"sources"},
		"io.k8s.api.core.v1.TypedLocalObjectReference":       {"apiGroup"},
		"io.k8s.api.core.v1.TypedObjectReference":            {"apiGroup"},
		"io.k8s.api.discovery.v1.EndpointSlice":              {"endpoints", "ports"},
	}
)
